"""The rows of a dataset's additional information: values, order and labels."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from lxml import html
from markupsafe import Markup

from ckanext.ukharvest import fields
from ckanext.ukharvest.rendering import fields as rendering_field_rows
from ckanext.ukharvest.rendering.fields import FIELDS, field_rows
from ckanext.ukharvest.rendering.values import Portal
from tests.rendering.hostile_texts import HOSTILE

PORTAL = Portal()
NO_LIMITATIONS = (
    "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations"
)
LOCATION = {"UKLP": "True", "import_source": "harvest"}


def _everywhere(text: str) -> list[Any]:
    """Return values with a text in each of their places."""
    keys = ("title", "name", "text", "code", "href", "url", "uuid", "from", "to", "description")
    return [
        text,
        [text, text],
        {text: text},
        {"type": text, "value": text},
        {"vocabulary": text, "keywords": [{"text": text, "href": text}, text]},
        {"from": text, "to": text, "description": text},
        *({"title": "T", key: text} for key in keys),
        {"title": text, "href": "https://data.example/"},
        [[{text: [text]}]],
    ]


def render_rows(facts: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    """Return label and text of each row, those without a label last."""
    given = {key: v if isinstance(v, str) else json.dumps(v) for key, v in facts.items()}
    found = field_rows(given, PORTAL, **more)
    return [(row.label, words(row.value)) for row in (*found.known, *found.others)]


def words(value: Markup) -> str:
    page = html.fragment_fromstring(str(value), create_parent="div")
    items = [each.text_content() for each in page.xpath(".//li")] or [page.text_content()]
    return " | ".join(" ".join(each.split()) for each in items)


KEYS = ["lineage", "spatial-resolution", "anything else"]
KEYS += [
    key
    for key, field in FIELDS.items()
    if field.render and "_translated" not in key and " " not in key
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_escaped_in_every_row(text: str) -> None:
    for key, value in itertools.product(KEYS, _everywhere(text)):
        raw = value if isinstance(value, str) else json.dumps(value)
        made = field_rows({key: raw}, PORTAL)
        for row in (*made.known, *made.others):
            page = html.fragment_fromstring(str(row.value), create_parent="div")
            for element in page.iterdescendants():
                assert element.tag in ("a", "ul", "li", "span"), key
                assert set(element.attrib) <= {"href", "title", "rel", "class", "aria-label"}, key
                assert element.get("href", "https://").startswith(("https://", "mailto:")), key


def test_rows_have_the_order_of_the_guide() -> None:
    facts = {
        "zebra-crossings": "7",
        "lineage": "Surveyed.",
        "la_service": "http://id.esd.org.uk/service/579",
        "data_issued": "2004-02",
        "guid": "g1",
        "metadata-date": "2026-05-01T10:15:00",
        "import_source": "harvest",
        "harvest_object_id": "x",
        "coupled-resource": "[]",
        "spatial-resolution": "10",
        "spatial-resolution-units": "urn:ogc:def:uom:EPSG::9001",
        "temporal_coverage-from": "1998",
        "temporal_coverage-to": "2010-03",
        "theme-primary": "Crime",
    }
    said = {
        rendering_field_rows.ADDED: Markup("today"),
    }
    found = field_rows(facts, PORTAL, said)
    assert [(row.label, words(row.value)) for row in found.known] == [
        ("Theme", "Crime & Justice"),
        ("Temporal extent", "1998 to March 2010"),
        ("Added to this site", "today"),
        ("Metadata date", "1 May 2026, 10:15"),
        ("Harvest GUID", "g1"),
        ("First issued", "February 2004"),
        (
            "Local authority service",
            "Public toilets Environmental protection › Street care and cleaning",
        ),
        ("Spatial resolution", "10 m"),
        ("Lineage", "Surveyed."),
    ]
    assert [row.label for row in found.others] == ["Zebra crossings"]
    main = ["Theme", "Temporal extent", "Added to this site"]
    assert [row.label for row in found.main] == main
    assert {*found.main, *found.more} == {*found.known, *found.others}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("frequency-of-update", "irregular", "Irregular"),
        ("frequency-of-update", "biannually", "Every 6 months"),
        ("frequency-of-update", "notPlanned", "Never"),
        ("frequency-of-update", "whenever we like", "whenever we like"),
        ("resource-type", "series", "Series"),
        ("resource-type", "nonGeographicDataset", "Dataset that is not about places"),
        ("metadata-language", "eng", "English"),
        ("metadata-language", "cym", "Welsh"),
        ("metadata-language", "Klingonian!", "Klingonian!"),
        ("language", "en, cy", "English, Welsh"),
        ("spatial-data-service-type", "view", "View"),
        ("spatial-reference-system", "27700", "OSGB36 / British National Grid (EPSG:27700)"),
        ("spatial-reference-system", "postcodes", "postcodes"),
        (
            "spatial-reference-systems",
            [{"code": "BNG", "epsg": "EPSG:27700", "name": "British National Grid"}, {"code": "x"}],
            "British National Grid (EPSG:27700) | x",
        ),
        (
            "dataset-reference-date",
            [{"type": "creation", "value": "2004-02"}, {"type": "revision", "value": "2006-07-03"}],
            "Created February 2004; revised 3 July 2006",
        ),
        (
            "responsible-organisation",
            [{"name": "Agency", "email": "a@agency.example", "roles": "owner, pointOfContact"}],
            "Agency (owner, point of contact), a@agency.example",
        ),
        ("responsible-party", "Agency (owner); Maps (distributor)", "Agency (owner) | Maps"),
        (
            "access_constraints",
            ["http://inspire.ec.europa.eu/metadata-codelist/x/noLimitations", "Ask us."],
            "No limitations on public access | Ask us.",
        ),
        ("access_constraints", ["otherRestrictions"], "Other restrictions"),
        ("data_modified", "2006-13-40", "2006-13-40"),
        ("metadata-date", "2024-05-31T10:15:00Z", "31 May 2024, 10:15 UTC"),
        ("metadata-date", "2024-05-31T00:00:00", "31 May 2024"),
    ],
)
def test_values_are_shown_in_words(key: str, value: Any, expected: str) -> None:
    [(_label, said)] = render_rows({key: value})
    assert said.startswith(expected)


def test_dates_and_languages_are_in_the_language_of_the_page() -> None:
    german = Portal(language="de")
    found = field_rows({"language": "cy", "metadata-date": "2024-05-31"}, german)
    assert [words(row.value) for row in found.known] == ["31 Mai 2024", "Walisisch"]
    assert Portal(language="no such").locale.language == "en"


def test_missing_facts_of_location_data_are_named() -> None:
    found = dict(render_rows({**LOCATION, "resource-type": "service"}))
    missing = [label for label, value in found.items() if value == rendering_field_rows.NOT_GIVEN]
    assert missing == [
        "Frequency of update",
        "Extent",
        "Spatial reference system",
        "Dataset reference date",
        "Responsible party",
        "Limitations on public access",
        "Metadata language",
        "Spatial data service type",
    ]
    assert (
        rendering_field_rows.NOT_GIVEN
        not in dict(render_rows(LOCATION, is_harvested=False)).values()
    )
    assert not render_rows({**LOCATION, "resource-type": "nonGeographicDataset"})[2:]
    better = {**LOCATION, "responsible-organisation": [{"name": "Agency"}]}
    assert dict(render_rows(better))["Responsible party"] == "Agency"


def test_an_extra_that_repeats_another_is_left_out() -> None:
    box = {"bbox-west-long": "-2", "bbox-east-long": "-1"}
    assert [label for label, _ in render_rows({**box, "spatial": "A box"})] == ["Extent"]
    assert render_rows(box) == [("Extent", "W: -2 | E: -1")]
    both = {"frequency-of-update": "annually", "update_frequency": "R/P1Y"}
    assert render_rows(both) == [("Frequency of update", "Annually")]
    differing = {**both, "update_frequency": "R/P1M"}
    assert render_rows(differing) == [("Frequency of update", "Annually | Monthly")]
    assert len(render_rows(both, markup={"update_frequency": Markup("Annually")})) == 1
    same = {"theme-primary": "Crime", "dcat_subject": "crime & justice"}
    assert render_rows(same) == [("Theme", "Crime & Justice")]
    limits = {"access_constraints": '["no limitations to public access"]'}
    limits["limitations-on-public-access"] = f'["{NO_LIMITATIONS}"]'
    assert render_rows(limits) == [
        ("Limitations on public access", "No limitations on public access")
    ]
    assert render_rows({"guid": "g", "harvest_source_reference": "g"}) == [("Harvest GUID", "g")]


def test_fields_of_one_label_are_one_row() -> None:
    facts = {"foi-name": "Desk", "foi-email": "foi@a.example", "foi-phone": "01632", "credit": "Us"}
    assert render_rows(facts) == [
        ("Credit", "Us"),
        ("Freedom of information", "Desk | foi@a.example | 01632"),
    ]
    # Repeated in other letters, it is said once; a field that is missing beside it, never.
    assert render_rows({"uri": "HTTP://A", "resource-identifier": "http://a"})[0][1] == "HTTP://A"
    given = dict(render_rows({**LOCATION, "use-restrictions": "x", "access-restrictions": '["y"]'}))
    assert given["Limitations on public access"] == "y"


def test_every_field_of_a_dataset_has_its_label_and_its_place() -> None:
    own = {field.key: field.label for field in fields.FIELDS if field.of == fields.DATASET}
    assert own.items() <= rendering_field_rows.LABELS.items()
