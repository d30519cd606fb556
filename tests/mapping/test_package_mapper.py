"""From a record to a package dict: fields, extras, tags, groups and what is kept.

Resources and their ids: ``test_resource_matching``. What people own: ``test_kept_fields``.
"""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, Period, ResourceRecord
from tests.mapping.packages import ALWAYS, as_extras, extras, package

LGA = "http://schemas.opendata.esd.org.uk/Spend/Spend.json?v=0.41"


BLANK = {
    **dict.fromkeys(("notes", "url", "version", "license_id", "maintainer"), ""),
    **dict.fromkeys(("maintainer_email", "author", "author_email"), ""),
    "title": "T",
    "tags": [],
    "resources": [],
    "owner_org": "org",
    "private": False,
    "type": "dataset",
    "state": "active",
    "extras": sorted(as_extras(**ALWAYS), key=lambda each: each["key"]),
}
FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing but guid and title": ({}, {}),
    "notes": ({"notes": "N"}, {"notes": "N"}),
    "the landing page": ({"url": "https://a.example"}, {"url": "https://a.example"}),
    "version": ({"version": "2"}, {"version": "2"}),
    "licence": ({"licence": Licence(id="uk-ogl")}, {"license_id": "uk-ogl"}),
    "author": ({"author": Agent("A", "a@x")}, {"author": "A", "author_email": "a@x"}),
    "tags": ({"tags": ("a", "B")}, {"tags": [{"name": "a"}, {"name": "B"}]}),
}


@pytest.mark.parametrize(("given", "expected"), FIELDS.values(), ids=FIELDS)
def test_a_new_dataset_has_ckans_fields(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert package(DatasetRecord("g", "T", **given)) == {**BLANK, **expected}


def test_the_contact_is_ckans_maintainer() -> None:
    found = package(DatasetRecord("g", "T", contact=Agent("C", "c@x")))
    assert (found["maintainer"], found["maintainer_email"]) == ("C", "c@x")


POINT = {"type": "Point", "coordinates": [1, 2]}
EXTRAS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "none": ({}, {}),
    "the record's date": ({"metadata_modified": "2026"}, {"metadata-date": "2026"}),
    "issued": ({"issued": "2025"}, {"data_issued": "2025"}),
    "modified": ({"modified": "2026-01"}, {"data_modified": "2026-01"}),
    "frequency": ({"frequency": "R/P1Y"}, {"update_frequency": "R/P1Y"}),
    "a period": (
        {"temporal": Period("2019", "2020")},
        {"temporal_coverage-from": "2019", "temporal_coverage-to": "2020"},
    ),
    "an open period": ({"temporal": Period("2019")}, {"temporal_coverage-from": "2019"}),
    "extent": ({"spatial": POINT}, {"spatial": '{"type":"Point","coordinates":[1,2]}'}),
    "place": ({"spatial_text": "Leeds"}, {"spatial-text": "Leeds"}),
    "languages": ({"language": ("en", "cy")}, {"language": "en, cy"}),
    "publisher": (
        {"publisher": Agent("P", "p@x", "https://p")},
        {
            "dcat_publisher_name": "P",
            "dcat_publisher_email": "p@x",
            "dcat_publisher_uri": "https://p",
        },
    ),
    "contact": ({"contact": Agent("C", "c@x")}, {"contact-name": "C", "contact-email": "c@x"}),
    "themes, in their own letters": ({"themes": ("Té",)}, {"dcat_subject": '["Té"]'}),
    "schemas": ({"schema_urls": ("https://s",)}, {"schema": '["https://s"]'}),
    "a licence's URL": ({"licence": Licence("", "", "https://l")}, {"license_url": "https://l"}),
    "a licence's words": ({"licence": Licence(title="Ask us")}, {"licence": "Ask us"}),
    "rights": ({"rights": "None"}, {"rights": "None"}),
    "a fact without a field": ({"extras": {"colour": "blue"}}, {"colour": "blue"}),
    "no blank fact": ({"extras": {"colour": ""}}, {}),
    "no fact under the name of a field": ({"extras": {"title": "X", "tags": "x"}}, {}),
    "no other guid": ({"extras": {"guid": "other", "import_source": "x"}}, {}),
    "what a parser kept where the field says nothing": (
        {"extras": {"update_frequency": "now and then", "licence": "Not at sea."}},
        {"update_frequency": "now and then", "licence": "Not at sea."},
    ),
    "what was understood before what was kept": (
        {"frequency": "R/P1Y", "extras": {"update_frequency": "yearly"}},
        {"update_frequency": "R/P1Y"},
    ),
    "a file that is a known schema is the dataset's": (
        {
            "schema_urls": ("https://a.example/s",),
            "resources": (ResourceRecord("https://a.example/spend.csv"), ResourceRecord(LGA)),
        },
        {"schema": f'["https://a.example/s", "{LGA}"]'},
    ),
}


