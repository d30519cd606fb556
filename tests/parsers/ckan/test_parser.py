"""Package dicts of CKAN 2.0 to 2.12, in all variants of real sites."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, ParseError, SkipRecord
from ckanext.ukharvest.core.records import (
    Agent,
    DatasetRecord,
    Period,
    RawRecord,
    RemoteGroup,
    ResourceTranslation,
    Translation,
)
from ckanext.ukharvest.parsers.ckan import parser as ckan

URL = "https://data.example/dataset/bins"


def parsed(fields: dict[str, Any] | None = None, /, **more: Any) -> DatasetRecord:
    """Parse a small package with these fields; ``fields`` is the source's table."""
    package = {"id": "id-1", "name": "bins", "title": "Bins", "notes": "Where they are."}
    package |= {"license_id": "uk-ogl", "type": "dataset", "state": "active"} | more
    given = options.validate({"fields": fields or {}}, ckan.OPTIONS)
    return ckan.parse(RawRecord("id-1", json.dumps(package), url=URL), given)


def codes(record: DatasetRecord) -> list[str]:
    return [problem.code for problem in record.problems]


def test_a_package_becomes_a_dataset() -> None:
    record = parsed(
        url="https://council.example/bins",
        version="2",
        tags=[{"name": "waste", "state": "active"}, {"name": "old", "state": "deleted"}],
        maintainer="A. Person",
        maintainer_email="a@council.example",
        author="An author",
        metadata_modified="2024-05-01T10:00:00.123456",
        organization={"id": "o-1", "name": "a-council", "title": "A Council"},
        groups=[{"id": "g-1", "name": "env", "display_name": "Environment"}],
    )
    assert (record.guid, record.title, record.name) == ("id-1", "Bins", "bins")
    assert (record.notes, record.version) == ("Where they are.", "2")
    assert record.tags == ("waste",)
    assert record.contact == Agent("A. Person", "a@council.example")
    assert record.author == Agent("An author")
    assert record.publisher == Agent("A Council")
    assert record.organisation == RemoteGroup("o-1", "a-council", "A Council")
    assert record.groups == (RemoteGroup("g-1", "env", "Environment"),)
    assert record.licence is not None
    assert record.licence.id == "uk-ogl"
    assert record.metadata_modified.startswith("2024-05-01T10:00:00")
    assert record.problems == ()


@pytest.mark.parametrize(
    "extras",
    [
        [{"key": "colour", "value": "green"}, {"key": "gone", "value": "x", "state": "deleted"}],
        {"colour": "green"},
        {"0": {"key": "colour", "value": "green"}},
        [{"key": "colour", "value": '"green"'}],
    ],
)
def test_extras_are_read_in_every_form(extras: Any) -> None:
    assert parsed(extras=extras).extras == {"colour": "green"}


def test_unknown_fields_and_extras_are_kept_as_text() -> None:
    record = parsed(
        depth=7,
        places=["a", "b"],
        one=["a"],
        nothing=None,
        empty=[],
        extras=[{"key": "more", "value": {"a": 1}}],
    )
    assert record.extras == {"depth": "7", "places": '["a","b"]', "one": "a", "more": '{"a":1}'}


@pytest.mark.parametrize("tags", [["waste", "bins"], [{"name": "waste"}, {"name": "bins"}]])
def test_tags_are_names_or_objects(tags: Any) -> None:
    assert parsed(tags=tags).tags == ("waste", "bins")


def test_extras_of_uk_publishers_are_understood() -> None:
    record = parsed(
        extras={
            "Service type URI": "http://id.esd.org.uk/service/580",
            "contact-name": "Waste team",
            "contact-email": "waste@council.example",
            "temporal_coverage-from": ["2015/01"],
            "temporal_coverage-to": "2016",
            "frequency-of-update": "annual",
            "theme-primary": "environment",
            "foi-email": "foi@council.example",
            "mandate": '["http://www.legislation.gov.uk/x"]',
        },
        maintainer="A. Person",
    )
    assert record.extras == {
        "la_service": "http://id.esd.org.uk/service/580",
        "foi-email": "foi@council.example",
        "mandate": '["http://www.legislation.gov.uk/x"]',
        "original_maintainer": "A. Person",
    }
    assert record.contact == Agent("Waste team", "waste@council.example")
    assert record.temporal == Period("2015-01", "2016")
    assert record.frequency
    assert record.themes == ("environment",)


def test_a_maintainer_who_is_the_contact_is_not_kept_twice() -> None:
    record = parsed(
        extras={"contact-name": "Waste team", "contact-email": "waste@council.example"},
        maintainer="Waste team",
        maintainer_email="waste@council.example",
    )
    assert record.contact == Agent("Waste team", "waste@council.example")
    assert record.extras == {}


