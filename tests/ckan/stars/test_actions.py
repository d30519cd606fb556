"""Figures of stars by organisation, and the datasets behind them."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import call_action

pytestmark = pytest.mark.in_process


def report(**more: Any) -> dict[str, Any]:
    model.Session.remove()
    return dict(call_action("ukharvest_stars_list", group_by="organization", **more))


def test_of_one_organisation(councils: dict[str, str]) -> None:
    found = report(organization="a-council")
    [figures] = found["organizations"]
    assert (figures["name"], figures["title"], figures["datasets"]) == (
        "a-council",
        " =A council",
        5,
    )
    assert figures["stars"] == [2, 1, 0, 2, 0, 0]
    assert (figures["average"], figures["not_rated"]) == (1.4, 0)
    assert [(each["datasets"], each["stars"], each["text"]) for each in figures["reasons"]] == [
        (2, 3, "Structured data in an open format (CSV)"),
        (1, 0, "Licence that is not open. Choose an open one if you can"),
        (1, 1, "Unstructured data (PDF)"),
        (1, 0, "No licence. Choose one, such as the Open Government Licence"),
    ]
    assert found["total"]["stars"] == figures["stars"]
    with pytest.raises(tk.ObjectNotFound):
        report(organization="nobody")
    listed = call_action("ukharvest_stars_list", organization="b-council")
    assert listed["count"] == 2
    assert [(each["name"], each["stars"], each["code"]) for each in listed["results"]] == [
        ("b-council-1", 0, "not-data"),
        ("b-council-0", 4, "format"),
    ]
    assert listed["results"][1]["text"] == "4 out of 5: Linkable data, with URLs for things (TTL)"
    few = call_action("ukharvest_stars_list", organization="a-council", stars=3, limit=1, offset=1)
    assert (few["count"], [each["name"] for each in few["results"]]) == (2, ["a-council-1"])
    beyond = call_action("ukharvest_stars_list", organization="a-council", offset=10**9)
    assert beyond == {"count": 5, "results": []}
    with pytest.raises(tk.ValidationError):  # PostgreSQL has no such number
        call_action("ukharvest_stars_list", organization="a-council", offset=10**30)
    with pytest.raises(tk.ObjectNotFound):
        report(organization={"name": "a-council"})
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_stars_list", organization="")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_stars_list", organization="a-council", stars="many")
