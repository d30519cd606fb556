"""What bin/demo shows beside one source of each type: sources that need somebody, and maps.

All are data.json documents of one server. LATER is the state in which a second run finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.publisher import Response
from tests.publishing import files
from tests.publishing.data_json import dataset
from tests.publishing.records import OGL, Box, File, Record
from tests.publishing.service import json_response
from tests.publishing.wms import Layer

from .catalogue import slug
from .publishers import Publisher

Entries = list[dict[str, Any]]
FERNLEY = (
    "Allotments", "Business rates", "Council tax bands", "Dog bins", "Food hygiene ratings",
    "Grants to voluntary groups", "Licensed premises", "Noise complaints", "Playgrounds",
    "Public toilets", "Recycling points", "Taxi licences", "Trees with preservation orders",
    "Ward boundaries",
)  # fmt: skip
LEFT = ("Allotments", "Council tax bands", "Playgrounds", "Recycling points", "Ward boundaries")
MUSEUM = ("Paintings", "River boats", "Pottery", "Herbarium", "Visitors")
BUSES = (
    "Bus stops", "Timetables", "Fares", "Punctuality", "Passengers", "Lost property",
    "Park and ride", "School routes",
)  # fmt: skip
MAPS = {
    "Parks and green spaces": ("GeoJSON", "WMS"),
    "Flood zones of the Wend": ("WMS",),
    "Libraries": ("CSV", "GeoJSON"),
    "Park names as linked data": ("Turtle",),
    "Park register in RDF": ("Turtle",),
    "Street gazetteer": ("XLSX",),
    "Town plan of 1884": ("PDF",),
}
LINKED = "Park names as linked data"
BOX = (-2.15, 52.86, -1.87, 53.04)
PARKS = [(-2.033, 52.951, -2.022, 52.958), (-2.008, 52.929, -1.989, 52.941)]
LAYERS = (
    Layer("parks", "Parks and green spaces", (46, 125, 50), PARKS),
    Layer("flood", "Flood zones of the Wend", (25, 104, 190), [(-2.12, 52.905, -1.9, 52.928)]),
)
PUBLISHERS = {
    "fernley": Publisher(
        "fernley-district-council", "data_json", "Fernley District Council",
        "Fernley District Council", "After its website was rebuilt, it lists 5 datasets instead of "
        "14.", "/fernley/data.json"),
    "museum": Publisher(
        "museum-of-the-wend", "data_json", "Museum of the Wend", "Museum of the Wend",
        "It was read once, and the server has answered 404 since then.", "/museum/data.json"),
    "buses": Publisher(
        "wend-valley-buses", "data_json", "Wend Valley Buses", "Wend Valley Buses",
        "Some of its entries cannot be imported, others lack something.", "/buses/data.json"),
    "maps": Publisher(
        "thornmere-map-room", "data_json", "Thornmere Map Room", "Thornmere Borough Council",
        "Services and files, from one star to five.", "/maps/data.json"),
}  # fmt: skip


def records(base: str) -> dict[str, list[Record]]:
    """Return the records by the names in PUBLISHERS."""
    return {
        "fernley": _records(base, "fernley", dict.fromkeys(FERNLEY, ("CSV",)), BOX),
        "museum": _records(base, "museum", dict.fromkeys(MUSEUM, ("CSV",)), None),
        "buses": _records(base, "buses", dict.fromkeys(BUSES, ("CSV",)), None),
        "maps": [_mapped(base, each) for each in _records(base, "maps", MAPS, BOX)],
    }


def _records(
    base: str, key: str, titles: Mapping[str, Iterable[str]], box: Box | None
) -> list[Record]:
    host = f"data.{key}.example"
    return [
        Record(
            number,
            title=title,
            description=f"{title} of {PUBLISHERS[key].organisation}, updated every quarter.",
            guid=f"https://{host}/id/{slug(title)}",
            name=f"{key}-{slug(title)}",
            page=f"{base}/dataset/{key}-{slug(title)}",
            tags=(key,),
            publisher=PUBLISHERS[key].organisation,
            email=f"data@{host}",
            licence=OGL,
            modified="2026-09-14",
            box=box,
            files=files.links(
                base, f"{key}-{slug(title)}", *(each for each in formats if each != "WMS")
            ),
        )
        for number, (title, formats) in enumerate(titles.items())
    ]


def _mapped(base: str, record: Record) -> Record:
    """Return a record of the map room with its service and what it is linked to."""
    found = tuple(record.files or ())
    if "WMS" in MAPS[record.title]:
        address = f"{base}/wms?service=WMS&request=GetCapabilities"
        found += (File(address, f"{record.title} (WMS)", "WMS"),)
    relation = "https://www.wikidata.org/wiki/Q22698" if record.title == LINKED else ""
    return replace(record, files=found, relation=relation)


def document(key: str, base: str, *, later: bool) -> Response:
    """Return the data.json of a publisher in its first or its later state."""
    if key == "museum" and later:
        page = b"<html><head><title>404 Not Found</title></head><body></body></html>"
        return Response(page, 404, {"Content-Type": "text/html"})
    found = records(base)[key]
    if key == "fernley" and later:
        found = [each for each in found if each.title in LEFT]
    entries = [dataset(each) for each in found]
    if key == "buses":
        _spoil(entries)
    return json_response({"dataset": entries})


def _spoil(entries: Entries) -> None:
    by_title = {each["title"]: each for each in entries}
    by_title["Fares"]["title"] = ""
    by_title["Lost property"]["identifier"] = by_title["Bus stops"]["identifier"]
    del by_title["Punctuality"]["license"]
    by_title["Passengers"]["modified"] = "last Tuesday"
    by_title["Park and ride"]["distribution"] = []
    del by_title["Park and ride"]["landingPage"]
