"""Search by place: names, four numbers, and ckanext-spatial's map if the portal has one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html
from playwright.sync_api import expect

from ckanext.ukharvest.datasets import search
from tests.ckan import looks
from tests.ckan.browser import Visitor, late_answer
from tests.ckan.catalogues import catalogue
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, tick
from tests.publisher import Publisher

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


def names(page: str) -> set[str]:
    return set(re.findall(r'href="/dataset/(leeds|kent|bridge|none)"', page))


@pytest.mark.parametrize(
    ("given", "box"),
    [
        ({}, ""),
        ({"ext_place": "Leeds"}, "-1.779,53.701,-1.304,53.945"),
        ({"ext_place": "LS1 4AP"}, "-1.565,53.792,-1.539,53.805"),
        ({"ext_place": "Leeds", "ext_bbox": "-2,53,-1,54"}, "-2,53,-1,54"),
        (box_params("-2", "53", "-1", "54"), "-2,53,-1,54"),
        ({**box_params("1", "2", "3", "4"), "ext_bbox": "-2,53,-1,54"}, "-2,53,-1,54"),
        ({"ext_bbox": "-20,53.39453125000001,0.5,60"}, "-20,53.3945,0.5,60"),
    ],
)
def test_box_of_a_search(app: CKANTestApp, given: dict[str, str], box: str) -> None:
    with app.flask_app.test_request_context():
        read = search.read_place(given)
    assert (read.box, read.error) == (box, "")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"ext_bbox": "-2.000001,53.39453125000001,0,540"}, "must be four numbers"),
        ({"ext_bbox": "-2,here,0,54"}, "must be four numbers"),
        ({"ext_bbox": "-2,0,54"}, "must be four numbers"),
        (box_params("-2", "", "-1", "54"), "must be four numbers"),
        (box_params("-2", "nan", "-1", "inf"), "must be four numbers"),
        (box_params("-2", "54", "-1", "53"), "must be four numbers"),
        (box_params("-1", "53", "-2", "54"), "must be four numbers"),
        ({"ext_place": "Atlantis"}, "We know no place called Atlantis."),
        ({"ext_place": "Newport"}, "Several places are called Newport."),
    ],
)
def test_place_that_cannot_be_searched(app: CKANTestApp, given: dict[str, str], error: str) -> None:
    with app.flask_app.test_request_context():
        read = search.read_place(given)
    assert read.box == ""
    assert error in read.error


def test_datasets_are_found_by_place(found_by_place: None, app: CKANTestApp) -> None:
    def found(**parameters: Any) -> set[str]:
        return names(app.get("/dataset/", query_string=parameters).body)

    assert found() == {"leeds", "kent"}
    assert found(ext_place="Leeds") == found(ext_place="LS1 4AP") == {"leeds"}
    assert found(ext_place="Kent", q="roads") == {"kent"}
    assert found(**box_params(-2, 53, -1, 54)) == {"leeds"}
    assert found(ext_bbox="0,51,1,52") == {"kent"}
    assert found(**box_params(-2, 53, "x", 54)) == {"leeds", "kent"}


def test_results_near_a_place_are_on_a_map(found_by_place: None, app: CKANTestApp) -> None:
    council = factories.Organization(name="council", image_url="")
    factories.Dataset(name="none", title="<i>None</i>", owner_org=council["id"])
    act("organization_patch", id="council", ukharvest_organization_area="Leeds")
    tick()

    def drawn(**parameters: Any) -> list[str]:
        page = html.fromstring(app.get("/dataset/", query_string=parameters).body)
        return [title.text for title in page.xpath("//figure//g/title")]

    assert sorted(drawn(ext_place="Leeds")) == ["<i>None</i>", "Roads of leeds"]
    assert drawn(ext_bbox="0,51,1,52") == ["Roads of kent"]
    assert drawn() == drawn(ext_place="Bristol") == drawn(ext_place="Newport") == []


def test_place_without_datasets_is_named(found_by_place: None, app: CKANTestApp) -> None:
    body = app.get("/dataset/", query_string={"ext_place": "Bristol", "q": "roads"}).body
    page = html.fromstring(body)
    (way_out,) = page.xpath("//a[normalize-space()='Search everywhere']")
    assert way_out.getparent().text.strip() == "No datasets near or in Bristol."
    assert way_out.get("href") == "/dataset/?q=roads"
    assert "No datasets near" not in app.get("/dataset/?q=nothing").body
    assert "found near or in" not in app.get("/dataset/").body


def test_unclear_place_offers_places_to_choose(found_by_place: None, app: CKANTestApp) -> None:
    page = html.fromstring(
        app.get("/dataset/", query_string={"ext_place": "newport", "q": "roads", "page": 1}).body
    )
    assert "Several places are called newport." in page.text_content()
    links = {
        link.text: link.get("href") for link in page.xpath("//a[contains(@href, 'ext_place')]")
    }
    address = links["Newport, Isle of Wight"]
    assert parse_qs(urlsplit(address).query)["q"] == ["roads"]
    chosen = html.fromstring(app.get(address).body)
    (field,) = chosen.xpath("//input[@name='ext_place']")
    assert field.get("value") == "Newport, Isle of Wight"
    unknown = app.get("/dataset/", query_string={"ext_place": "Brsitol<i>"}).body
    assert "We know no place called Brsitol&lt;i&gt;." in unknown
    assert ">Bristol</a>" in unknown


def test_places_are_suggested_to_everybody(found_by_place: None, app: CKANTestApp) -> None:
    answer = app.get("/api/3/action/ukharvest_place_list?q=ls1&limit=2").json["result"]
    assert answer == [
        {"name": "LS1", "box": [-1.565, 53.792, -1.539, 53.805]},
        {"name": "LS10", "box": call_action("ukharvest_place_list", q="LS10")[0]["box"]},
    ]
    assert app.get("/api/3/action/ukharvest_place_list?q=", status=409).json["error"]["q"]


class TestAreaOfPublisher:
    def test_dataset_without_extent_is_found_by_it(
        self, found_by_place: None, app: CKANTestApp
    ) -> None:
        council = factories.Organization(name="council", image_url="")
        factories.Dataset(name="none", owner_org=council["id"])
        search = "/dataset/?ext_place=LS1"
        assert names(app.get(search).body) == {"leeds"}
        act("organization_patch", id="council", ukharvest_organization_area="leeds city council")
        (extra,) = call_action("organization_show", id="council")["extras"]
        assert (extra["key"], extra["value"]) == ("ukharvest_area", "Leeds")
        tick()
        assert names(app.get(search).body) == {"leeds", "none"}
        assert names(app.get("/dataset/?ext_place=Kent").body) == {"kent"}
        act("organization_patch", id="council", ukharvest_organization_area="")
        tick()
        assert names(app.get(search).body) == {"leeds"}

    def test_page_of_its_dataset_shows_the_area(
        self, portal: Portal, publisher: Publisher, app: CKANTestApp
    ) -> None:
        publisher.serve("/data.json", catalogue(1))
        portal.run(portal.source(publisher.url("/data.json")))
        act("organization_patch", id=portal.organization_id, ukharvest_organization_area="Leeds")
        name = portal.datasets()[0]["name"]
        assert "Area covered" not in app.get(f"/dataset/{name}").body
        with portal_with("", "spatial_metadata", "spatial_query"):
            page = html.fromstring(app.get(f"/dataset/{name}").body)
        (area,) = page.xpath("//section[@id='area-covered']")
        assert "This is the area of its publisher, Leeds." in area.text_content()
        assert area.xpath(".//svg")

    def test_form_refuses_a_place_that_is_not_clear(
        self, found_by_place: None, app: CKANTestApp
    ) -> None:
        sysadmin = factories.SysadminWithToken()
        council = factories.Organization(name="council", title="Council", image_url="")
        form = {"id": council["id"], "name": "council", "ukharvest_organization_area": "Newport"}
        page = app.post(
            "/organization/edit/council",
            data={**form, "save": ""},
            headers={"Authorization": sysadmin["token"]},
        ).body
        assert "Several places are called Newport. Which one do you mean? Newport Council;" in page
        (field,) = html.fromstring(page).xpath("//input[@name='ukharvest_organization_area']")
        assert field.get("value") == "Newport"


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
    assert "bridge" in names(app.get("/dataset/", query_string=box_params(-2, 53, -1, 54)).body)
    assert "bridge" not in names(app.get("/dataset/", query_string=box_params(0, 51, 1, 52)).body)


def test_without_a_search_by_place_there_are_no_fields(clean: None, app: CKANTestApp) -> None:
    assert "Near or in" not in app.get("/dataset/").body


def test_place_is_chosen_in_a_browser(found_by_place: None, visitor: Visitor) -> None:
    looks.check(visitor, "place", "/dataset/?ext_place=Newport")
    looks.check(visitor, "place-map", "/dataset/?ext_place=Leeds")
    page = visitor.page
    page.goto("/dataset/")
    page.fill("#dataset-search-form [name=q]", "roads")
    # CKAN 2.12 searches as soon as the words have changed, and draws the form again.
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:text('found for \"roads\"')")
    place = page.get_by_label("Near or in")
    with late_answer(page, "**/ukharvest_place_list?q=york") as let_come:
        place.press_sequentially("york")  # ``fill`` sends "change" too, on which CKAN searches
    place.press("Control+A")
    place.press_sequentially("leed")
    suggested = page.locator("#ukharvest-places option[value=Leeds]")
    suggested.wait_for(state="attached")
    let_come()
    expect(suggested).to_have_count(1)
    page.get_by_label("Near or in").fill("Leeds")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector("h1:text('1 dataset found for \"roads\" near or in Leeds')")
    assert names(page.content()) == {"leeds"}
    assert "q=roads" in page.url
    page.get_by_role("link", name="Search everywhere").click()
    page.wait_for_selector("text=2 datasets found")
    assert page.get_by_label("Near or in").input_value() == ""