def test_remote_harvest_guid_is_kept_as_original_guid() -> None:
    record = parsed(extras={"guid": "g-1", "import_source": "harvest", "harvest_object_id": "x"})
    assert record.extras == {"original_guid": "g-1"}


def test_values_that_are_not_understood_stay_and_are_reported() -> None:
    record = parsed(
        extras={"update_frequency": "when the moon is full", "data_issued": "some day"},
        tags=["x"],
        license_id="our-own",
        license_title="Our own licence",
    )
    assert record.extras["update_frequency"] == "when the moon is full"
    assert record.extras["data_issued"] == "some day"
    assert record.extras["original_license_id"] == "our-own"
    assert record.licence is not None
    assert record.licence.title == "Our own licence"
    assert {"bad-frequency", "bad-date", "bad-tag", "unknown-licence"} == set(codes(record))


def test_the_box_of_gemini_datasets_is_a_geometry() -> None:
    sides = {"west-long": "-3", "south-lat": "50", "east-long": "1", "north-lat": "53"}
    record = parsed(extras={f"bbox-{name}": side for name, side in sides.items()})
    assert record.spatial is not None
    assert record.spatial["type"] == "Polygon"
    assert record.extras["bbox-west-long"] == "-3"


def test_resources_keep_their_ids_and_further_fields() -> None:
    files = [
        {
            "id": "r-1",
            "url": "https://council.example/bins.csv",
            "name": "Bins",
            "format": "csv",
            "size": "120",
            "resource_type": "file.upload",
            "created": "2024-01-02T03:04:05.1",
            "date": "2024/01",
            "hash": "abc",
            "position": 0,
            "package_id": "id-1",
        },
        {"id": "r-2", "url": "https://council.example/about", "resource_type": "documentation"},
        {"id": "r-3", "url": "/dataset/bins/resource/r-3/download/x.csv"},
        {"id": "r-4", "url": "https://council.example/old.csv", "state": "deleted"},
        {"id": "r-5", "name": "Nowhere"},
        {"id": "r-6", "url": "javascript:alert(1)"},
    ]
    record = parsed(resources=files)
    first, second, third = record.resources
    assert (first.id, first.format, first.size, first.kind) == ("r-1", "CSV", 120, "data")
    assert first.extras == {"hash": "abc", "resource_type": "file"}
    assert first.temporal == Period("2024-01")
    assert second.kind == "documentation"
    assert third.url == "https://data.example/dataset/bins/resource/r-3/download/x.csv"
    assert codes(record) == ["relative-url", "missing-url", "bad-url"]


def test_too_many_resources_are_cut_and_reported() -> None:
    given = options.validate({"max_resources": 2}, ckan.OPTIONS)
    files = [{"url": f"https://council.example/{n}.csv"} for n in range(3)]
    package = {"title": "Bins", "resources": files}
    record = ckan.parse(RawRecord("id-1", json.dumps(package)), given)
    assert len(record.resources) == 2
    assert "too-many-resources" in codes(record)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        *(({"type": name}, "is no dataset") for name in ("harvest", "showcase", "page")),
        ({"extras": {"dgu_harvest_me": "False"}}, "dgu_harvest_me"),
        ({"dgu_harvest_me": False}, "dgu_harvest_me"),
        ({"private": True}, "private"),
        ({"state": "deleted"}, "its state is deleted"),
    ],
)
def test_ckan_package_is_skipped_with_a_reason(more: dict[str, Any], why: str) -> None:
    with pytest.raises(SkipRecord, match=why):
        parsed(**more)


@pytest.mark.parametrize("chosen", [{"left_out_types": []}, {"types_filter_include": ["showcase"]}])
def test_showcases_are_datasets_where_the_options_say_so(chosen: dict[str, Any]) -> None:
    package = {"title": "An app", "type": "showcase"}
    assert ckan.parse(RawRecord("id-1", json.dumps(package)), chosen).title == "An app"


def test_dgu_harvest_me_may_say_yes() -> None:
    assert parsed(extras={"dgu_harvest_me": "true"}).extras == {}


def test_the_licence_has_the_version_that_the_record_had() -> None:
    """CKAN writes its register's URL of the id beside the extra of a harvested dataset."""
    ogl = "http://www.nationalarchives.gov.uk/doc/open-government-licence"
    record = parsed(license_url=f"{ogl}/version/3/", extras={"license_url": f"{ogl}/version/2/"})
    assert record.licence is not None
    assert (record.licence.id, record.licence.url) == ("uk-ogl", f"{ogl}/version/2/")


