"""The benchmark's publisher as a process: `python serve.py`, with a URL as its first line.

A POST of {"name", "format", "count", …} to /_control serves a catalogue of any size: datasets with
three resources, alike in all formats, which ``tests.publishing`` writes.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from tests.publisher import Publisher, Request, Response, Route  # noqa: E402
from tests.publishing import data_json, dcat, gemini, inventory, waf  # noqa: E402
from tests.publishing.records import OGL, File, Record  # noqa: E402
from tests.publishing.service import json_response, text_response  # noqa: E402

from bench.catalogues import CONTROL, PATHS  # noqa: E402

DATE, LATER = "2026-05-01", "2026-05-02"
HOST = "https://data.bench.example"
BOX = (-2.1, 51.2, -1.2, 52.1)
Routes = dict[str, Route]


def records(name: str, count: int, changed: int = 0, day: int = 0) -> Iterator[Record]:
    """Yield the records of a catalogue.

    Args:
        name: of the catalogue; in titles and identifiers, so that no two catalogues share any.
        changed: so many of the first have another description.
        day: of a year in which each day another hundredth is described anew; 0 for none.
    """
    each_day = max(1, count // 100)
    for number in range(count):
        more = " It was counted again." if number < changed else ""
        # The last day on or before this one on which the record changed.
        last = day - (day - 1 - number // each_day) % (count // each_day) if day else 0
        if last > 0:
            more += f" Counted again on day {last}."
        yield Record(
            number,
            title=f"Ward {number} in numbers ({name})",
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


FORMATS: dict[str, Callable[[Iterator[Record], str], Routes]] = {
    "data.json": _data_json,
    "Turtle": _turtle,
    "JSON-LD": _json_ld,
    "inventory": _inventory,
    "folder": _folder,
}


def routes(format_: str, name: str, count: int, changed: int = 0, day: int = 0) -> Routes:
    """Return what serves a catalogue; arguments as of ``records``."""
    found = records(name, count, changed, day)
    return FORMATS[format_](found, PATHS[format_].format(name))


def main() -> None:
    with Publisher() as server:

        def obey(request: Request) -> Response:
            asked = json.loads(request.body)
            if not asked:
                server.routes = {f"POST {CONTROL}": obey}
                return json_response({})
            server.requests.clear()
            server.routes.update(routes(asked.pop("format"), **asked))
            return json_response({})

        server.routes = {f"POST {CONTROL}": obey}
        print(server.base, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
