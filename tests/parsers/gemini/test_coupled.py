"""Datasets coupled to a service (GEMINI 38)."""

from __future__ import annotations

import json
from xml.sax.saxutils import quoteattr

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements_distribution import parsed
from tests.parsers.gemini.part import codes, text

ID = "00000000-0000-4000-8000-00000000000a"
CSW = "https://example.org/csw?service=CSW&request=GetRecordById"


def operates_on(href: str = "", uuid: str = "", title: str = "", inside: str = "") -> str:
    names = (("xlink:href", href), ("uuidref", uuid), ("xlink:title", title))
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in names if value)
    return f"<srv:operatesOn {attributes}>{inside}</srv:operatesOn>"


def coupled(*parts: str) -> DatasetRecord:
    return parsed(service="".join(parts) or " ")


def stored(record: DatasetRecord) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(record.extras["coupled-resource"])
    return found


HREF = f"{CSW}&id={ID}"


@pytest.mark.parametrize(
    ("href", "title", "expected"), [(HREF, "Rivers", (ID, HREF)), ("", "", (ID,))]
)
def test_a_reference_is_stored_as_given_with_what_to_look_for(
    href: str, title: str, expected: tuple[str, ...]
) -> None:
    record = coupled(operates_on(href, ID, title))
    assert stored(record) == [{"title": title, "href": href, "uuid": ID}]
    assert (record.coupled, record.problems) == (expected, ())


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        pytest.param(f"{CSW}&ID=rivers", ["rivers"], id="any-case"),
        pytest.param(f"{CSW}&id=rivers,lakes", ["rivers", "lakes"], id="two"),
        pytest.param(f"{CSW}&id=riv%20ers", ["riv ers"], id="encoded"),
        pytest.param(
            f"{CSW}&id=rivers".replace("&", "&amp;"), ["rivers", f"{CSW}&id=rivers"], id="escaped"
        ),
        pytest.param(
            f"{CSW}&id=rivers".replace("request", "\n request"),
            ["rivers", f"{CSW}&id=rivers"],
            id="line-break",
        ),
        pytest.param(f"https://example.org/api/records/{ID}", [ID], id="path"),
        pytest.param(f"https://example.org/api/records/{ID}/formatters/xml", [ID], id="view"),
        pytest.param("https://example.org/metadata?uuid=rivers", ["rivers"], id="uuid"),
        pytest.param(f"https://example.org/x?id={ID}", [ID], id="uuid-as-id"),
        pytest.param(
            "https://example.org/waf/rivers.xml#rivers",
            ["rivers", "https://example.org/waf/rivers.xml"],
            id="fragment",
        ),
        pytest.param("#rivers", ["rivers"], id="only-fragment"),
        pytest.param(ID, [ID], id="identifier"),
        pytest.param(f"urn:uuid:{ID}", [f"urn:uuid:{ID}", ID], id="urn"),
        pytest.param("EXAMPLE:#1300", ["EXAMPLE:#1300"], id="resource-identifier"),
    ],
)
def test_coupled_datasets_are_named_by_each_identifier(href: str, expected: list[str]) -> None:
    record = coupled(operates_on(href))
    assert set(expected) <= set(record.coupled)
    assert "" not in record.coupled
    assert record.problems == ()


def test_a_number_of_another_address_is_no_identifier() -> None:
    assert coupled(operates_on("https://example.org/x?id=12")).coupled == (
        "https://example.org/x?id=12",
    )


def test_several_in_their_order_and_each_reference_once() -> None:
    record = coupled(operates_on(uuid="b"), operates_on(uuid="a"), operates_on(uuid="b", title="B"))
    assert [each["uuid"] for each in stored(record)] == ["b", "a", "b"]
    assert record.coupled == ("b", "a")


@pytest.mark.parametrize(
    ("part", "code"),
    [
        pytest.param(operates_on("Please enter a valid url"), "bad-url", id="words"),
        pytest.param(operates_on(), "missing-url", id="empty"),
        pytest.param('<srv:operatesOn xlink:href=""/>', "missing-url", id="empty-href"),
    ],
)
def test_empty_operates_on_is_reported(part: str, code: str) -> None:
    record = coupled(part)
    assert record.coupled == ()
    assert [(p.code, p.field) for p in record.problems] == [(code, "srv:operatesOn")]


def test_words_are_kept_as_given() -> None:
    record = coupled(operates_on("Please enter a valid url"))
    assert stored(record)[0]["href"] == "Please enter a valid url"


def test_nil_is_no_problem() -> None:
    record = coupled('<srv:operatesOn gco:nilReason="missing"/>')
    assert record.problems == ()
    assert "coupled-resource" not in record.extras


def test_a_whole_identification_in_a_references_place() -> None:
    citation = (
        f'<gmd:MD_DataIdentification uuid="{ID}"><gmd:citation><gmd:CI_Citation>'
        f"<gmd:title>{text('Rivers')}</gmd:title><gmd:identifier><gmd:MD_Identifier>"
        f"<gmd:code>{text('rivers-1')}</gmd:code></gmd:MD_Identifier></gmd:identifier>"
        "</gmd:CI_Citation></gmd:citation></gmd:MD_DataIdentification>"
    )
    record = coupled(operates_on(inside=citation))
    assert record.coupled == (ID, "rivers-1")
    assert stored(record) == [{"title": "Rivers", "href": "", "uuid": ""}]


def test_coupled_layer_names_its_dataset() -> None:
    layer = (
        "<srv:coupledResource><srv:SV_CoupledResource><srv:identifier>"
        f"{text(ID)}</srv:identifier></srv:SV_CoupledResource></srv:coupledResource>"
    )
    record = coupled(layer)
    assert record.coupled == (ID,)
    assert "coupled-resource" not in record.extras


def test_a_dataset_has_none() -> None:
    record = parsed()
    assert record.coupled == ()
    assert codes(record) == []