@pytest.mark.parametrize("title", ["", None, "  "])
def test_a_title_has_to_be_there(title: Any) -> None:
    with pytest.raises(ParseError, match="dataset 'id-1': title is missing"):
        parsed(title=title)


def test_a_missing_description_and_licence_are_reported() -> None:
    record = parsed(notes=None, license_id="")
    assert [(each.code, each.field) for each in record.problems] == [
        ("missing-field", "notes"),
        ("missing-field", "license_id"),
    ]
    assert record.title == "Bins"


def test_a_table_renames_drops_and_maps_values() -> None:
    record = parsed(
        {
            "how_often": {"to": "update_frequency", "values": {"Jährlich": "annual"}},
            "secret": None,
            "gone": {"drop": True},
            "who": "contact-name",
            "colour": {"values": {"red": "rot"}},
            "rights": {"default": "Ask us."},
            "frequency": "raw_frequency",
            "resources.kind_of": {"to": "resource_type", "values": {"web service": "api"}},
        },
        extras={
            "how_often": "jährlich",
            "secret": "x",
            "gone": "y",
            "who": "Waste team",
            "colour": "red",
            "frequency": "monthly",
        },
        resources=[{"url": "https://council.example/wms", "kind_of": "Web service"}],
    )
    assert record.frequency == parsed(extras={"update_frequency": "annual"}).frequency
    assert record.contact == Agent("Waste team")
    assert record.rights == "Ask us."
    assert record.extras == {"colour": "rot", "raw_frequency": "monthly"}
    assert record.resources[0].kind == "service"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"a": 7}, "'a' has 7; expected our field's name"),
        ({"a": {"too": "b"}}, "expected our field's name"),
        ({"a": "id"}, "goes to 'id', which is no field to fill"),
        ({"a": {"to": ""}}, "no field to fill"),
        ({"a": {"to": "b", "values": ["x"]}}, "values is no object"),
    ],
)
def test_a_wrong_table_is_refused_in_words(table: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why) as caught:
        options.validate({"fields": table}, ckan.OPTIONS)
    assert caught.value.field == "fields"


@pytest.mark.parametrize(
    "odd",
    [
        {"extras": 7},
        {"extras": [7, {"key": None}, {"value": "x"}]},
        {"tags": {"a": "b"}},
        {"tags": 7},
        {"resources": {"a": 7}},
        {"resources": [None, 7, [], "x"]},
        {"organization": "a-council", "groups": "env"},
        {"organization": 7, "groups": [7, None]},
        {"spatial": "{"},
        {"schema": {"a": "b"}, "language": [{}], "url": ["x"], "license_id": {"a": 1}},
        {"notes": {"en": "x"}, "name": 7, "version": []},
    ],
)
def test_odd_shapes_lose_no_record(odd: dict[str, Any]) -> None:
    assert parsed(**odd).title == "Bins"


FUNCTION, SERVICE = "http://id.esd.org.uk/function/40", "http://id.esd.org.uk/service/579"


NAMES = {
    **dict.fromkeys(("la_function", "la-function", "LA Function", "lga_functions"), "40"),
    **dict.fromkeys(("la_functions", "Function type URI", "local authority function"), "40"),
    **dict.fromkeys(("la_service", "la-service", "LA Service", "lga_services"), "Public toilets"),
    **dict.fromkeys(("la_services", "Service type URI", "service_type_uri"), "Public toilets"),
    "Local Authority Service": "Public toilets",
}


@pytest.mark.parametrize(("name", "value"), NAMES.items())
def test_every_name_of_functions_and_services(name: str, value: str) -> None:
    expected = {"la_function": FUNCTION} if value == "40" else {"la_service": SERVICE}
    assert parsed(extras={name: value}).extras == expected


def test_a_field_that_is_there_already_is_not_replaced() -> None:
    record = parsed(la_service=SERVICE, extras={"Service type URI": "12", "LA-Service": "13"})
    assert record.extras == {"la_service": SERVICE, "Service type URI": "12", "LA-Service": "13"}
    kept = parsed({"LA Service": None}, extras={"LA Service": "12"})
    assert kept.extras == {}


