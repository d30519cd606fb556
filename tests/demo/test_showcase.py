"""The showcase's publishers, and the map service that draws their maps."""

from __future__ import annotations

import json
import struct
import zlib

import pytest
from demo.api import fetch
from demo.map_service import Layer, MapService
from demo.publishers import CONTROL, LATER, SHOWCASE, described
from demo.serve import Stage

from tests.publisher import Publisher


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
    Stage(SHOWCASE, publisher).show(LATER)
    found = titles(publisher)
    assert len(found["fernley-district-council"]) == 5
    assert found["museum-of-the-wend"] == []


def test_all_links_of_the_showcase_work(publisher: Publisher) -> None:
    stage = Stage(SHOWCASE, publisher)
    links = [each.url for record in stage.files for each in record.distributions]
    assert all(map(fetch, links))


SERVICE = MapService("http://x/wms", "Maps", [Layer("park", "Park", (1, 2, 3), [(-2, 52, -1, 53)])])


def picture(query: str, publisher: Publisher) -> list[bytes]:
    """Return the rows of the picture, four bytes a pixel."""
    publisher.routes = {f"/wms?{query}": SERVICE.respond}
    data = fetch(publisher.url(f"/wms?{query}"))
    assert data.startswith(b"\x89PNG")
    at = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[at - 4 : at])
    rows = zlib.decompress(data[at + 4 : at + 4 + length])
    return [rows[start + 1 : start + 41] for start in range(0, len(rows), 41)]


@pytest.mark.parametrize(
    "query",
    [
        "request=GetMap&layers=park&width=10&height=10&crs=EPSG:4326&bbox=52,-3,54,-1",
        "REQUEST=GetMap&LAYERS=park&WIDTH=10&HEIGHT=10&SRS=EPSG:4326&BBOX=-3,52,-1,54",
    ],
)
def test_bounding_box_is_drawn_at_its_place(query: str, publisher: Publisher) -> None:
    rows = picture(query, publisher)
    drawn = [[row[at + 3] > 0 for at in range(0, 40, 4)] for row in rows]
    # East of 2° west and south of 53° north: the lower right quarter.
    assert not any(drawn[2])
    assert drawn[7] == [False] * 5 + [True] * 5


def test_a_wrong_picture_is_refused_as_a_service_does(publisher: Publisher) -> None:
    query = "request=GetMap&layers=park&width=0&height=10&bbox=-3,52,-1,54"
    publisher.routes = {f"/wms?{query}": SERVICE.respond}
    assert b"WIDTH and HEIGHT are 1 to 2048" in fetch(publisher.url(f"/wms?{query}"))
