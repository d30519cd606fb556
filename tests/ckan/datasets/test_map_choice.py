"""The choice of resources for the map, and their data on the page; without a browser."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins as p
import pytest
from ckan import model
from ckan.plugins import core
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.core.link_states import Layer, LinkResult, LinkState
from ckanext.ukharvest.datasets import map_view
from ckanext.ukharvest.harvest.model import Link
from ckanext.ukharvest.harvest.records import links as link_results
from tests.ckan.map_service import BOX, HOSTILE, looked_at, page_of

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.views.default_views", [map_view.NAME]),
]


class GeoView(p.SingletonPlugin):
    """Stands for ckanext-geoview's plugin."""

    p.implements(p.IResourceView, inherit=True)

    def info(self) -> dict[str, Any]:
        return {"name": self.name, "title": "Theirs"}

    def can_view(self, data_dict: dict[str, Any]) -> bool:
        return data_dict["resource"]["format"].lower() == "wms"


def views_of(*resources: tuple[str, str]) -> list[list[str]]:
    """Return the view types that resources of these formats and URLs get."""
    given = [{"format": format_, "url": url} for format_, url in resources]
    shown = factories.Dataset(resources=given)
    views = [call_action("resource_view_list", id=each["id"]) for each in shown["resources"]]
    return [[view["view_type"] for view in each] for each in views]


def test_drawable_formats_get_a_map_view() -> None:
    formats = ["WMS", "wms", "geojson", "GeoJSON", "OGC WMS"]
    found = views_of(*((each, "https://a.example/x") for each in formats))
    assert found == [[map_view.NAME]] * len(formats)


def test_anything_else_gets_none() -> None:
    found = views_of(
        ("CSV", "https://a.example/x"),
        ("WFS", "https://a.example/x"),
        ("", "https://a.example/x"),
        ("WMS", "ftp://a.example/x"),
        ("WMS", "javascript:alert(1)"),
        ("GeoJSON", "data:text/html,x"),
    )
    assert found == [[]] * 6


def test_ckanext_geoview_wins_where_it_shows_a_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(core._PLUGINS_SERVICE, "geo_view", GeoView(name="geo_view"))
    url = "https://a.example/x"
    assert views_of(("WMS", url), ("GeoJSON", url)) == [[], [map_view.NAME]]


def test_an_editor_makes_a_map_by_hand(app: CKANTestApp) -> None:
    editor = factories.SysadminWithToken()
    path = page_of("https://a.example/x")
    form = f"{path}/new_view?view_type={map_view.NAME}"
    page = app.get(form, headers={"Authorization": editor["token"]})
    assert page.status_code == 200
    assert f'value="{map_view.NAME}"' in page.body


@pytest.mark.parametrize("state", [LinkState.DEAD, LinkState.FAILING])
def test_link_that_fails_has_no_preview(app: CKANTestApp, state: LinkState) -> None:
    url = "https://a.example/gone.geojson"
    path = page_of(url, "GeoJSON")
    assert "data-module-settings" in app.get(path).body
    link_results.save_link_results([LinkResult(url)], days=30)
    link = model.Session.query(Link).filter_by(url=url).one()
    link.state, link.absent_since = state, link.checked
    model.Session.commit()
    page = app.get(path).body
    assert "data-module-settings" not in page
    assert "resource-view" not in page


def test_hostile_texts_are_escaped_on_the_page(app: CKANTestApp) -> None:
    url = "https://a.example/'\"><script>alert(1)</script>"
    looked_at(url, "https://a.example/{x}", Layer(HOSTILE, HOSTILE), title=HOSTILE)
    page = str(app.get(page_of(url)).body)
    part = page[page.index('<div class="ukharvest-map"') :]
    assert "<noscript><p>The map needs JavaScript" in part
    assert "<img src=x" not in part
    assert "<script>document" not in page
    assert "<script>alert" not in page
    assert "%7Bx%7D" in part


@pytest.mark.parametrize(
    ("geometry", "bounds"),
    [
        ({"type": "Polygon", "coordinates": BOX}, [[55, -4], [56, -3]]),
        ({"type": "Point", "coordinates": [-3, 55]}, [[54.975, -3.025], [55.025, -2.975]]),
        ({"type": "MultiPoint", "coordinates": [[179, 1], [-179, 2]]}, [[1, -180], [2, 180]]),
        ({"type": "Nothing"}, map_view.UK),
    ],
)
def test_map_begins_at_the_dataset_extent(
    geometry: dict[str, Any], bounds: map_view.Bounds
) -> None:
    extras = [{"key": "spatial", "value": json.dumps(geometry)}]
    assert map_view.bounds({"extras": extras}) == bounds
