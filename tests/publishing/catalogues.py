"""Catalogues of any size for storms and the benchmark: datasets with three files, in any format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.publisher import Route
from tests.publishing import data_json, dcat, gemini, inventory, waf
from tests.publishing.records import OGL, File, Record
from tests.publishing.service import json_response, text_response

DATE, LATER = "2026-05-01", "2026-05-02"
HOST = "https://data.bench.example"
BOX = (-2.1, 51.2, -1.2, 52.1)
Routes = dict[str, Route]


def records(name: str, count: int, changed: int = 0, *, untitled: bool = False) -> Iterator[Record]:
    """Yield the records of a catalogue.

    Args:
        name: of the catalogue; in titles and identifiers, so that no two catalogues share any.
        changed: so many records, from the first on and round again, have a longer description.
        untitled: none has a title.
    """
    for number in range(count):
        more = " It was counted again." * ((changed - number - 1) // count + 1)
        yield Record(
            number,
            title="" if untitled else f"Ward {number} in numbers ({name})",
            description=f"What the county counted in ward {number}. " * 5 + more,
            guid=f"{HOST}/{name}/{number}",
            tags=("wards", "counts", f"group {number % 50}"),
            publisher="County",
            email="data@bench.example",
            licence=OGL,
            modified=DATE,
            files=tuple(
                File(f"{HOST}/{name}/{number}/{year}.csv", f"Numbers of year {year}", "CSV")
                for year in (2023, 2024, 2025)
            ),
        )


def _data_json(found: Iterator[Record], path: str) -> Routes:
    return {path: json_response(data_json.catalogue(found))}


def _turtle(found: Iterator[Record], path: str) -> Routes:
    catalogue = f"{HOST}{path}"
    text = "".join(
        f"<{catalogue}> dcat:dataset <{each.guid}> .\n{dcat.turtle_of(each)}" for each in found
    )
    head = f"{dcat.TURTLE}<{catalogue}> a dcat:Catalog .\n"
    return {path: text_response(head + text, "text/turtle")}


def _json_ld(found: Iterator[Record], path: str) -> Routes:
    text = json.dumps(dcat.json_ld(found, f"{HOST}{path}"))
    return {path: text_response(text, "application/ld+json")}


def _inventory(found: Iterator[Record], path: str) -> Routes:
    return {path: text_response(inventory.inventory(found), "text/xml; charset=utf-8")}


def _folder(found: Iterator[Record], path: str) -> Routes:
    dates, routes = {}, {}
    for each in found:
        file = f"{each.number}.xml"
        dates[file] = LATER if "again" in each.description else DATE
        # As short as what was measured before.
        text = gemini.gemini(replace(each, publisher="", licence="", box=BOX))
        routes[path + file] = text_response(text)
    return {path: waf.dated_page(dates), **routes}


# Format → the path that a source names, with the catalogue's name, and the routes behind it.
FORMATS: dict[str, tuple[str, Callable[[Iterator[Record], str], Routes]]] = {
    "data.json": ("/{}/data.json", _data_json),
    "Turtle": ("/{}/catalog.ttl", _turtle),
    "JSON-LD": ("/{}/catalog.jsonld", _json_ld),
    "inventory": ("/{}/inventory.xml", _inventory),
    "folder": ("/{}/waf/", _folder),
}


def path_of(format_: str, name: str) -> str:
    """Return the path of a catalogue that a source names."""
    return FORMATS[format_][0].format(name)


def routes(
    format_: str, name: str, count: int, changed: int = 0, *, untitled: bool = False
) -> Routes:
    """Return what serves a catalogue; arguments as of ``records``."""
    found = records(name, count, changed, untitled=untitled)
    return FORMATS[format_][1](found, path_of(format_, name))