@pytest.mark.parametrize(("given", "expected"), EXTRAS.values(), ids=EXTRAS)
def test_a_dataset_has_extras(given: dict[str, Any], expected: dict[str, str]) -> None:
    found = package(DatasetRecord("g", "T", **given))
    assert extras(found) == {**ALWAYS, **expected}
    keys = [each["key"] for each in found["extras"]]
    assert keys == sorted(keys)


def test_a_field_of_the_schema_is_no_extra() -> None:
    record = DatasetRecord("g", "T", rights="None", extras={"colour": "blue"})
    found = package(record, schema=("colour", "guid", "absent"))
    assert (found["colour"], found["guid"]) == ("blue", "g")
    assert extras(found).keys() == (ALWAYS.keys() - {"guid"}) | {"rights"}
    assert "absent" not in found


ADDED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a reference in place of the guid": (
        {"reference": "https://a.example/g"},
        {"harvest_source_reference": "https://a.example/g"},
    ),
    "an extra": ({"extras": {"from": "us"}}, {"from": "us"}),
    "no extra that the record has": ({"extras": {"rights": "All", "guid": "x"}}, {}),
    "no extra under the name of a field": ({"extras": {"title": "x", "notes": "x"}}, {}),
}


@pytest.mark.parametrize(("defaults", "expected"), ADDED.values(), ids=ADDED)
def test_a_source_adds(defaults: dict[str, Any], expected: dict[str, str]) -> None:
    found = package(DatasetRecord("g", "T", rights="None"), **defaults)
    assert extras(found) == {**ALWAYS, "rights": "None", **expected}
    assert found["title"] == "T"


@pytest.mark.parametrize(("notes", "expected"), [("", "x"), ("Of the record", "Of the record")])
def test_an_extra_of_the_source_fills_an_empty_field(notes: str, expected: str) -> None:
    assert package(DatasetRecord("g", "T", notes=notes), extras={"notes": "x"})["notes"] == expected


def test_an_extra_of_the_source_goes_where_the_schema_has_it() -> None:
    found = package(schema=("from",), extras={"from": "us"})
    assert (found["from"], extras(found)) == ("us", ALWAYS)


TAGS = {
    "behind the record's": (("a",), ("b",), ["a", "b"]),
    "not again in other letters": (("Roads",), ("ROADS", "b"), ["Roads", "b"]),
    "alone": ((), ("b",), ["b"]),
}


@pytest.mark.parametrize(("own", "added", "expected"), TAGS.values(), ids=TAGS)
def test_a_source_adds_tags(
    own: tuple[str, ...], added: tuple[str, ...], expected: list[str]
) -> None:
    found = package(DatasetRecord("g", "T", tags=own), tags=added)
    assert [each["name"] for each in found["tags"]] == expected


A, B = {"id": "1", "name": "a", "title": "A"}, {"id": "2", "name": "b", "title": "B"}
GROUPS: dict[str, tuple[dict[str, Any] | None, tuple[str, ...], Any]] = {
    "none": (None, (), None),
    "those of the source in a new dataset": (None, ("a", "b"), [{"name": "a"}, {"name": "b"}]),
    "those that it is in": ({"groups": [A]}, (), [A]),
    "those of the source behind those that it is in": (
        {"groups": [B]},
        ("a", "b"),
        [B, {"name": "a"}],
    ),
    "none that it is not in": ({"groups": []}, (), []),
}


