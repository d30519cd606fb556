"""An inventory as a document: what datasets inherit, and what identifies a file."""

from __future__ import annotations

import pytest

from tests.parsers.inventory.datasets import dataset, resource


@pytest.mark.parametrize(
    ("given", "schema_url", "described_by", "others"),
    [
        ([], "", "", ""),
        (["https://a.example/api/c/s/definition"], "", "https://a.example/api/c/s/definition", ""),
        (
            ["http://a.example/api/c/s/definition", "https://s.example/1", "https://s.example/2"],
            "https://s.example/1",
            "http://a.example/api/c/s/definition",
            "https://s.example/2",
        ),
        (["Spend v2", "https://s.example/1"], "https://s.example/1", "", "Spend v2"),
    ],
)
def test_standard_schema_is_distinguished_from_own_fields(
    given: list[str], schema_url: str, described_by: str, others: str
) -> None:
    last = "".join(f"<ConformsTo>{each}</ConformsTo>" for each in given)
    record = dataset("", resource(last=last))
    (found,) = record.resources
    assert found.schema_url == schema_url
    assert found.extras.get("described_by", "") == described_by
    assert found.extras.get("conforms_to", "") == others
    assert record.schema_urls == ((schema_url,) if schema_url else ())


def test_a_resources_identity_does_not_change_with_the_day() -> None:
    monday, tuesday = (
        dataset("", resource(url=f"https://a.example/r/CSV?version={day}")).resources[0]
        for day in ("01/09/2014", "02/09/2014")
    )
    assert monday.id == tuesday.id == "r text/csv"
    assert monday.url != tuesday.url


def test_files_that_share_an_identifier_and_a_type_have_none() -> None:
    record = dataset(
        "",
        resource(mime="text/csv"),
        resource(mime="text/xml", url="https://a.example/download"),
        resource(mime="text/xml", url="https://a.example/api"),
    )
    assert [each.id for each in record.resources] == ["r text/csv", "", ""]


def test_inactive_files_are_left_out() -> None:
    record = dataset(
        "",
        resource(more='Active="False"'),
        resource(more='Active="Yes"', url="https://a.example/kept"),
        resource(url="https://a.example/kept-too"),
        resource().replace("<Rendition>", '<Rendition Active="No">'),
    )
    assert [each.url for each in record.resources] == [
        "https://a.example/kept",
        "https://a.example/kept-too",
    ]


def test_dates_are_inherited_downwards() -> None:
    record = dataset(
        "", resource(), resource(more='Modified="2020-02-02"'), flags="Modified='2019'"
    )
    assert record.modified == "2019"
    assert [each.modified for each in record.resources] == ["2019", "2020-02-02"]