def test_urls_tell_functions_and_services_from_themes() -> None:
    record = parsed(
        extras={
            "la_function": f"{SERVICE}, 9999",
            "la_service": [FUNCTION, "Bins and stuff"],
            "theme-primary": "Environment",
        }
    )
    assert record.extras == {
        "la_function": f"http://id.esd.org.uk/function/9999 {FUNCTION}",
        "la_service": SERVICE,
    }
    assert record.themes == ("Environment", "Bins and stuff")
    assert [(each.code, each.field) for each in record.problems] == [
        ("unknown-la-function", "la_function"),
        ("unknown-la-service", "la_service"),
    ]
    first, second = record.problems
    assert "'http://id.esd.org.uk/function/9999' is not in the LGA's list" in first.message
    assert "'Bins and stuff' is not in the LGA's list of services" in second.message


def test_many_unknown_identifiers_are_one_problem() -> None:
    numbers = " ".join(str(number) for number in range(5000, 7000))
    (problem,) = parsed(extras={"la_function": numbers}).problems
    assert "(and 1,999 more)" in problem.message


@pytest.mark.parametrize(
    ("fields", "themes"),
    [
        ({"theme-primary": "Environment"}, ("Environment",)),
        ({"theme-secondary": '["Health", "Society"]'}, ("Health", "Society")),
        ({"theme-secondary": "Health, Society"}, ("Health", "Society")),
        (
            {"theme": ["b"], "theme-secondary": ["Health"], "theme-primary": "Environment"},
            ("Environment", "Health", "b"),
        ),
        (
            {"Theme Primary": "Towns & Cities", "dcat_subject": '["a, b"]'},
            ("Towns & Cities", "a, b"),
        ),
    ],
)
def test_the_main_theme_comes_first(fields: dict[str, Any], themes: tuple[str, ...]) -> None:
    record = parsed(extras=fields)
    assert record.themes == themes
    assert record.extras == {}


A, B = "http://schemas.opendata.esd.org.uk/PublicToilets", "https://b.example/s.json"


@pytest.mark.parametrize(
    ("name", "value", "urls", "words"),
    [
        ("schema", A, (A,), ""),
        ("schema", f'["{A}", "{B}"]', (A, B), ""),
        ("schema", f"{A}, {B}", (A, B), ""),
        ("schema", [{"id": "1", "url": A, "title": "Toilets"}], (A,), ""),
        ("schema_multi", ["Public toilets"], (A,), ""),
        ("schema-vocabulary", "Public toilets", (A,), ""),
        ("schema", ["7a0f", B], (B,), "7a0f"),
        ("schema", "http://a.example/api/x/definition", (), "http://a.example/api/x/definition"),
    ],
)
def test_schemas_are_addresses(name: str, value: Any, urls: tuple[str, ...], words: str) -> None:
    record = parsed(extras={name: value})
    assert record.schema_urls == urls
    assert record.extras == ({"conforms_to": words} if words else {})


def test_code_lists_and_mandates_are_lists_of_addresses() -> None:
    record = parsed(
        extras={"codelist": f"{B} {A}", "Mandate": "www.legislation.gov.uk/ukpga/1936/49"}
    )
    assert record.extras == {
        "codelist": f'["{B}", "{A}"]',
        "mandate": '["https://www.legislation.gov.uk/ukpga/1936/49"]',
    }
    assert record.problems == ()


def test_a_mandate_in_words_is_kept_and_reported() -> None:
    record = parsed(mandate="Public Health Act 1936")
    assert record.extras == {"original_mandate": '["Public Health Act 1936"]'}
    (problem,) = record.problems
    assert (problem.code, problem.field) == ("bad-url", "mandate")
    assert "https://www.legislation.gov.uk/" in problem.message


@pytest.mark.parametrize(
    ("value", "extras", "found"),
    [
        (True, {"unpublished": "true"}, []),
        ("Yes", {"unpublished": "true"}, []),
        ("False", {}, []),
        ("soon", {"original_unpublished": "soon"}, ["unexpected-value"]),
    ],
)
def test_whether_the_data_is_published(
    value: Any, extras: dict[str, str], found: list[str]
) -> None:
    record = parsed(unpublished=value)
    assert record.extras == extras
    assert codes(record) == found


@pytest.mark.parametrize(
    ("fields", "url", "kind"),
    [
        ({"schema_url": A}, A, "csvlint"),
        ({"schema-url": A, "schema-type": "CSV Lint"}, A, "csvlint"),
        ({"Schema URL": A, "Schema type": "xsd"}, A, "xsd"),
        ({"schema_url": B}, B, "csvlint"),
        ({"schema_url": "https://b.example/s.XSD"}, "https://b.example/s.XSD", "xsd"),
        ({"schema_url": "https://b.example/about"}, "https://b.example/about", ""),
        ({"schema_url": "https://b.example/s.json", "format": "XLSX"}, B, ""),
        ({"schema_url": "Public toilets", "schema_type": "Table Schema"}, A, "tableschema"),
        ({"schema_url": f'["{A}"]'}, A, "csvlint"),
    ],
)
def test_a_files_schema(fields: dict[str, Any], url: str, kind: str) -> None:
    file = {"url": "https://b.example/x.csv", "format": "CSV", **fields}
    (resource,) = parsed(resources=[file]).resources
    assert resource.schema_url == url
    assert resource.extras == ({"schema_type": kind} if kind else {})


