"""Texts in several languages: as extras, and in ckanext-fluent's fields."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.records import (
    DatasetRecord,
    ResourceRecord,
    ResourceTranslation,
    Translation,
)
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from tests.mapping.packages import extras, package

FLUENT = ("title_translated", "notes_translated", "tags_translated")
FILE = ResourceRecord(
    "http://a.uk/f",
    name="Stops",
    translations={"cy": ResourceTranslation("Safleoedd"), "en": ResourceTranslation("Stops")},
)
RECORD = DatasetRecord(
    "g",
    "Bus stops",
    notes="All.",
    tags=("buses", "GIS", "bysiau"),
    resources=(FILE,),
    text_language="en",
    translations={
        "cy": Translation("Safleoedd bws", tags=("bysiau", "GIS")),
        "en": Translation("Bus stops", "All.", ("buses", "GIS")),
    },
)


def test_without_fields_the_other_languages_are_extras() -> None:
    found = package(RECORD)
    assert found["title"] == "Bus stops"
    assert found["tags"] == [{"name": name} for name in RECORD.tags]
    given = {key: json.loads(extras(found)[key]) for key in FLUENT if key in extras(found)}
    assert given == {
        "title_translated": {"cy": "Safleoedd bws"},
        "tags_translated": {"cy": ["bysiau", "GIS"]},
    }
    assert found["resources"][0]["name_translated"] == {"cy": "Safleoedd"}
    assert not set(FLUENT) & found.keys()


def test_ckanext_fluents_fields_have_all_languages() -> None:
    found = package(RECORD, schema=FLUENT, resource_schema=("name_translated",))
    assert {key: found[key] for key in FLUENT} == {
        "title_translated": {"cy": "Safleoedd bws", "en": "Bus stops"},
        "notes_translated": {"en": "All."},
        "tags_translated": {"cy": ["bysiau", "GIS"], "en": ["buses", "GIS"]},
    }
    assert found["resources"][0]["name_translated"] == {"cy": "Safleoedd", "en": "Stops"}
    assert not set(FLUENT) & extras(found).keys()


def test_a_record_of_one_language_fills_fields_of_ckanext_fluent() -> None:
    plain = DatasetRecord("g", "T", notes="N", tags=("a",), resources=(ResourceRecord("u"),))
    found = package(plain, schema=FLUENT, language="cy", resource_schema=("name_translated",))
    wanted: dict[str, Any] = {"title": {"cy": "T"}, "notes": {"cy": "N"}, "tags": {"cy": ["a"]}}
    assert {key: found[key] for key in FLUENT} == {
        f"{key}_translated": value for key, value in wanted.items()
    }
    assert found["resources"][0]["name_translated"] == {"cy": ""}
    empty = package(DatasetRecord("g", "T"), schema=FLUENT)
    assert (empty["notes_translated"], empty["tags_translated"]) == ({"en": ""}, {"en": []})
    french = package(replace(plain, language=("fr-CA",)), schema=FLUENT)
    assert french["title_translated"] == {"fr": "T"}


def test_a_text_is_not_put_under_a_language_that_it_is_not_in() -> None:
    # The description is Welsh only, so CKAN's own field has it as well.
    welsh = Translation("Safleoedd bws", "Pob safle.")
    record = replace(RECORD, notes="Pob safle.", translations={"cy": welsh, "en": Translation("T")})
    found = package(record, schema=FLUENT)
    assert found["notes_translated"] == {"cy": "Pob safle."}


def test_without_translations_a_package_dict_is_as_before() -> None:
    plain = DatasetRecord("g", "T", text_language="cy", language=("en",))
    assert package(plain) == package(DatasetRecord("g", "T", language=("en",)))


def test_not_overwrite_keeps_translations() -> None:
    existing = {
        "title": "By hand",
        "title_translated": {"en": "By hand"},
        "extras": [{"key": "notes_translated", "value": '{"cy": "Gan berson"}'}],
    }
    defaults = Defaults("org", not_overwrite=("title", "notes"))
    found = to_package_dict(RECORD, existing, None, ("title_translated",), defaults).package
    assert (found["title"], found["title_translated"]) == ("By hand", {"en": "By hand"})
    assert extras(found)["notes_translated"] == '{"cy": "Gan berson"}'
