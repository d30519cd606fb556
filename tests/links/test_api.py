"""Services that describe themselves in JSON."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.link_states import Layer
from tests.links.support import look_at
from tests.publisher import Publisher

REST = "/arcgis/rest/services/Water"
MAP = {
    "currentVersion": 10.91,
    "mapName": "Layers",
    "documentInfo": {"Title": "Water"},
    "layers": [{"id": 0, "name": "Rivers"}, {"id": 3, "name": "Lakes"}],
    "tables": [{"id": 4, "name": "Owners"}],
}


@pytest.mark.parametrize(
    ("path", "document", "title", "layers"),
    [
        pytest.param(
            f"{REST}/MapServer",
            MAP,
            "Water",
            [("0", "Rivers"), ("3", "Lakes"), ("4", "Owners")],
            id="map",
        ),
        pytest.param(
            f"{REST}/FeatureServer",
            {"currentVersion": 11, "serviceDescription": "Water", "layers": MAP["layers"]},
            "Water",
            [("0", "Rivers"), ("3", "Lakes")],
            id="features",
        ),
        pytest.param(
            f"{REST}/FeatureServer/3",
            {"currentVersion": 11, "id": 3, "name": "Lakes", "type": "Feature Layer"},
            "Lakes",
            [("3", "Lakes")],
            id="layer",
        ),
        pytest.param(
            f"{REST}/ImageServer", {"currentVersion": 11, "name": "Water"}, "Water", [], id="image"
        ),
        pytest.param(
            "/arcgis/rest/services",
            {"currentVersion": 11, "services": [{"name": "Water", "type": "MapServer"}]},
            "",
            [("Water", "Water")],
            id="folder",
        ),
    ],
)
def test_esri(
    publisher: Publisher, path: str, document: Any, title: str, layers: list[tuple[str, str]]
) -> None:
    publisher.serve(f"{path}?f=json", document)
    found = look_at(publisher, path)
    assert (found.format, found.version) == ("Esri REST", str(document["currentVersion"]))
    assert (found.title, found.base_url) == (title, publisher.url(path))
    assert found.layers == tuple(Layer(*each) for each in layers)
    assert len(publisher.paths) == 1


@pytest.mark.parametrize("rest", ["?f=html", "/", "/query?where=1%3D1&f=json"])
def test_esri_by_other_addresses(publisher: Publisher, rest: str) -> None:
    publisher.serve(f"{REST}/MapServer?f=json", MAP)
    found = look_at(publisher, f"{REST}/MapServer{rest}")
    assert (found.format, found.base_url) == ("Esri REST", publisher.url(f"{REST}/MapServer"))


def test_esri_says_no_with_status_200(publisher: Publisher) -> None:
    publisher.serve(
        f"{REST}/MapServer?f=json", {"error": {"code": 499, "message": "Token Required"}}
    )
    publisher.serve(f"{REST}/MapServer", "<html><title>Login</title></html>")
    found = look_at(publisher, f"{REST}/MapServer")
    assert found.format == ""
    assert "a service's error, “Token Required 499” (asked for its description" in found.why


LANDING = {
    "title": "Water",
    "links": [
        {"rel": "self", "href": "/api"},
        {"rel": "data", "href": "/api/collections?f=html", "type": "text/html"},
        {"rel": "data", "href": "/api/collections?f=json"},
        {"rel": "conformance", "href": "/api/conformance"},
    ],
}
COLLECTIONS = {
    "links": [],
    "collections": [
        {"id": "rivers", "title": "Rivers", "links": [{"rel": "items", "href": "x"}]},
        {"id": "lakes", "links": []},
    ],
}
LAYERS = (Layer("rivers", "Rivers"), Layer("lakes"))


@pytest.mark.parametrize("expected", ["", "OGC API Features"])
def test_the_landing_page_of_an_ogc_api(publisher: Publisher, expected: str) -> None:
    publisher.serve("/api", LANDING)
    publisher.serve("/api/collections?f=json", COLLECTIONS)
    found = look_at(publisher, "/api", expected=expected)
    assert (found.format, found.title, found.layers) == ("OGC API Features", "Water", LAYERS)
    assert found.base_url == publisher.url("/api")
    assert len(publisher.paths) == 2


def test_the_version_of_an_ogc_api(publisher: Publisher) -> None:
    uri = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core"
    publisher.serve("/api", LANDING | {"conformsTo": [uri]})
    found = look_at(publisher, "/api")
    assert (found.format, found.version, found.layers) == ("OGC API Features", "1.0", ())


def test_collections_on_another_server_are_not_asked_for(publisher: Publisher) -> None:
    links = [{"rel": "data", "href": "http://10.1.2.3/x"}, {"rel": "conformance", "href": "y"}]
    publisher.serve("/api", {"links": links})
    assert look_at(publisher, "/api").format == "OGC API"
    assert len(publisher.paths) == 1


@pytest.mark.parametrize(
    ("path", "document", "layers"),
    [
        ("/api/collections", COLLECTIONS, LAYERS),
        ("/api/collections/rivers", COLLECTIONS["collections"][0], LAYERS[:1]),
        (
            "/api/collections/rivers/items",
            {"type": "FeatureCollection", "features": [], "links": [{"rel": "next", "href": "x"}]},
            (Layer("rivers"),),
        ),
    ],
)
def test_parts_of_an_ogc_api(
    publisher: Publisher, path: str, document: Any, layers: tuple[Layer, ...]
) -> None:
    publisher.serve(path, document)
    found = look_at(publisher, path)
    assert (found.format, found.layers) == ("OGC API Features", layers)
    assert found.base_url == publisher.url("/api")
    assert len(publisher.paths) == 1


def test_a_long_list_of_collections(publisher: Publisher) -> None:
    many = [{"id": f"c{n}", "links": [{"rel": "items"}], "x": "y" * 1000} for n in range(100)]
    publisher.serve("/api/collections", COLLECTIONS | {"collections": many})
    assert len(look_at(publisher, "/api/collections").layers) == 100
    assert len(publisher.paths) == 2


@pytest.mark.parametrize(
    "document",
    [
        {"links": "none"},
        {"links": [1, None, {"rel": ["data"]}]},
        {"links": [], "collections": "x"},
        {"links": [], "collections": [1, {"id": {"a": 1}}, {"id": "\x00\ud800"}]},
        {"currentVersion": {"a": 1}, "layers": [None, {"id": None}], "documentInfo": []},
        {"error": {"code": None, "details": "x"}},
        {"error": "x"},
    ],
)
def test_json_of_any_shape(publisher: Publisher, document: Any) -> None:
    publisher.serve(f"{REST}/MapServer?f=json", document)
    publisher.serve(f"{REST}/MapServer", document)
    found = look_at(publisher, f"{REST}/MapServer")
    assert found.format in ("", "JSON", "OGC API", "Esri REST")
    assert not any(layer.name in ("", "\x00\ud800") for layer in found.layers)


def test_json_without_bottom(publisher: Publisher) -> None:
    publisher.serve(f"{REST}/MapServer", '{"a":' * 20_000)
    assert 'a text that begins “{"a":' in look_at(publisher, f"{REST}/MapServer").why
