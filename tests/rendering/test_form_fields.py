"""Fields as parts of a form: options, their groups, and current values."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.fields import FIELDS
from ckanext.ukharvest.rendering import form_fields
from ckanext.ukharvest.rendering.form_fields import Option, Part

F40, S579 = "http://id.esd.org.uk/function/40", "http://id.esd.org.uk/service/579"
SPEND = "http://schemas.opendata.esd.org.uk/Spend"
STRANGE = "http://id.esd.org.uk/function/99999"


def part(key: str, value: Any = None) -> Part:
    (field,) = [field for field in FIELDS if field.key == key]
    return form_fields.build_part(field, value, lambda words: words)


def chosen(found: Part) -> list[str]:
    return [each.value for _label, options in found.groups for each in options if each.is_chosen]


def test_functions_are_listed_under_top_functions() -> None:
    groups = dict(part("la_function").groups)
    assert len(groups) == 13
    assert groups["Environmental protection"][0].text == "Environmental protection (30)"
    assert Option(F40, "Street care and cleaning (40)") in groups["Environmental protection"]
    assert sum(map(len, groups.values())) == 113


def test_services_are_listed_under_their_functions() -> None:
    groups = dict(part("la_service").groups)
    path = "Environmental protection › Street care and cleaning"
    assert Option(S579, "Public toilets (579)") in groups[path]
    assert sum(map(len, groups.values())) == 1127


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("la_function", f"{F40} {STRANGE}", [STRANGE, F40]),
        ("la_function", f"https://id.esd.org.uk/function/40/, {STRANGE}", [STRANGE, F40]),
        ("la_function", ["", F40], [F40]),
        ("la_function", "bins", ["bins"]),
        ("la_service", "579", [S579]),
        ("theme-primary", "environment", ["Environment"]),
        ("theme-primary", "Bins", ["Bins"]),
        ("theme-primary", "", []),
        ("theme-secondary", '["Health", "Towns"]', ["Health", "Towns"]),
        ("theme-secondary", ["", "Health"], ["Health"]),
        ("update_frequency", "monthly", ["R/P1M"]),
        ("update_frequency", "R/P9M", ["R/P9M"]),
        ("update_frequency", "when I like", ["when I like"]),
    ],
)
def test_stored_and_sent_values_are_selected(key: str, value: Any, found: list[str]) -> None:
    assert chosen(part(key, value)) == found


def test_values_that_are_in_no_list_are_marked() -> None:
    label, options = part("la_function", STRANGE).groups[0]
    assert label == "not in the list"
    assert options == (Option(STRANGE, f"{STRANGE} (not in the list)", True),)


def test_several_can_be_chosen_where_several_are_stored() -> None:
    several = [field.key for field in FIELDS if part(field.key).is_multiple]
    assert several == ["theme-secondary", "la_function", "la_service"]


def test_urls_are_rows_with_empty_rows_behind_them() -> None:
    found = part("schema", f'["{SPEND}", "https://a.example/x"]')
    assert found.values == (SPEND, "https://a.example/x", "", "")
    ((_label, options),) = found.groups
    assert Option(SPEND, "Expenditure exceeding £500") in options
    assert part("mandate", ["https://a.example/x", "", "no address"]).values == (
        *("https://a.example/x", "no address"),
        *("", ""),
    )
    assert part("mandate").groups == ()


def test_a_box_is_ticked_by_any_yes() -> None:
    assert part("unpublished", "Yes").values == ("Yes",)
    assert part("unpublished", ["", "true"]).values == ("true",)
    assert part("unpublished", "perhaps").values == part("unpublished").values == ()


def test_an_input_suggests_kinds_of_schemas() -> None:
    ((_label, options),) = part("schema_type", "csvlint").groups
    assert "tableschema" in [each.value for each in options]
    assert part("schema_type", "csvlint").values == ("csvlint",)
    assert part("temporal_coverage-from", "2019-04").values == ("2019-04",)