@pytest.mark.parametrize(("existing", "added", "expected"), GROUPS.values(), ids=GROUPS)
def test_a_dataset_has_groups(
    existing: dict[str, Any] | None, added: tuple[str, ...], expected: Any
) -> None:
    assert package(existing=existing, groups=added).get("groups") == expected


def test_the_groups_of_the_dataset_as_it_was_are_not_touched() -> None:
    existing = {"groups": [A]}
    package(existing=existing, groups=("b",))
    assert existing == {"groups": [A]}


def test_a_new_dataset_has_neither_id_nor_name() -> None:
    assert {"id", "name"}.isdisjoint(package())


def test_a_new_dataset_is_private_where_the_source_says_so() -> None:
    assert package(private=True)["private"] is True


COLOUR = {"key": "colour", "value": "red"}
ALL_EXTRAS = BLANK["extras"]
# A field of the dataset as it was, options of the source → the field afterwards.
UPDATES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "its id": ({"id": "1"}, {}, {"id": "1"}),
    "its name": ({"name": "first-title"}, {}, {"name": "first-title"}),
    "that it is private": ({"private": True}, {}, {"private": True}),
    "that it is public": ({"private": False}, {"private": True}, {"private": False}),
    "its type": ({"type": "map"}, {}, {"type": "map"}),
    "not its title": ({"title": "By hand"}, {}, {"title": "T"}),
    "not that it was deleted": ({"state": "deleted"}, {}, {"state": "active"}),
    "not its organisation": ({"owner_org": "other"}, {}, {"owner_org": "org"}),
    "not its tags": ({"tags": [{"name": "x"}]}, {"tags": ["y"]}, {"tags": [{"name": "y"}]}),
    "not its extras of the source": ({"extras": as_extras(guid="x")}, {}, {"extras": ALL_EXTRAS}),
    "a title that the source may not replace": (
        {"title": "By hand"},
        {"not_overwrite": ["title"]},
        {"title": "By hand"},
    ),
    "not a blank one": ({"title": ""}, {"not_overwrite": ["title"]}, {"title": "T"}),
    "not one that it has not": ({"id": "1"}, {"not_overwrite": ["title"]}, {"title": "T"}),
    "tags that the source may not replace": (
        {"tags": [{"name": "x"}]},
        {"not_overwrite": ["tags"], "tags": ["y"]},
        {"tags": [{"name": "x"}]},
    ),
    "an organisation that the source may not replace": (
        {"owner_org": "other"},
        {"not_overwrite": ["owner_org"]},
        {"owner_org": "other"},
    ),
    "a field of the schema that the source may not replace": (
        {"colour": "red"},
        {"not_overwrite": ["colour"]},
        {"colour": "red"},
    ),
    "no resources and extras as a whole": (
        {"resources": [{"id": "1"}], "extras": as_extras(colour="red")},
        {"not_overwrite": ["resources", "extras"]},
        {"resources": [], "extras": [COLOUR, *ALL_EXTRAS]},
    ),
}


@pytest.mark.parametrize(("existing", "defaults", "expected"), UPDATES.values(), ids=UPDATES)
def test_an_update_keeps(
    existing: dict[str, Any], defaults: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = package(existing=existing, **defaults)
    assert {key: found.get(key) for key in expected} == expected


KEPT_EXTRAS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "one that the source may not replace": ({"rights": "By hand"}, {"rights": "By hand"}),
    "one that the source has not": ({"colour": "red"}, {"colour": "red", "rights": "None"}),
    "not a blank one": ({"rights": ""}, {"rights": "None"}),
    "not one of another name": ({"guid": "x"}, {"rights": "None"}),
}


@pytest.mark.parametrize(("existing", "expected"), KEPT_EXTRAS.values(), ids=KEPT_EXTRAS)
def test_an_update_keeps_of_the_extras(existing: dict[str, str], expected: dict[str, str]) -> None:
    found = package(
        DatasetRecord("g", "T", rights="None"),
        {"extras": as_extras(**existing)},
        not_overwrite=["colour", "rights"],
    )
    assert extras(found) == {**ALWAYS, **expected}
    assert [each["key"] for each in found["extras"]] == sorted(extras(found))
