"""Search by place: four numbers, and ckanext-spatial's map if the portal has one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.search import place
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.forms import portal_with

pytestmark = pytest.mark.in_process

LEEDS, KENT = (-1.8, 53.7, -1.3, 53.9), (0.1, 51.0, 1.4, 51.4)


@pytest.fixture
def found_by_place(clean: None) -> Iterator[None]:
    with portal_with("", "spatial_metadata", "spatial_query"):
        for name, (west, south, east, north) in (("leeds", LEEDS), ("kent", KENT)):
            ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
            outline = json.dumps({"type": "Polygon", "coordinates": [ring]})
            extras = [{"key": "spatial", "value": outline}]
            factories.Dataset(name=name, title=f"Roads of {name}", extras=extras)
        yield


def box_params(west: Any, south: Any, east: Any, north: Any) -> dict[str, Any]:
    return {"ext_west": west, "ext_south": south, "ext_east": east, "ext_north": north}


def names(html: str) -> set[str]:
    return set(re.findall(r'href="/dataset/(leeds|kent)"', html))


@pytest.mark.parametrize(
    ("given", "box", "wrong"),
    [
        ({}, "", set()),
        (box_params("-2", "53", "-1", "54"), "-2,53,-1,54", set()),
        ({**box_params("1", "2", "3", "4"), "ext_bbox": "-2,53,-1,54"}, "-2,53,-1,54", set()),
        ({"ext_bbox": "-2.000001,53.39453125000001,0,540"}, "", {"north"}),
        ({"ext_bbox": "-20,53.39453125000001,0.5,60"}, "-20,53.3945,0.5,60", set()),
        ({"ext_bbox": "-2,here,0,54"}, "", {"south"}),
        (box_params("-2", "", "-1", "54"), "", {"south"}),
        (box_params("-2", "north", "-1", "154"), "", {"south", "north"}),
        (box_params("-2", "nan", "-1", "inf"), "", {"south", "north"}),
        (box_params("-2", "54", "-1", "53"), "", {"north"}),
        (box_params("-1", "53", "-2", "54"), "", {"east"}),
    ],
)
def test_a_place_in_numbers(
    app: CKANTestApp, given: dict[str, str], box: str, wrong: set[str]
) -> None:
    with app.flask_app.test_request_context():
        found = place.read(given)
    assert (found.box, set(found.errors)) == (box, wrong)


def test_datasets_are_found_by_place(found_by_place: None, app: CKANTestApp) -> None:
    assert names(app.get("/dataset/").body) == {"leeds", "kent"}
    assert names(app.get("/dataset/", query_string=box_params(-2, 53, -1, 54)).body) == {"leeds"}
    assert names(app.get("/dataset/", query_string={"ext_bbox": "0,51,1,52"}).body) == {"kent"}
    wrong = app.get("/dataset/", query_string=box_params(-2, 53, "x", 54)).body
    assert "Give degrees from -180 to 180" in wrong
    assert names(wrong) == {"leeds", "kent"}


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [-1.5, 53.8]},
        {"type": "LineString", "coordinates": [[-1.6, 53.8], [-1.4, 53.8]]},
    ],
)
def test_a_point_or_a_line_is_found_by_place(
    found_by_place: None, app: CKANTestApp, geometry: dict[str, Any]
) -> None:
    extras = [{"key": "spatial", "value": json.dumps(geometry)}]
    factories.Dataset(name="bridge", title="A bridge", extras=extras)
    link = 'href="/dataset/bridge"'
    assert link in app.get("/dataset/", query_string=box_params(-2, 53, -1, 54)).body
    assert link not in app.get("/dataset/", query_string=box_params(0, 51, 1, 52)).body


def test_without_a_search_by_place_there_are_no_fields(clean: None, app: CKANTestApp) -> None:
    assert "Search by place" not in app.get("/dataset/").body


def test_the_fields_in_a_browser(found_by_place: None, visitor: Visitor) -> None:
    looks.check(visitor, "place", "/dataset/?ext_west=-2&ext_south=53&ext_east=x&ext_north=54")
    page = visitor.page
    page.goto("/dataset/")
    page.fill("#dataset-search-form [name=q]", "roads")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=roads**")
    for side, number in (("West", -2), ("South", 53), ("East", -1), ("North", 54)):
        page.get_by_label(side).fill(str(number))
    page.get_by_role("button", name="Search here").click()
    page.wait_for_selector("text=1 dataset found")
    assert names(page.content()) == {"leeds"}
    assert "q=roads" in page.url
    page.get_by_role("link", name="Search everywhere").click()
    page.wait_for_selector("text=2 datasets found")
