"""Records selected by values that they have once they are parsed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from ckanext.ukharvest.core import options, record_filter
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, RawRecord, RemoteGroup
from ckanext.ukharvest.source_types.portals import DATA_JSON
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS

RECORD = DatasetRecord(
    "1",
    "Car parks",
    publisher=Agent("Somewhere Council"),
    licence=Licence("uk-ogl", "Open Government Licence"),
    tags=("parking", "roads"),
    themes=("Transport",),
    groups=(RemoteGroup(name="maps", title="Maps"),),
    modified="2024-05-01",
    extras={"resource-type": "dataset"},
)


def why(**given: Any) -> str:
    chosen = options.validate(given, record_filter.OPTIONS)
    return record_filter.why_unwanted(asdict(RECORD), chosen)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("organisation", "Somewhere Council"),
        ("group", "Maps"),
        ("keyword", "roads"),
        ("theme", "Transport"),
        ("licence", "Open Government Licence"),
        ("type", "dataset"),
        ("year", "2024"),
    ],
)
def test_each_field_includes_and_excludes(field: str, value: str) -> None:
    assert value in record_filter.values_of(asdict(RECORD), field)
    assert why(include_values=[f"{field}:{value.upper()}"]) == ""
    assert why(include_values=[f"{field}:another"]) != ""
    assert why(exclude_values=[f"{field}:{value}"]) != ""
    assert why(exclude_values=[f"{field}:another"]) == ""


def test_one_of_several_values_is_enough_but_of_each_field() -> None:
    assert why(include_values="keyword:bridges; keyword:roads; year:2024") == ""
    said = why(include_values="keyword:roads; year:2023")
    assert said == "its year is '2024'; include_values wants another"
    said = why(include_values="keyword:roads", exclude_values="keyword:parking")
    assert said == "its keyword is 'parking', which exclude_values leaves out"


@pytest.mark.parametrize("text", ["parking", "colour:red", "keyword:"])
def test_wrong_record_filter_is_refused_with_the_fields(text: str) -> None:
    with pytest.raises(ConfigError, match="expected field:value with one of the fields organis"):
        options.validate({"include_values": [text]}, record_filter.OPTIONS)


def test_a_source_type_skips_what_is_unwanted() -> None:
    content = '{"identifier": "a", "title": "A", "keyword": ["bridges"]}'
    given = options.validate(
        {"include_values": ["keyword:roads"]}, (*DATA_JSON.options, *COMMON_OPTIONS)
    )
    with pytest.raises(record_filter.Unwanted, match="dataset 'a': its keyword is 'bridges'"):
        DATA_JSON.parse(RawRecord("a", content), given)
