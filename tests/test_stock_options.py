"""Options of other harvesters in our form: kept, translated and dropped ones, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest import source_types
from ckanext.ukharvest.stock_options import DROPPED, Facts, OptionTranslation, translate

FACTS = Facts("5ca1e", "https://feed.example/waf/", "Roads")


def translated(kind: str, stored: Any) -> tuple[dict[str, Any], dict[str, OptionTranslation]]:
    text = stored if isinstance(stored, str) else json.dumps(stored)
    options, changes = translate(
        source_types.TYPES[kind], text, FACTS, {"roads", "rivers"}.__contains__
    )
    return options, {each.name: each for each in changes}


def reason(change: OptionTranslation) -> str:
    return "; ".join(text.format(**values) for text, values in change.reasons)


@pytest.mark.parametrize("text", [None, "", "  ", "{}"])
def test_a_source_without_options_stays_without(text: str | None) -> None:
    assert translate(source_types.DATA_JSON, text, FACTS, bool) == ({}, [])


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        # ckanext-spatial
        ("gemini-waf", {"continue_on_validation_errors": True}, {"validation": "report"}),
        ("gemini-waf", {"continue_on_validation_errors": False}, {"validation": "reject"}),
        ("gemini-csw", {"cql": "apiso:Type = 'dataset'"}, {"cql": "apiso:Type = 'dataset'"}),
        ("gemini-waf", {"default_tags": ["roads"]}, {"default_tags": ["roads"]}),
        ("gemini-single", {"default_extras": {"a": "b"}}, {"default_extras": ["a=b"]}),
        ("gemini-waf", {"validator_profiles": "gemini2-3"}, {"validation_profiles": ["gemini2-3"]}),
        # data.gov.uk's
        ("gemini-csw", {"skip-responsible-party": "A"}, {"skip_responsible_party": ["A"]}),
        # ckanext-dcat
        ("dcat_rdf", {"rdf_format": "text/turtle"}, {"rdf_format": "text/turtle"}),
        # ckanext-harvest's CKAN harvester
        ("ckan", {"default_tags": [{"name": "roads"}]}, {"default_tags": ["roads"]}),
        ("ckan", {"groups_filter_include": ["x"]}, {"groups_filter_include": ["x"]}),
        ("ckan", {"default_groups": ["roads"]}, {"default_groups": ["roads"]}),
        ("ckan", {"remote_orgs": "only_local"}, {"remote_orgs": "only_local"}),
        ("ckan", {"force_all": True}, {"force_all": True}),
        # openresearchdata's ckanext-oaipmh
        ("oaipmh", {"set": "data"}, {"sets": ["data"]}),
        ("oaipmh", {"metadata_prefix": "oai_dc"}, {"metadata_prefix": "oai_dc"}),
    ],
)
def test_known_stock_options_are_translated(
    kind: str, stored: dict[str, Any], expected: dict[str, Any]
) -> None:
    options, changes = translated(kind, stored)
    assert options == expected
    (change,) = changes.values()
    assert change.change == ("kept" if stored == expected else "translated")
    assert {change.new_name: change.new_value} == expected


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("ckan", "api_version", 3),
        ("ckan", "clean_tags", True),
        ("ckan", "override_extras", True),
        ("ckan", "user", "harvest"),
        ("gemini-waf", "reindex_unchanged", "False"),
        ("gemini-waf", "collection_metadata_url", "https://feed.example/all.xml"),
        ("gemini-csw", "filters", {"bureauCode": ["015:11"]}),
        ("data_json", "anything", {"at": "all"}),
        ("dcat_rdf", "rdf_format", "no such thing"),
        ("ckan", "remote_orgs", "delete"),
    ],
)
def test_unknown_stock_options_are_dropped_with_a_reason(kind: str, name: str, value: Any) -> None:
    options, changes = translated(kind, {name: value})
    assert options == {}
    assert (changes[name].change, changes[name].value) == (DROPPED, value)
    assert reason(changes[name])


def test_a_key_is_never_shown() -> None:
    options, changes = translated("ckan", {"api_key": "s3cret"})
    assert options == {}
    assert "s3cret" not in repr(changes)


def test_parts_of_a_list_are_kept() -> None:
    stored = {"default_groups": ["roads", "gone"], "validator_profiles": ["gemini2-3", "fgdc"]}
    options, changes = translated("gemini-waf", stored)
    assert options == {"default_groups": ["roads"], "validation_profiles": ["gemini2-3"]}
    assert "gone" in reason(changes["default_groups"])
    assert "fgdc" in reason(changes["validator_profiles"])


def test_templates_in_extras_are_filled_in_if_they_never_change() -> None:
    extras = {
        "from": "{harvest_source_title} at {harvest_source_url}",
        "job": "{harvest_job_id}",
        "braces": "a {b",
        "count": 3,
    }
    options, changes = translated("gemini-waf", {"default_extras": extras})
    filled = ["from=Roads at https://feed.example/waf", "braces=a {b", "count=3"]
    assert options == {"default_extras": filled}
    assert "job" in reason(changes["default_extras"])


@pytest.mark.parametrize("text", ["not JSON", "[1]", '"text"'])
def test_stock_options_outside_json_are_dropped(text: str) -> None:
    options, changes = translated("data_json", text)
    assert options == {}
    assert changes["config"].value == text
    assert "JSON" in reason(changes["config"])


def test_an_option_under_both_names_keeps_the_first() -> None:
    stored = {"validation": "off", "continue_on_validation_errors": True}
    assert translated("gemini-waf", stored)[0] == {"validation": "off"}


# What portals have, by the facts of their extensions, and what of it would be lost.
REAL = [
    ("gemini-waf", {"private_datasets": "True"}, {"visibility": "private"}, []),
    ("gemini-csw", {"private_datasets": False}, {"visibility": "public"}, []),
    (
        "data_json",
        {"private_datasets": "true", "filters": {"accessLevel": ["public"]}},
        {"visibility": "private", "filters": {"accessLevel": ["public"]}},
        [],
    ),
    ("data_json", {"filters": {"accessLevel": "public"}}, {}, ["filters"]),
    (
        "data_json",
        {"defaults": {"Author": "Roads team", "License": "uk-ogl", "Agency": "X"}},
        {"default_extras": ["author=Roads team", "license_id=uk-ogl", "Agency=X"]},
        [],
    ),
    (
        "gemini-csw",
        {"license": "cc-by", "default_extras": {"a": "b"}, "output_schema": "mdb"},
        {"default_extras": ["license_id=cc-by", "a=b"], "schema": "iso19115-3"},
        [],
    ),
    (
        "gemini-csw",
        {"output_schema": "http://www.isotc211.org/2005/gmd", "organization_mapping": {"a": "b"}},
        {"schema": "gmd", "organisations": {"a": "b"}},
        [],
    ),
    (
        "dcat_rdf",
        {"default_catalog_language": "de", "resources_required": True, "contributorID": "a"},
        {"language": "de"},
        ["resources_required"],
    ),
    (
        "dcat_rdf",
        {"excluded_license": "closed", "excluded_dataset_identifiers": ["1@a"]},
        {},
        ["excluded_license", "excluded_dataset_identifiers"],
    ),
    ("dcat_rdf", {"excluded_license": "", "excluded_dataset_identifiers": []}, {}, []),
    ("data_json", {"default_visibility": "private"}, {}, ["default_visibility"]),
    (
        "data_json",
        {"defaults": {"Private": True, "Author": "Roads team"}},
        {"default_extras": ["author=Roads team"]},
        ["defaults"],
    ),
    ("ckan", {"default_extras": {"private": "true"}}, {}, ["default_extras"]),
    ("data_json", {"defaults": {"private": "false"}}, {}, []),
    (
        "ckan",
        {"default_extras": {"public": "{harvest_job_id}", "a": "b"}},
        {"default_extras": ["a=b"]},
        ["default_extras"],
    ),
    ("ckan", {"parks_rules": {"is_private": True}}, {}, ["parks_rules"]),
    ("data_json", "filters: {accessLevel: [public]}", {}, ["config"]),
]


@pytest.mark.parametrize(("kind", "stored", "expected", "lost"), REAL)
def test_what_protects_is_translated_or_named_as_lost(
    kind: str, stored: Any, expected: dict[str, Any], lost: list[str]
) -> None:
    options, changes = translated(kind, stored)
    assert options == expected
    assert [name for name, change in changes.items() if change.is_opening] == lost


# By the facts of national and regional portals: type, option, value, and what it becomes: the name
# here, "named" if it is dropped with a reason, "refused" if the source then stays as it is, because
# datasets would become visible or records come in.
OF_PORTALS = [
    ("dcat_rdf", "excluded_dataset_identifiers", ["a"], "refused"),
    ("dcat_rdf", "excluded_license", "x", "refused"),
    ("dcat_rdf", "resources_required", True, "refused"),
    ("dcat_rdf", "contributorID", "u", "named"),
    ("dcat_rdf", "harvested_portal", "p", "named"),
    ("dcat_rdf", "priority", 3, "named"),
    ("dcat_rdf", "default_catalog_language", "de", "language"),
    ("gemini-csw", "rights", "x", "named"),
    ("gemini-csw", "legal_basis_url", "u", "named"),
    ("gemini-csw", "cql_query", "q", "refused"),
    ("gemini-csw", "private_datasets", "true", "visibility"),
    *(("gemini-csw", name, "x", "refused") for name in ("bbox", "constraint", "query", "limit")),
    ("gemini-csw", "license", "cc-by", "default_extras"),
    ("gemini-csw", "organization_mapping", {"a": "b"}, "organisations"),
    ("gemini-csw", "output_schema", "mdb", "schema"),
    ("gemini-csw", "validator_profiles", ["gemini2"], "validation_profiles"),
    ("ckan", "dcatapit_config", {"a": 1}, "named"),
    ("ckan", "remote_orgs", "create", "remote_orgs"),
    ("ckan", "tsm_schema", "x", "named"),
    ("ckan", "purge_missing", True, "named"),
    ("ckan", "max_datasets", 10, "refused"),
    ("ckan", "fq", "x:y", "fq"),
    ("ckan", "dataset_type", "d", "named"),
    ("ckan", "deletion_reason", "gone", "named"),
    ("ckan", "data_catalogue_source", "x", "named"),
    ("ckan", "clean_tags", True, "named"),
    ("ckan", "spatial_filter", "POLYGON", "refused"),
    ("ckan", "organization_mapping", {"a": "b"}, "organisations"),
    ("ckan", "license", "cc-by", "default_extras"),
    ("data_json", "private_datasets", "true", "visibility"),
    ("data_json", "filters", {"accessLevel": ["public"]}, "filters"),
    ("data_json", "defaults", {"Author": "A"}, "default_extras"),
    ("data_json", "default_groups", ["roads"], "default_groups"),
    ("data_json", "default_license", "x", "named"),
    ("data_json", "default_visibility", "private", "refused"),
    ("data_json", "default_data_owner", "x", "named"),
    ("data_json", "default_contact_point", "x", "named"),
    ("data_json", "full_metadata_url_pattern", "x", "named"),
    ("data_json", "organisation_mapping", [{"a": "b"}], "named"),
    ("data_json", "deletion_safeguard_threshold", 10, "named"),
    ("data_json", "collections", True, "named"),
]


@pytest.mark.parametrize(("kind", "name", "value", "becomes"), OF_PORTALS)
def test_options_of_real_portals_are_adopted_or_named(
    kind: str, name: str, value: Any, becomes: str
) -> None:
    (change,) = translated(kind, {name: value})[1].values()
    is_lost = becomes in ("named", "refused")
    assert change.new_name == ("" if is_lost else becomes)
    assert bool(reason(change)) is is_lost
    assert change.is_opening is (becomes == "refused")