def test_a_sites_own_definition_of_a_file_is_no_schema() -> None:
    own = "http://datashare.council.example/api/council/organisation-chart/definition"
    file = {"url": "https://b.example/x.csv", "schema-url": own, "schema-type": "None"}
    (resource,) = parsed(resources=[file]).resources
    assert (resource.schema_url, resource.extras) == ("", {"described_by": own})


def test_a_files_schema_that_is_no_address_is_kept_and_reported() -> None:
    file = {"url": "https://b.example/x.csv", "schema_url": "our columns", "conforms_to": "X"}
    record = parsed(resources=[{**file, "schema_type": "csvlint"}])
    (resource,) = record.resources
    assert resource.schema_url == ""
    assert resource.extras == {"conforms_to": "X, our columns", "schema_type": "csvlint"}
    (problem,) = record.problems
    assert (problem.code, problem.field) == ("bad-url", "resources[0].schema_url")


@pytest.mark.parametrize(
    ("given", "expected"),
    [("INSPIRE", "INSPIRE, Bins 2"), ('["INSPIRE", "Bins 2"]', "INSPIRE, Bins 2"), ("", "Bins 2")],
)
def test_a_schema_in_words_comes_after_what_the_data_conforms_to(given: str, expected: str) -> None:
    record = parsed(schema="Bins 2", conforms_to=given)
    assert record.extras["conforms_to"] == expected
    file = {"url": "https://a.example/x.csv", "schema_url": "Bins 2", "conforms_to": given}
    (resource,) = parsed(resources=[file]).resources
    assert resource.extras["conforms_to"] == expected


def test_conforms_to_is_kept_unchanged() -> None:
    given = '["http://a.example/1", "INSPIRE"]'
    assert parsed(conforms_to=given).extras["conforms_to"] == given


def test_names_of_other_fields_are_without_control_characters() -> None:
    odd = {"a\x00b": "1", "\x00": "2", " c ": "3"}
    record = parsed(**odd, resources=[{"url": "https://a.example/b.csv", **odd}])
    assert record.extras == {"ab": "1", "c": "3"}
    assert record.resources[0].extras == {"ab": "1", "c": "3"}


def test_translations_are_read_as_ckanext_fluent_or_we_store_it() -> None:
    file = {"url": "https://a.uk/f.csv", "name_translated": {"cy": "Biniau", "en": "Bins"}}
    record = parsed(
        title_translated={"en": "Bins", "cy": "Biniau"},
        tags_translated={"en": ["waste"], "cy": ["gwastraff"], "fr": "no list"},
        resources=[file],
    )
    assert record.text_language == "en"
    assert record.translations == {
        "cy": Translation("Biniau", tags=("gwastraff",)),
        "en": Translation("Bins", tags=("waste",)),
    }
    assert record.resources[0].translations["cy"] == ResourceTranslation("Biniau")
    assert not [key for key in record.resources[0].extras if "translated" in key]
    # Our own extras do not repeat the title.
    record = parsed(extras=[{"key": "title_translated", "value": '{"cy": "Biniau"}'}])
    assert (record.text_language, record.translations) == ("", {"cy": Translation("Biniau")})
    assert "title_translated" not in record.extras
    assert not parsed(title_translated="no JSON", notes_translated={"en": 5}).translations


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"organization": {"id": "o", "name": "a", "title": "A"}}, RemoteGroup("o", "a", "A")),
        ({"organization": None, "owner_org": "o"}, RemoteGroup("o")),
        ({"Organization": {"name": "a"}}, RemoteGroup(name="a")),
        ({"extras": [{"key": "organization", "value": "a"}]}, RemoteGroup(name="a")),
        ({}, None),
    ],
    ids=["object", "owner", "case", "extra", "none"],
)
def test_the_organisation_alone_is_read_as_with_the_rest(
    fields: dict[str, Any], found: RemoteGroup | None
) -> None:
    raw = RawRecord("id-1", json.dumps({"id": "id-1", "title": "Bins", **fields}), url=URL)
    assert ckan.organisation(raw) == found
    assert ckan.parse(raw, {}).organisation == found
