"""The showcase's publishers, and the map service that draws their maps."""

from __future__ import annotations

import struct
import zlib

import pytest
from demo import showcase
from demo.api import fetch
from demo.map_service import Layer, MapService
from demo.publishers import Publisher as Shown

from tests.publisher import Publisher

NAMES = sorted(showcase.PUBLISHERS)


@pytest.fixture(params=NAMES)
def shown(request: pytest.FixtureRequest) -> Shown:
    return showcase.PUBLISHERS[request.param]


def test_each_lists_readable_records_of_its_own(shown: Shown, publisher: Publisher) -> None:
    publisher.routes = showcase.routes(publisher.base, "")
    records = [each for each in shown.count(fetch, publisher.url(shown.PATH)) if each.is_readable]
    assert len(records) >= 5
    assert all(each.guid.startswith("https://") for each in records)


def test_later_one_lists_less_and_one_fails(publisher: Publisher) -> None:
    publisher.routes = showcase.routes(publisher.base, showcase.LATER)
    fernley = showcase.PUBLISHERS["fernley-district-council"]
    assert len(fernley.count(fetch, publisher.url(fernley.PATH))) == 5
    with pytest.raises(FileNotFoundError):
        fetch(publisher.url(showcase.PUBLISHERS["museum-of-the-wend"].PATH))


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
def test_a_box_is_drawn_where_it_lies(query: str, publisher: Publisher) -> None:
    rows = picture(query, publisher)
    drawn = [[row[at + 3] > 0 for at in range(0, 40, 4)] for row in rows]
    # East of 2° west and south of 53° north: the lower right quarter.
    assert not any(drawn[2])
    assert drawn[7] == [False] * 5 + [True] * 5


def test_a_wrong_picture_is_refused_as_a_service_does(publisher: Publisher) -> None:
    query = "request=GetMap&layers=park&width=0&height=10&bbox=-3,52,-1,54"
    publisher.routes = {f"/wms?{query}": SERVICE.respond}
    assert b"WIDTH and HEIGHT are 1 to 2048" in fetch(publisher.url(f"/wms?{query}"))
