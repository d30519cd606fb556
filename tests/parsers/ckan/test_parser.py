"""Package dicts of CKAN 2.0 to 2.12, in all variants of real sites."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, ParseError, SkipRecord
from ckanext.ukharvest.core.records import (
    Agent,
    Period,
    RawRecord,
    RemoteGroup,
    ResourceTranslation,
    Translation,
)
from ckanext.ukharvest.parsers.ckan import parser as ckan
from tests.parsers.ckan.packages import A, B, codes, parsed


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


@pytest.mark.parametrize(
    ("more", "why"),
    [
        *(({"type": name}, "is not a dataset") for name in ("harvest", "showcase", "page")),
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


@pytest.mark.parametrize("title", ["", None, "  "])
def test_a_title_has_to_be_there(title: Any) -> None:
    with pytest.raises(ParseError, match="this record has no title; expected title"):
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
        ({"a": "id"}, "goes to 'id', which is not a field that can be filled"),
        ({"a": {"to": ""}}, "not a field that can be filled"),
        ({"a": {"to": "b", "values": ["x"]}}, "values is not an object"),
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
