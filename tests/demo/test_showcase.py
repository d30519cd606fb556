"""The showcase's publishers, and the map service that draws their maps."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterable

import pytest
from demo.api import fetch
from demo.publishers import CONTROL, SHOWCASE, described
from demo.serve import Stage

from tests.publisher import Publisher
from tests.publishing.wms import Layer, MapService


def titles(publisher: Publisher) -> dict[str, list[str]]:
    """Return the titles that each source lists; an error page has none."""
    found = {}
    for each in described(publisher.url(CONTROL)):
        try:
            entries = json.loads(fetch(publisher.url(each.path)))["dataset"]
        except FileNotFoundError:
            entries = []
        found[each.name] = [entry["title"] for entry in entries if entry["title"]]
    return found


def test_each_source_lists_records_at_first(publisher: Publisher) -> None:
    Stage(SHOWCASE, publisher)
    assert all(len(found) >= 5 for found in titles(publisher).values())


def test_one_source_lists_less_later_and_one_fails(publisher: Publisher) -> None:
    Stage(SHOWCASE, publisher).show(later=True)
    found = titles(publisher)
    assert len(found["fernley-district-council"]) == 5
    assert found["museum-of-the-wend"] == []


def test_all_links_of_the_showcase_work(publisher: Publisher) -> None:
    stage = Stage(SHOWCASE, publisher)
    links = [each.url for record in stage.files for each in record.distributions]
    assert all(map(fetch, links))


SERVICE = MapService("http://x/wms", "Maps", [Layer("park", "Park", (1, 2, 3), [(-2, 52, -1, 53)])])


@pytest.mark.parametrize(
    "query",
    [
        "request=GetMap&layers=park&width=10&height=10&crs=EPSG:4326&bbox=52,-3,54,-1",
        "REQUEST=GetMap&LAYERS=park&WIDTH=10&HEIGHT=10&SRS=EPSG:4326&BBOX=-3,52,-1,54",
    ],
)
def test_bounding_box_is_drawn_at_its_place(query: str, publisher: Publisher) -> None:
    publisher.routes = {f"/wms?{query}": SERVICE.respond}
    picture = ET.fromstring(fetch(publisher.url(f"/wms?{query}")))
    assert (picture.get("width"), picture.get("height")) == ("10", "10")
    # From 3° west and 54° north, two degrees each way.
    assert numbers(picture.attrib["viewBox"].split()) == [-3, -54, 2, 2]
    (box,) = picture
    # East of 2° west and south of 53° north: the lower right quarter.
    sides = ("x", "y", "width", "height")
    assert numbers(box.attrib[side] for side in sides) == [-2, -53, 1, 1]


def numbers(texts: Iterable[str]) -> list[float]:
    return [float(text) for text in texts]


def test_a_wrong_picture_is_refused_as_a_service_does(publisher: Publisher) -> None:
    query = "request=GetMap&layers=park&width=0&height=10&bbox=-3,52,-1,54"
    publisher.routes = {f"/wms?{query}": SERVICE.respond}
    assert b"WIDTH and HEIGHT are 1 to 2048" in fetch(publisher.url(f"/wms?{query}"))
