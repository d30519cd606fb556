"""A dataset's resources in groups, and as a time series."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.rendering.inspire import groups


def resource(name: str, kind: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "resource_type": kind, **more}


def names(found: Any) -> list[str]:
    return [each["name"] for each in found]


def test_groups_of_resources_have_an_order_and_are_not_empty() -> None:
    found = groups(
        [
            resource("guide", "documentation"),
            resource("a"),
            resource("wms", format="WMS"),
            resource("api", "api"),
            resource("b", "file", format="WMS"),
        ]
    )
    assert [(each.heading, each.count, names(each.resources)) for each in found] == [
        ("Data", 2, ["a", "b"]),
        ("Services", 2, ["wms", "api"]),
        ("Documentation", 1, ["guide"]),
    ]
    assert groups([]) == []
    assert [each.heading for each in groups([resource("x", "metadata")])] == ["Documentation"]


def test_dated_data_is_a_time_series_newest_first() -> None:
    dates = ["2024-03", "31/12/2025", "2024-11-05", "", "03/2025", "2023", "no date"]
    [data] = groups([resource(date or "none", date=date) for date in dates])
    assert [(each.year, names(each.resources)) for each in data.years] == [
        (2025, ["31/12/2025", "03/2025"]),
        (2024, ["2024-11-05", "2024-03"]),
        (2023, ["2023"]),
    ]
    assert names(data.resources) == ["none", "no date"]
    assert data.count == len(dates)


@pytest.mark.parametrize("dates", [["2024"], ["2024", ""], ["12345678", "x"], [None, 5]])
def test_one_date_is_no_series(dates: list[Any]) -> None:
    [data] = groups([resource(str(date), date=date) for date in dates])
    assert not data.years
    assert data.count == len(dates)


def test_services_and_documentation_have_no_years() -> None:
    found = groups([resource(str(n), "documentation", date=str(n)) for n in (2024, 2025)])
    assert not found[0].years
