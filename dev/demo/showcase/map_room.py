"""A council's maps: services and files that exist, from one star to five."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.publisher import Response, Route

from demo.map_service import Layer, MapService
from demo.publishers import document

from .entries import Entry, catalogue, count, entry

__all__ = ["CONFIG", "FAULTS", "ORGANISATION", "PATH", "TITLE", "count", "routes"]

TITLE = "Thornmere Map Room"
ORGANISATION = "Thornmere Borough Council"
PATH = "/map-room/data.json"
CONFIG: Mapping[str, Any] = {}
FAULTS: tuple[str, ...] = ()

HOST = "https://maproom.thornmere.example"
BOX = (-2.155, 52.861, -1.873, 53.042)
PARKS = {
    "Abbey Gardens": (-2.033, 52.951, -2.022, 52.958),
    "Canal Side Park": (-2.036, 52.929, -2.018, 52.936),
    "Castle Hill Common": (-2.008, 52.929, -1.989, 52.941),
    "Upper Wend Meadows": (-1.949, 52.953, -1.905, 52.984),
}
LIBRARIES = {
    "Central": (-2.016, 52.942),
    "Holloway": (-2.055, 52.934),
    "Millfield": (-1.97, 52.954),
}
LAYERS = (
    Layer("parks", "Parks and green spaces", (46, 125, 50), [*PARKS.values()]),
    Layer("flood", "Flood zones of the Wend", (25, 104, 190), [(-2.12, 52.905, -1.9, 52.928)]),
)
CSV = "name,longitude,latitude\nCentral,-2.016,52.942\nHolloway,-2.055,52.934\n"
TURTLE = """@prefix schema: <https://schema.org/> .
<https://maproom.thornmere.example/park/1> a schema:Park ; schema:name "Abbey Gardens" .
"""


def routes(base: str, _fault: str) -> dict[str, Route]:
    """Return the catalogue, the map service and the files, the same in both states."""
    place = f"{base}/map-room"
    service = MapService(f"{place}/wms", "Thornmere maps", LAYERS)
    return {
        PATH: catalogue(_entries(place)),
        "/map-room/wms?*": service.respond,
        "/map-room/wms": service.respond,
        "/map-room/parks.geojson": _geojson(map(_park, PARKS.items())),
        "/map-room/libraries.geojson": _geojson(map(_library, LIBRARIES.items())),
        "/map-room/libraries.csv": document(CSV, "text/csv"),
        "/map-room/parks.ttl": document(TURTLE, "text/turtle"),
        "/map-room/streets.xls": Response(
            b"", headers={"Content-Type": "application/vnd.ms-excel"}
        ),
        "/map-room/plan-1884.pdf": Response(b"%PDF-1.4\n%%EOF\n", headers=_PDF),
    }


_PDF = {"Content-Type": "application/pdf"}
_WMS = "wms?service=WMS&request=GetCapabilities"


def _entries(place: str) -> list[Entry]:
    box = ",".join(map(str, BOX))
    table: tuple[tuple[str, str, list[tuple[str, str]], dict[str, Any]], ...] = (
        ("Parks and green spaces", "Parks with their outlines, as a file and as a map.",
         [("parks.geojson", "GeoJSON"), (_WMS, "WMS")], {}),
        ("Flood zones of the Wend", "Land that the river reaches once in 100 years, as a map.",
         [(_WMS, "WMS")], {}),
        ("Libraries", "The borough's libraries, as points and as a table.",
         [("libraries.csv", "CSV"), ("libraries.geojson", "GeoJSON")], {}),
        ("Park names as linked data", "Each park with its own web address, linked to Wikidata.",
         [("parks.ttl", "Turtle")], {"relation": ["https://www.wikidata.org/wiki/Q22698"]}),
        ("Park register in RDF", "The register of parks, for programs that read RDF.",
         [("parks.ttl", "Turtle")], {}),
        ("Street gazetteer", "Names and numbers of all streets, as a spreadsheet.",
         [("streets.xls", "XLS")], {}),
        ("Town plan of 1884", "The plan of the town, scanned from the paper in the archive.",
         [("plan-1884.pdf", "PDF")], {}),
    )  # fmt: skip
    return [
        entry(
            *(HOST, ORGANISATION, title, about),
            files=[(f"{place}/{file}", form) for file, form in files],
            box=box,
            keywords=["maps"],
            **more,
        )
        for title, about, files, more in table
    ]


def _geojson(features: Iterable[dict[str, Any]]) -> Response:
    text = json.dumps({"type": "FeatureCollection", "features": [*features]})
    # The reader's browser fetches it for the map, from another site's page.
    return Response(
        text.encode(),
        headers={"Content-Type": "application/geo+json", "Access-Control-Allow-Origin": "*"},
    )


def _park(item: tuple[str, tuple[float, float, float, float]]) -> dict[str, Any]:
    name, (west, south, east, north) = item
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return _feature(name, {"type": "Polygon", "coordinates": [ring]})


def _library(item: tuple[str, tuple[float, float]]) -> dict[str, Any]:
    name, place = item
    return _feature(name, {"type": "Point", "coordinates": [*place]})


def _feature(name: str, geometry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry}
