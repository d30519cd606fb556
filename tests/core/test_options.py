"""Options: values are converted, errors name the option."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate

DECLARED = (
    Option("mode", "text", "auto", "How.", choices=("auto", "none")),
    Option("limit", "integer", 10, "How many.", minimum=1),
    Option("strict", "boolean", False, "Whether."),
    Option("tags", "list", (), "Which."),
)
DEFAULTS = {"mode": "auto", "limit": 10, "strict": False, "tags": ()}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"mode": " none "}, {"mode": "none"}),
        ({"mode": "", "limit": None}, {}),
        ({"limit": "3"}, {"limit": 3}),
        ({"strict": "Yes"}, {"strict": True}),
        ({"strict": False}, {"strict": False}),
        ({"tags": "a, b c"}, {"tags": ("a", "b", "c")}),
        ({"tags": ["a b"]}, {"tags": ("a b",)}),
    ],
)
def test_options_are_converted(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert validate(given, DECLARED) == {**DEFAULTS, **expected}


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"mode": "maybe"}, "mode", "expected one of: auto, none"),
        ({"mode": 1}, "mode", "expected a text"),
        ({"limit": "many"}, "limit", "expected a whole number of 1 or more"),
        ({"limit": 0}, "limit", "expected a whole number of 1 or more"),
        ({"limit": True}, "limit", "expected a whole number"),
        ({"strict": "perhaps"}, "strict", "expected true or false"),
        ({"tags": [1]}, "tags", "expected a list of texts"),
        ({"limits": 1}, "limits", "did you mean limit?"),
        ({"unheard": 1}, "unheard", "expected one of: limit, mode, strict, tags"),
    ],
)
def test_a_wrong_option_is_named(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validate(given, DECLARED)
    assert caught.value.field == field
    assert message in caught.value.message


TABLE = Option("fields", "table", {}, "A table.", check=lambda found: "is odd" * ("odd" in found))


@pytest.mark.parametrize("value", [{"a": "b"}, '{"a": "b"}'])
def test_a_table_comes_as_an_object_or_as_its_text(value: object) -> None:
    assert validate({"fields": value}, [TABLE]) == {"fields": {"a": "b"}}


@pytest.mark.parametrize("value", ["a=b", "[1]", 7])
def test_table_option_refuses_other_values(value: object) -> None:
    with pytest.raises(ConfigError, match="fields: .* expected a JSON object"):
        validate({"fields": value}, [TABLE])


def test_an_option_is_known_by_its_earlier_name() -> None:
    declared = [Option("skip_party", "text", "", "Whom to leave out.", alias="skip-party")]
    assert validate({"skip-party": "Them"}, declared) == {"skip_party": "Them"}
    with pytest.raises(ConfigError, match="skip_party"):
        validate({"skip-party": ["Them"]}, declared)


def test_an_option_may_check_its_value() -> None:
    with pytest.raises(ConfigError, match="fields: is odd") as caught:
        validate({"fields": {"odd": 1}}, [TABLE])
    assert caught.value.field == "fields"


@pytest.mark.parametrize(
    "text", ["dataset;series", "dataset, series", "dataset series", "dataset ; series"]
)
def test_a_list_as_text_is_split_at_each_usual_sign(text: str) -> None:
    declared = [Option("types", "list", (), "Types.")]
    assert validate({"types": text}, declared)["types"] == ("dataset", "series")


def test_lists_are_read_as_ckanext_harvest_wrote_them() -> None:
    declared = [Option("tags", "list", (), "Tags."), Option("extras", "list", (), "Extras.")]
    given = {"tags": [{"name": "two words"}, "x"], "extras": {"a": "1", "b": "2"}}
    found = validate(given, declared)
    assert found == {"tags": ("two words", "x"), "extras": ("a=1", "b=2")}
