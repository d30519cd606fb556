"""The type, URL and configuration that the form of a source sends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import source_types
from ckanext.ukharvest.sources.form_values import (
    SentSource,
    parse_form,
    table_row,
    value_of,
    without_field,
)

CSW = {"source_type": "gemini-csw", "url": " https://geo.example/csw ", "options_of": "gemini-csw"}


def sent(fields: dict[str, Any], **more: Any) -> SentSource:
    form: MultiDict[str, str] = MultiDict()
    for name, value in fields.items():
        form.setlist(name, value if isinstance(value, list) else [value])
    return parse_form(form, **more)


def config_of(fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = sent(fields, **more)
    assert found.errors == {}
    return dict(json.loads(found.config or "{}"))


def test_a_form_without_options_stores_none() -> None:
    assert sent(CSW) == SentSource("gemini-csw", "https://geo.example/csw", "", {})


def test_each_kind_of_option_is_read_and_defaults_are_not_stored() -> None:
    own = {
        "cql": " apiso:Subject = 'Hydrography' ",
        "full_check_days": "20",
        "validation": "report",
        "rules_action": "keep",
        "rules_field": "types",
        "rules_values": "dataset\r\n\r\n series \r\n",
        "validation_profiles": ["gemini2-3", "table-a1"],
    }
    fields = {f"option_gemini-csw_{name}": value for name, value in own.items()}
    assert config_of({**CSW, **fields}) == {
        "cql": "apiso:Subject = 'Hydrography'",
        "full_check_days": 20,
        "types": ["dataset", "series"],
        "validation_profiles": ["gemini2-3", "table-a1"],
    }


FILTER = (
    '<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc">\n  <ogc:PropertyIsNull>'
    "<ogc:PropertyName>dc:title</ogc:PropertyName></ogc:PropertyIsNull>\n</ogc:Filter>"
)


def test_a_text_of_several_lines_is_kept_as_a_program_sends_it() -> None:
    kind = {"source_type": "sparql", "url": "https://a.example/sparql", "options_of": "sparql"}
    query = "SELECT ?dataset WHERE {\n  ?dataset a <https://a.example/Set>\n}"
    fields = {"option_sparql_query": query.replace("\n", "\r\n")}
    assert config_of({**kind, **fields}) == {"query": query}


def test_options_that_exclude_each_other_are_reported_at_one() -> None:
    fields = {"config": json.dumps({"filter": FILTER}), "option_gemini-csw_cql": "a = 1"}
    assert sent({**CSW, **fields}).errors == {
        "config": ["filter: cannot be set together with cql; expected one of them"]
    }


def test_options_of_another_type_are_not_read() -> None:
    fields = {"option_gemini-waf_depth": "3", "options_of": ["gemini-csw", "gemini-waf"]}
    assert config_of({**CSW, **fields}) == {}


def test_a_box_that_is_not_ticked_takes_the_option_away() -> None:
    kind = {"source_type": "dkan", "url": "https://a.example", "options_of": "dkan"}
    ticked = config_of({**kind, "option_dkan_include_non_public": "true"})
    assert ticked == {"include_non_public": True}
    assert config_of(kind, config=json.dumps(ticked)) == {}
    # A request without the fields, such as a program's, leaves them unchanged.
    without = {**kind, "options_of": "common"}
    assert config_of(without, config=json.dumps(ticked)) == ticked


def test_wrong_value_is_reported_beside_its_field() -> None:
    found = sent({**CSW, "option_gemini-csw_full_check_days": "many"})
    assert found.errors == {
        "option_gemini-csw_full_check_days": [
            "'many' is not allowed; expected a whole number of 0 or more"
        ]
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"page_size": "many"}', "page_size: 'many' is not allowed; expected a whole number of"),
        ('{"clq": 1}', "clq is not an option of this source type; did you mean cql?"),
        ('{"skip-responsible-party": "x"}', "skip-responsible-party: this option has a field"),
        ('{"cql": "b"}', "cql: this option has a field; change it there"),
    ],
)
def test_options_written_as_json_are_checked_like_fields(text: str, message: str) -> None:
    found = sent({**CSW, "option_gemini-csw_cql": "a", "config": text}, sysadmin=True)
    assert message in found.errors["config"][0]


def test_options_without_a_form_field_are_kept() -> None:
    config = '{"clean_tags": true,  "fq": "a", "api_version": "any", "full_check_days": 3}'
    form = {"source_type": "ckan", "url": "https://a.example", "options_of": "ckan"}
    days = "option_ckan_full_check_days"
    assert sent({**form, days: "3"}, config=config).config == config  # each blank
    changed = config_of({**form, days: "5"}, config=config)
    assert changed == {"clean_tags": True, "fq": "a", "api_version": "any", "full_check_days": 5}


def test_unknown_options_are_reported_and_kept() -> None:
    found = sent({**CSW, "options_of": "common"}, config='{"clq": 1}')
    assert json.loads(found.config) == {"clq": 1}
    assert "did you mean cql?" in found.errors["config"][0]


def test_the_box_of_further_options_holds_those_without_a_field() -> None:
    config = json.dumps({"cql": "a", "unknown_key": 1, "default_groups": ["x"]})
    assert json.loads(without_field(config, source_types.GEMINI_CSW, sysadmin=True)) == {
        "unknown_key": 1
    }
    fields = {**CSW, "option_gemini-csw_cql": "a", "config": '{"other": 2}'}
    found = sent(fields, config=config, sysadmin=True)
    assert json.loads(found.config) == {"cql": "a", "default_groups": ["x"], "other": 2}


def test_options_without_effect_are_kept_and_not_shown() -> None:
    config = '{"api_version": 3, "read_only": true}'
    assert without_field(config, source_types.CKAN, sysadmin=True) == ""
    fields = {"source_type": "ckan", "url": "https://a.example", "options_of": "ckan"}
    found = sent({**fields, "option_ckan_full_check_days": "7", "config": ""}, config=config)
    assert (found.config, found.errors) == (config, {})


def test_a_program_sends_the_configuration_as_a_whole() -> None:
    fields = {"source_type": "ckan", "url": "https://a.example", "config": '{"rows": 5}'}
    assert config_of(fields, config='{"force_all": true}') == {"rows": 5}


@pytest.mark.parametrize("text", ["{", "[1]", '"a"'])
def test_a_configuration_that_is_no_object_reaches_its_own_check(text: str) -> None:
    assert sent({**CSW, "config": text}).config == text


def test_only_sysadmins_reach_beyond_the_organisation() -> None:
    fields = {**CSW, "options_of": "common", "option_common_default_groups": "roads"}
    assert config_of(fields) == {}
    assert config_of(fields, sysadmin=True) == {"default_groups": ["roads"]}
    assert config_of({**CSW, "options_of": "common"}, config='{"default_groups": ["a"]}') == {
        "default_groups": ["a"]
    }


def test_earlier_harvesters_names_stay_until_the_value_changes() -> None:
    config = '{"continue_on_validation_errors": false}'
    name = "option_gemini-csw_validation"
    assert config_of({**CSW, name: "reject"}, config=config) == json.loads(config)
    assert config_of({**CSW, name: "off"}, config=config) == {"validation": "off"}
    assert config_of({**CSW, name: "report"}, config=config) == {}


def test_a_list_with_blanks_in_its_items_needs_no_quotes() -> None:
    fields = {**CSW, "options_of": "common", "option_common_default_extras": "a=b c\nd=e, f"}
    assert config_of(fields) == {"default_extras": ["a=b c", "d=e, f"]}


def test_tags_as_the_older_harvester_has_them_are_no_change() -> None:
    config = '{"default_tags": [{"name": "geo"}]}'
    fields = {**CSW, "options_of": "common", "option_common_default_tags": "geo"}
    assert sent(fields, config=config).config == config


RULES = {
    "theme": "theme-primary",
    "internal_notes": None,
    "freq": {"to": "update_frequency", "values": {"yearly": "annual"}, "default": "never"},
    "odd": {"to": "x", "default": ["a", "b"]},
}


def rows(names: list[str], **changed: dict[str, str]) -> dict[str, Any]:
    found = [{**table_row(name, RULES.get(name)), **changed.get(name, {})} for name in names]
    found.append(dict.fromkeys(("from", "to", "default", "values"), ""))
    columns = {part: [row[part] for row in found] for part in found[0]}
    return {f"option_ckan_fields_{part}": cells for part, cells in columns.items()}


def test_fields_are_translated_without_writing_json() -> None:
    form = {"source_type": "ckan", "url": "https://a.example", "options_of": "ckan"}
    config = json.dumps({"fields": RULES})
    assert sent({**form, **rows(list(RULES))}, config=config).config == config
    fewer = rows(["theme", "freq"], freq={"values": "yearly = annual\r\nodd=other"})
    assert config_of({**form, **fewer}, config=config)["fields"] == {
        "theme": "theme-primary",
        "freq": {
            "to": "update_frequency",
            "values": {"yearly": "annual", "odd": "other"},
            "default": "never",
        },
    }
    assert config_of({**form, **rows([])}, config=config) == {}
    new = rows(["dropped", "kept"], kept={"to": "notes"})
    assert config_of({**form, **new}) == {"fields": {"dropped": None, "kept": "notes"}}


def test_mapping_to_unknown_field_is_reported() -> None:
    form = {"source_type": "ckan", "url": "https://a.example", "options_of": "ckan"}
    found = sent({**form, **rows(["a"], a={"to": "id"})})
    assert list(found.errors) == ["option_ckan_fields"]


def test_unconvertible_value_is_shown_unchanged() -> None:
    option = next(each for each in source_types.GEMINI_CSW.options if each.name == "page_size")
    assert value_of(option, {"page_size": "many"}) == "many"
    assert value_of(option, {"page_size": "7"}) == 7
