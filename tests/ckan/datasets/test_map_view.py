"""Maps of resources, drawn by a browser from a publisher's own server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests import factories
from ckan.tests.helpers import call_action
from playwright.sync_api import Page, expect

from ckanext.ukharvest.core.link_states import Layer
from ckanext.ukharvest.datasets import map_view
from tests.ckan.browser import NARROW, Visitor
from tests.ckan.map_service import BOX, DRAWN, HOSTILE, MapService, looked_at, page_of, png
from tests.publisher import Publisher, Response

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.views.default_views", [map_view.NAME]),
]

ON_ONE_CKAN = pytest.mark.skipif(
    not tk.check_ckan_version(min_version="2.12"),
    reason="what a browser does with a server's answers is the same on both",
)

CORS = {"Access-Control-Allow-Origin": "*"}
EXTENT = json.dumps({"type": "Polygon", "coordinates": BOX})
EXCEPTION = (
    '<ServiceExceptionReport xmlns="http://www.opengis.net/ogc" version="1.3.0">'
    "<ServiceException code='LayerNotDefined'>No layer of that name &lt;b&gt;here&lt;/b&gt;."
    "</ServiceException></ServiceExceptionReport>"
)


@pytest.fixture
def service() -> Any:
    with MapService() as running:
        yield running


def status(visitor: Visitor, words: str) -> None:
    """Wait until the line above the map has these words."""
    visitor.page.locator(".ukharvest-map-status").filter(has_text=words).wait_for()


RIVERS, LAKES = Layer("rv", "Rivers"), Layer("lk", "Lakes & ponds")


def test_a_reader_sees_the_layers_that_are_ticked(service: MapService, visitor: Visitor) -> None:
    url = service.url("/ows?map=uk&service=WMS&request=GetCapabilities")
    looked_at(url, service.url("/ows?map=uk"), RIVERS, LAKES)
    path = page_of(url, extras=[{"key": "spatial", "value": EXTENT}])
    page = visitor.page
    page.goto(path)
    status(visitor, "The picture is drawn by 127.0.0.1")
    asked = service.maps()
    assert asked
    for query in asked:
        south, west, north, east = map(float, query["bbox"].split(","))
        assert 50 < south < north < 60, "1.3.0 names latitude first in EPSG:4326"
        assert -10 < west < east < 5
        expected = {"version": "1.3.0", "crs": "EPSG:4326", "layers": "rv", "map": "uk"}
        assert expected.items() <= query.items()
    visitor.picture("map-wms-1280")
    service.requests.clear()
    page.get_by_label("Lakes & ponds").focus()
    page.keyboard.press("Space")
    status(visitor, "The picture is drawn")
    assert {query["layers"] for query in service.maps()} == {"lk,rv"}
    page.get_by_label("Rivers").uncheck()
    page.get_by_label("Lakes & ponds").uncheck()
    expect(page.locator(".ukharvest-map-status")).to_be_empty()
    assert page.get_by_role("link", name="Rivers of Somewhere").get_attribute("href") == url
    assert visitor.errors == []
    assert visitor.hosts == {urlsplit(page.url).netloc, urlsplit(url).netloc}
    assert visitor.beyond_the_window(".ukharvest-map") == []


@ON_ONE_CKAN
def test_on_a_phone_among_many_layers(service: MapService, visitor: Visitor) -> None:
    url = service.url("/ows")
    many = [Layer(f"layer{number}", f"Sheet {number} {HOSTILE}") for number in range(600)]
    looked_at(url, url, *many, title=HOSTILE, version="1.1.1")
    visitor.page.set_viewport_size(NARROW)
    visitor.page.goto(page_of(url))
    status(visitor, "The picture is drawn")
    for query in service.maps():
        west, south, _, _ = map(float, query["bbox"].split(","))
        assert -50 < west < 10, "1.1.1 names longitude first"
        assert 30 < south < 60
        assert query["srs"] == "EPSG:4326"
    rows = visitor.page.locator(".ukharvest-map-layers li:visible")
    expect(rows).to_have_count(500)
    visitor.page.get_by_label("Find a layer").fill("sheet 49")
    expect(rows).to_have_count(11)
    visitor.picture("map-wms-390")
    assert visitor.errors == []
    assert "broken" not in visitor.page.title()
    assert visitor.beyond_the_window(".ukharvest-map") == []


ANSWERS = {
    "exception": (Response(EXCEPTION.encode(), headers=CORS), "No layer of that name <b>here"),
    "unreadable": (Response(EXCEPTION.encode()), "did not send what this page"),
    "error": (Response(b"oh", 500), "did not send what this page"),
    "silence": (Response(cut=-1), "No answer from"),
}


@ON_ONE_CKAN
def test_a_service_that_draws_nothing(service: MapService, visitor: Visitor) -> None:
    path = page_of(service.url("/ows?layers=rv&version=1.3.0"))
    for name, (answer, words) in ANSWERS.items():
        service.answer = answer
        visitor.page.goto(path)
        status(visitor, words)
        link = visitor.page.get_by_role("link", name="Open service").get_attribute("href")
        assert parse_qs(urlsplit(link or "").query)["LAYERS"] == ["rv"]
        visitor.picture(f"map-wms-{name}")
    service.answer = DRAWN
    visitor.page.get_by_role("checkbox", name="rv").dblclick()
    status(visitor, "The picture is drawn")
    service.answer = Response(hang=True)
    visitor.page.clock.install()
    # The picture may be asked for before the page's "load", which then waits for it.
    visitor.page.reload(wait_until="domcontentloaded")
    status(visitor, "Loading from 127.0.0.1")
    visitor.page.clock.fast_forward(21_000)
    status(visitor, "No answer from 127.0.0.1")


@ON_ONE_CKAN
def test_a_secure_page_says_that_a_service_is_not(
    site: str, visitor: Visitor, ckan_config: dict[str, Any]
) -> None:
    path = page_of("http://maps.test/ows?layers=rv")
    ckan_config["ckan.site_url"] = secure = "https://portal.test"

    def as_a_proxy(route: Any) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace(secure, site)))

    visitor.page.route(f"{secure}/**", as_a_proxy)
    visitor.page.goto(secure + path)
    status(visitor, "may not load this from maps.test. (mixed content")


@ON_ONE_CKAN
def test_unchecked_service_is_described_in_a_sentence(site: str, visitor: Visitor) -> None:
    visitor.page.goto(page_of("https://maps.test/ows"))
    expect(visitor.page.get_by_text("has not read the service's list of layers")).to_be_visible()
    link = visitor.page.get_by_role("link", name="https://maps.test/ows", exact=True)
    assert link.get_attribute("href") == "https://maps.test/ows"
    assert visitor.hosts == {urlsplit(site).netloc}
    assert visitor.errors == []


def feature(properties: Any, geometry: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: Any, **more: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features), **more}


FIELD = feature({"name": HOSTILE, "size": {"ha": 3}, HOSTILE: 0}, {"type": "Polygon"})
FIELD["geometry"]["coordinates"] = BOX
TREE = feature({"name": "Oak"}, {"type": "Point", "coordinates": [-3.5, 55.5]})


def click_the_field(page: Page) -> None:
    """Click beside the tree, which is in the middle."""
    canvas = page.locator(".ukharvest-map-canvas")
    size = canvas.bounding_box()
    assert size is not None
    canvas.click(position={"x": size["width"] / 2 + 16, "y": size["height"] / 2 + 16})


def test_features_are_drawn_and_described(publisher: Publisher, visitor: Visitor) -> None:
    nothing = feature(None, None)
    publisher.serve("/trees.geojson", collection(FIELD, TREE, nothing), headers=CORS)
    page = visitor.page
    extras = [{"key": "spatial", "value": EXTENT}]
    page.goto(page_of(publisher.url("/trees.geojson"), "geojson", extras=extras))
    status(visitor, "Features in the file: 3")
    expect(page.locator(".ukharvest-map-land")).to_be_visible()
    expect(page.get_by_text("Edinburgh", exact=True)).to_be_visible()
    expect(page.locator(".leaflet-control-scale")).to_be_visible()
    drawn = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((n) => n)"
    assert page.locator(".ukharvest-map-canvas canvas").evaluate(drawn)
    click_the_field(page)
    popup = page.locator(".leaflet-popup-content")
    popup.wait_for()
    assert HOSTILE in popup.inner_text()
    assert '{"ha":3}' in popup.inner_text()
    page.get_by_text("Properties of the first 100 features").click()
    table = page.get_by_role("region", name="Properties of the first 100 features")
    assert table.get_by_role("columnheader").all_inner_texts() == ["name", "size", HOSTILE]
    expect(table.get_by_role("cell", name="Oak")).to_be_visible()
    assert visitor.errors == []
    assert page.title() not in ("broken", "in")
    expect(page.locator(".ukharvest-map img, .ukharvest-map script")).to_have_count(0)
    visitor.picture("map-geojson-1280")
    page.set_viewport_size(NARROW)
    page.reload()
    status(visitor, "Features in the file: 3")
    click_the_field(page)
    popup.wait_for()
    assert visitor.beyond_the_window(".ukharvest-map") == []
    visitor.picture("map-geojson-390")


@ON_ONE_CKAN
def test_the_portal_can_choose_tiles(
    service: MapService, visitor: Visitor, ckan_config: dict[str, Any]
) -> None:
    chosen = {"type": "custom", "attribution": "Ours", "custom_url": "http://{s}.test/{z}/{x}/{y}"}
    ckan_config.update({f"{map_view.TILES}{key}": value for key, value in chosen.items()})
    ckan_config[f"{map_view.TILES}subdomains"] = "tiles"
    visitor.page.route("http://t.test/**", lambda route: route.fulfill(body=png(256)))
    visitor.page.goto(page_of(service.url("/ows?layers=rv")))
    status(visitor, "The picture is drawn")
    expect(visitor.page.get_by_text("Ours", exact=True)).to_be_visible()
    assert "t.test" in visitor.hosts
    assert {query["crs"] for query in service.maps()} == {"EPSG:4326"}
    visitor.picture("map-tiles")


GRID = feature({}, {"type": "Point", "coordinates": [530000, 180000]})
NAMED = {"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}}}
FILES = {
    "/refused": (Response(b"{}"), "may not load this from 127.0.0.1:"),
    "/gone": (Response(b"{}", 404, CORS), "asked for. HTTP 404"),
    "/silent": (Response(cut=-1), "No answer from"),
    "/cut": (
        Response(b"[" * 9999, headers=CORS, cut=5000),
        "did not send what this page asked for",
    ),
    "/stated": (Response(b"[" * (21 << 20), headers=CORS), "larger than 20 MB"),
    "/endless": (Response([b"[" * (1 << 20)] * 21, headers=CORS), "larger than 20 MB"),
    "/page": (Response(b"<html>", headers=CORS), "not GeoJSON"),
    "/list": (Response(b"[1]", headers=CORS), "not GeoJSON"),
    "/grid": (Response(json.dumps(GRID).encode(), headers=CORS), "longitude and latitude in deg"),
    "/named": (Response(json.dumps(collection(**NAMED)).encode(), headers=CORS), "EPSG::27700"),
    "/odd": (
        Response(json.dumps(feature({}, {"type": "Point"})).encode(), headers=CORS),
        "not GeoJSON",
    ),
    "/empty": (Response(json.dumps(collection()).encode(), headers=CORS), "has no feature"),
}


@ON_ONE_CKAN
def test_a_file_that_cannot_be_drawn(publisher: Publisher, visitor: Visitor) -> None:
    publisher.routes.update({path: response for path, (response, _) in FILES.items()})
    resources = [{"url": publisher.url(path), "format": "GeoJSON"} for path in FILES]
    shown = factories.Dataset(resources=resources)
    for resource, (path, (_, words)) in zip(shown["resources"], FILES.items(), strict=True):
        visitor.page.goto(f"/dataset/{shown['name']}/resource/{resource['id']}")
        status(visitor, words)
        link = visitor.page.get_by_role("link", name="Go to file")
        assert link.get_attribute("href") == publisher.url(path)


@ON_ONE_CKAN
def test_under_a_strict_policy_and_alone_on_a_page(
    site: str, service: MapService, visitor: Visitor
) -> None:
    policy = f"default-src 'self'; style-src 'self'; img-src 'self' data: {service.base}"
    url = service.url("/ows?layers=rv")
    view = call_action("resource_view_list", id=page_of(url).rpartition("/")[2])[0]
    path = f"/dataset/{view['package_id']}/resource/{view['resource_id']}/view/{view['id']}"

    def with_policy(route: Any) -> None:
        answer = route.fetch()
        headers = {**answer.headers, "Content-Security-Policy": policy}
        route.fulfill(response=answer, headers=headers)

    visitor.page.route(f"{site}{path}", with_policy)
    visitor.page.goto(path)
    status(visitor, "The picture is drawn")
    visitor.picture("map-alone")
    policy = "default-src 'self'"
    visitor.page.goto(path)
    status(visitor, "may not load this from 127.0.0.1")
