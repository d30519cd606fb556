"""A small web map service (WMS 1.1.1 and 1.3.0) that draws boxes; in degrees alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape, quoteattr

from tests.publisher import Request, Response

from .publishers import Box

LARGEST = 2048  # pixels
# The reader's browser asks from another site's page.
OPEN = {"Access-Control-Allow-Origin": "*"}


@dataclass(frozen=True)
class Layer:
    """Boxes of one colour."""

    name: str
    title: str
    colour: tuple[int, int, int]
    boxes: Sequence[Box]


@dataclass(frozen=True)
class MapService:
    """The service at a URL; WMS 1.3.0 (OGC 06-042) as far as viewers need it."""

    url: str
    title: str
    layers: Sequence[Layer]

    def respond(self, request: Request) -> Response:
        """Answer GetCapabilities and GetMap."""
        query = {
            name.lower(): value for name, value in parse_qsl(urlsplit(request.path).query, True)
        }
        if query.get("request", "").lower() != "getmap":
            return Response(self._capabilities().encode(), headers=_headers("text/xml"))
        try:
            return Response(self._picture(query), headers=_headers("image/png"))
        except (KeyError, ValueError) as error:
            text = f"<ServiceExceptionReport><ServiceException>{escape(str(error))}"
            text += "</ServiceException></ServiceExceptionReport>"
            return Response(text.encode(), headers=_headers("text/xml"))

    def _capabilities(self) -> str:
        address = f"<OnlineResource {_XLINK} xlink:type='simple' xlink:href={quoteattr(self.url)}/>"
        http = f"<DCPType><HTTP><Get>{address}</Get></HTTP></DCPType>"
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">'
            f"<Service><Name>WMS</Name><Title>{escape(self.title)}</Title>{address}</Service>"
            "<Capability><Request>"
            f"<GetCapabilities><Format>text/xml</Format>{http}</GetCapabilities>"
            f"<GetMap><Format>image/png</Format>{http}</GetMap></Request>"
            "<Exception><Format>XML</Format></Exception>"
            f"<Layer><Title>{escape(self.title)}</Title><CRS>EPSG:4326</CRS><CRS>CRS:84</CRS>"
            f"{''.join(map(_layer, self.layers))}</Layer></Capability></WMS_Capabilities>\n"
        )

    def _picture(self, query: dict[str, str]) -> bytes:
        width, height = int(query["width"]), int(query["height"])
        if not 0 < width <= LARGEST or not 0 < height <= LARGEST:
            raise ValueError(f"WIDTH and HEIGHT are 1 to {LARGEST}")
        first, second, third, fourth = (float(each) for each in query["bbox"].split(","))
        west, south, east, north = first, second, third, fourth
        if query.get("crs", "").upper() == "EPSG:4326":  # WMS 1.3.0: latitude comes first
            west, south, east, north = second, first, fourth, third
        wanted = query["layers"].split(",")
        pixels = bytearray(width * height * 4)
        for layer in (each for name in wanted for each in self.layers if each.name == name):
            for box in layer.boxes:
                across = _pixels(box[0], box[2], west, east, width)
                down = _pixels(north - box[3], north - box[1], 0, north - south, height)
                _draw(pixels, width, across, down, layer.colour)
        return png(width, height, bytes(pixels))


_XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"


def _headers(media_type: str) -> dict[str, str]:
    return {"Content-Type": media_type, **OPEN}


def _layer(layer: Layer) -> str:
    west, south = (min(box[side] for box in layer.boxes) for side in (0, 1))
    east, north = (max(box[side] for box in layer.boxes) for side in (2, 3))
    sides = {"west": west, "east": east, "south": south, "north": north}
    bounds = "".join(
        f"<{side}Bound{axis}>{sides[side]}</{side}Bound{axis}>" for side, axis in _BOUNDS
    )
    return (
        f'<Layer queryable="0"><Name>{escape(layer.name)}</Name>'
        f"<Title>{escape(layer.title)}</Title>"
        f"<EX_GeographicBoundingBox>{bounds}</EX_GeographicBoundingBox></Layer>"
    )


_BOUNDS = (
    ("west", "Longitude"),
    ("east", "Longitude"),
    ("south", "Latitude"),
    ("north", "Latitude"),
)


def _pixels(start: float, end: float, first: float, last: float, size: int) -> range:
    """Return the pixels of a side between two degrees, and one beyond the picture's edge."""
    scale = size / (last - first)
    from_, to = int((start - first) * scale), int((end - first) * scale)
    return range(max(-1, min(from_, size)), max(-1, min(to + 1, size + 1)))


def _draw(
    pixels: bytearray, width: int, across: range, down: range, colour: tuple[int, int, int]
) -> None:
    """Fill a box, with a border where its edge is in the picture."""
    height = len(pixels) // 4 // width
    inner, edge = bytes([*colour, 90]), bytes([*colour, 255])
    columns = range(max(0, across.start), min(width, across.stop))
    for row in range(max(0, down.start), min(height, down.stop)):
        is_edge = row in (down.start, down.stop - 1)
        line = bytearray((edge if is_edge else inner) * len(columns))
        for column in (across.start, across.stop - 1):
            if column in columns:
                at = (column - columns.start) * 4
                line[at : at + 4] = edge
        start = (row * width + columns.start) * 4
        pixels[start : start + len(line)] = line


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Return a PNG of four bytes (red, green, blue, opacity) for each pixel."""
    rows = b"".join(
        b"\0" + pixels[start : start + width * 4] for start in range(0, len(pixels), width * 4)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(parts))


def _chunks(parts: Sequence[tuple[bytes, bytes]]) -> Iterator[bytes]:
    for name, data in parts:
        yield (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )
