"""What people own of a dataset stays when its record is imported again."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, ResourceRecord
from ckanext.ukharvest.mapping.package_mapper import Defaults, MappedDataset, to_package_dict
from tests.mapping.packages import ALWAYS, as_extras, extras

URL = "https://a.example/file.csv"
# Fields of CKAN's that a source can supply → as people fill them.
CORE: dict[str, Any] = {
    **{key: f"a person's {key}" for key in ("notes", "url", "version", "license_id", "author")},
    **dict.fromkeys(("author_email", "maintainer_email"), "person@site.example"),
    "maintainer": "A person",
    "tags": [{"name": "by hand"}],
}
SUPPLIED = DatasetRecord(
    "g",
    "T",
    notes="N",
    url="https://a.example",
    version="2",
    licence=Licence("uk-ogl"),
    author=Agent("A", "a@x.example"),
    contact=Agent("C", "c@x.example"),
    tags=("a",),
    rights="None",
    extras={"colour": "blue"},
)
BARE = DatasetRecord("g", "T")


def update(
    record: DatasetRecord,
    existing: dict[str, Any],
    before: DatasetRecord | None,
    schema: tuple[str, ...] = (),
    *,
    groups_before: tuple[str, ...] = (),
    **defaults: Any,
) -> MappedDataset:
    """Map a record to an existing dataset.

    Args:
        before: the record at the last import; None: unknown.
    """
    supplied = None
    if before is not None:
        options = {**defaults, "groups": groups_before}
        first = to_package_dict(before, None, None, schema, Defaults("org", **options))
        supplied = first.supplied.as_stored(str(n) for n in range(len(first.resources)))
    known = [(each["id"], "") for each in existing.get("resources", ())]
    return to_package_dict(
        record, existing, known, schema, Defaults("org", **defaults), supplied=supplied
    )


@pytest.mark.parametrize("before", [BARE, None], ids=["known", "unknown"])
@pytest.mark.parametrize("key", CORE)
def test_a_field_that_the_source_never_supplied_stays(
    key: str, before: DatasetRecord | None
) -> None:
    assert update(BARE, {key: CORE[key]}, before).package[key] == CORE[key]


@pytest.mark.parametrize("key", CORE)
def test_a_field_that_the_source_supplied_goes_with_it(key: str) -> None:
    assert not update(BARE, {key: CORE[key]}, SUPPLIED).package[key]


@pytest.mark.parametrize("key", CORE)
def test_a_field_that_the_source_supplies_is_the_sources(key: str) -> None:
    for before in (BARE, SUPPLIED, None):
        found = update(SUPPLIED, {key: CORE[key]}, before).package[key]
        assert found == to_package_dict(SUPPLIED, None, None, (), Defaults("org")).package[key]


EXTRAS: dict[str, tuple[DatasetRecord, DatasetRecord | None, dict[str, str]]] = {
    "never supplied": (BARE, BARE, {"colour": "red", "rights": "All"}),
    "unknown": (BARE, None, {"colour": "red", "rights": "All"}),
    "supplied before": (BARE, SUPPLIED, {}),
    "supplied now": (SUPPLIED, BARE, {"colour": "blue", "rights": "None"}),
}


@pytest.mark.parametrize(("record", "before", "expected"), EXTRAS.values(), ids=EXTRAS)
def test_an_extra_is_a_field_too(
    record: DatasetRecord, before: DatasetRecord | None, expected: dict[str, str]
) -> None:
    existing = {"extras": as_extras(colour="red", rights="All", guid="x")}
    found = extras(update(record, existing, before).package)
    contact = {"contact-name": "C", "contact-email": "c@x.example"} if record is SUPPLIED else {}
    assert found == {**ALWAYS, **contact, **expected}


def test_a_field_of_the_schema_stays_where_the_schema_has_it() -> None:
    schema = ("colour", "size", "metadata_modified", "id")
    existing = {
        "colour": "red",
        "isopen": True,
        "metadata_modified": "2026",
        "extras": as_extras(size="L"),
    }
    found = update(BARE, existing, BARE, schema).package
    assert (found["colour"], found["size"]) == ("red", "L")
    assert extras(found) == ALWAYS
    assert not {"isopen", "metadata_modified"} & found.keys()
    assert "colour" not in update(BARE, existing, SUPPLIED, schema).package


def test_extras_that_are_computed_do_not_stay() -> None:
    computed = as_extras(harvest_object_id="1", harvest_source_title="S")
    domain = {"key": "harvest:domain", "value": "a.example"}
    assert extras(update(BARE, {"extras": [*computed, domain]}, None).package) == ALWAYS


def test_a_theme_is_left_to_the_themes() -> None:
    found = update(BARE, {"extras": as_extras(**{"theme-primary": "Health"})}, BARE)
    assert extras(found.package) == ALWAYS


LICENCES: dict[str, tuple[DatasetRecord, DatasetRecord | None, str]] = {
    "of which the source says nothing": (BARE, BARE, "uk-ogl"),
    "that a person found for the source's words": (
        DatasetRecord("g", "T", licence=Licence(title="Ask us")),
        DatasetRecord("g", "T", licence=Licence(title="Ask")),
        "uk-ogl",
    ),
    "not if the source begins to say another": (
        DatasetRecord("g", "T", licence=Licence(title="Ask us")),
        BARE,
        "",
    ),
    "not if the first import here finds another": (
        DatasetRecord("g", "T", licence=Licence(title="Ask us")),
        None,
        "",
    ),
}


@pytest.mark.parametrize(("record", "before", "expected"), LICENCES.values(), ids=LICENCES)
def test_a_persons_licence_stays(
    record: DatasetRecord, before: DatasetRecord | None, expected: str
) -> None:
    assert update(record, {"license_id": "uk-ogl"}, before).package["license_id"] == expected


GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...], list[str]]] = {
    "never given": ((), (), ["a", "b"]),
    "still given": (("b",), ("b",), ["a", "b"]),
    "given before": (("b",), (), ["a"]),
    "given now": ((), ("c",), ["a", "b", "c"]),
}


@pytest.mark.parametrize(("before", "now", "expected"), GROUPS.values(), ids=GROUPS)
def test_a_group_goes_only_with_the_source(
    before: tuple[str, ...], now: tuple[str, ...], expected: list[str]
) -> None:
    existing = {"groups": [{"name": "a"}, {"name": "b"}]}
    found = update(BARE, existing, BARE, groups_before=before, groups=now).package
    assert [each["name"] for each in found["groups"]] == expected


def test_protected_fields_do_not_count_as_supplied() -> None:
    existing = {"notes": "By hand", "groups": [{"name": "a"}], "title": ""}
    options = {"not_overwrite": ("notes", "groups", "title"), "groups": ("b",)}
    found = update(SUPPLIED, existing, BARE, **options)
    assert found.package["groups"] == [{"name": "a"}]
    assert "notes" not in found.supplied.dataset
    assert "title" in found.supplied.dataset
    assert found.supplied.groups == ()


def with_resource(**fields: Any) -> DatasetRecord:
    return DatasetRecord("g", "T", resources=(ResourceRecord(URL, **fields),))


FULL = with_resource(
    name="Table",
    description="D",
    format="CSV",
    mimetype="text/csv",
    size=7,
    schema_url="https://s",
    kind="documentation",
)
BY_HAND = {
    **dict.fromkeys(("name", "description", "format", "mimetype", "resource_type"), "by hand"),
    "schema_url": "https://by.hand/schema",
    "schema_type": "csvlint",
}


@pytest.mark.parametrize("key", BY_HAND)
@pytest.mark.parametrize("before", [with_resource(), None], ids=["known", "unknown"])
def test_a_field_of_a_resource_stays_too(key: str, before: DatasetRecord | None) -> None:
    existing = {"resources": [{"id": "0", "url": URL, key: BY_HAND[key]}]}
    (found,) = update(with_resource(), existing, before).package["resources"]
    assert found == {"id": "0", "url": URL, "name": "", key: BY_HAND[key]}


def test_the_fields_that_the_source_gave_a_resource_go_with_it() -> None:
    existing = {"resources": [{"id": "0", "url": URL, "size": 7, **BY_HAND}]}
    (found,) = update(with_resource(), existing, FULL).package["resources"]
    kept = {"id": "0", "url": URL, "schema_type": "csvlint"}
    # CKAN keeps these three unless it gets another value.
    assert found == {**kept, "name": "", "format": "", "size": ""}


def test_facts_of_one_file_do_not_stay_with_another() -> None:
    facts = {"mimetype": "text/csv", "hash": "1", "size": 7, "url_type": "upload", "position": 0}
    stays = {"id": "0", "datastore_active": True}
    before = {"url": "https://moved.example/file.csv", "format": "CSV", **stays, **facts}
    (found,) = update(with_resource(), {"resources": [before]}, BARE).package["resources"]
    assert found == {"url": URL, "name": "", "format": "", **stays}


def test_facts_of_a_file_stay_when_a_volatile_parameter_changes() -> None:
    before = {"id": "0", "url": f"{URL}?t=1", "format": "CSV", "mimetype": "text/csv"}
    (found,) = update(with_resource(), {"resources": [before]}, BARE).package["resources"]
    assert found == {**before, "url": URL, "name": ""}


def test_computed_values_of_a_resource_do_not_stay() -> None:
    computed = {"qa": {"stars": 3}, "datastore_active": False, "tags": ["x"]}
    existing = {"resources": [{"id": "0", "url": URL, **computed}]}
    (found,) = update(with_resource(), existing, BARE, resource_schema=("tags",)).package[
        "resources"
    ]
    assert found == {"id": "0", "url": URL, "name": "", "tags": ["x"]}


def test_a_format_that_was_found_at_the_link_is_not_the_sources() -> None:
    def supplied(found: dict[str, str]) -> tuple[str, ...]:
        record = with_resource(format="CSV")
        mapped = to_package_dict(record, None, None, (), Defaults("org"), found_formats=found)
        return mapped.supplied.resources[0]

    assert supplied({}) == ("format", "url")
    assert supplied({URL: "CSV"}) == ("url",)
    assert supplied({URL: "XLSX"}) == ("format", "url")


def test_a_resource_that_a_plugin_adds_keeps_its_id() -> None:
    more = {"url": "https://a.example/guide.pdf", "name": "Guide"}

    def add(package: dict[str, Any]) -> None:
        package["resources"] = [dict(more), *package["resources"]]
        package["extras"].append({"key": "added", "value": "yes"})

    first = to_package_dict(with_resource(), None, None, (), Defaults("org"), change=add)
    assert first.resources == [("", f"url:{more['url']}"), ("", f"url:{URL}")]
    assert "added" in first.supplied.dataset
    existing = {"resources": [{"id": "m", **more}, {"id": "r", "url": URL, "name": ""}]}
    known = [("m", f"url:{more['url']}"), ("r", f"url:{URL}")]
    again = to_package_dict(with_resource(), existing, known, (), Defaults("org"), change=add)
    assert again.resources == known
    assert [each["id"] for each in again.package["resources"]] == ["m", "r"]
    without = to_package_dict(with_resource(), existing, known, (), Defaults("org"))
    assert [each["id"] for each in without.package["resources"]] == ["r"]
