"""A small web map service (WMS 1.1.1 and 1.3.0) that draws boxes as SVG; in degrees alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape, quoteattr

from tests.publisher import Request, Response
from tests.publishing.records import Box

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
            return Response(self._picture(query).encode(), headers=_headers("image/svg+xml"))
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
            f"<GetMap><Format>image/svg+xml</Format>{http}</GetMap></Request>"
            "<Exception><Format>XML</Format></Exception>"
            f"<Layer><Title>{escape(self.title)}</Title><CRS>EPSG:4326</CRS><CRS>CRS:84</CRS>"
            f"{''.join(map(_layer, self.layers))}</Layer></Capability></WMS_Capabilities>\n"
        )

    def _picture(self, query: dict[str, str]) -> str:
        width, height = int(query["width"]), int(query["height"])
        if not 0 < width <= LARGEST or not 0 < height <= LARGEST:
            raise ValueError(f"WIDTH and HEIGHT are 1 to {LARGEST}")
        first, second, third, fourth = (float(each) for each in query["bbox"].split(","))
        west, south, east, north = first, second, third, fourth
        if query.get("crs", "").upper() == "EPSG:4326":  # WMS 1.3.0: latitude comes first
            west, south, east, north = second, first, fourth, third
        wanted = query["layers"].split(",")
        layers = (layer for name in wanted for layer in self.layers if layer.name == name)
        boxes = "".join(_rectangle(box, layer.colour) for layer in layers for box in layer.boxes)
        # SVG counts downwards from the top, so latitudes change their sign.
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="{west} {-north} {east - west} {north - south}" preserveAspectRatio="none">'
            f"{boxes}</svg>"
        )


_XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"


def _headers(media_type: str) -> dict[str, str]:
    return {"Content-Type": media_type, **OPEN}


def _layer(layer: Layer) -> str:
    west, south, east, north = (
        pick(box[side] for box in layer.boxes) for side, pick in enumerate((min, min, max, max))
    )
    bounds = (
        f"<westBoundLongitude>{west}</westBoundLongitude>"
        f"<eastBoundLongitude>{east}</eastBoundLongitude>"
        f"<southBoundLatitude>{south}</southBoundLatitude>"
        f"<northBoundLatitude>{north}</northBoundLatitude>"
    )
    return (
        f'<Layer queryable="0"><Name>{escape(layer.name)}</Name>'
        f"<Title>{escape(layer.title)}</Title>"
        f"<EX_GeographicBoundingBox>{bounds}</EX_GeographicBoundingBox></Layer>"
    )


def _rectangle(box: Box, colour: tuple[int, int, int]) -> str:
    west, south, east, north = box
    place = f'x="{west}" y="{-north}" width="{east - west}" height="{north - south}"'
    paint = 'fill="rgb({0},{1},{2})" stroke="rgb({0},{1},{2})"'.format(*colour)
    return f'<rect {place} {paint} fill-opacity="0.35" vector-effect="non-scaling-stroke"/>'
