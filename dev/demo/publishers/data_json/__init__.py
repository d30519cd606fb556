"""A council's data.json (Project Open Data 1.1) in pages of ?page=n."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue
from .counting import served

TITLE = "Thornmere Borough Council (data.json)"
ORGANISATION = "Thornmere Borough Council"
PATH = "/data.json"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

PAGE = 60
# Away from each other and from the pages' ends.
BAD = 66
GONE = (4, 111)


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the pages; there is nothing after the last one."""
    datasets = catalogue.datasets()
    if fault == "bad-record":
        del datasets[BAD]["title"]
    if fault == "two-gone":
        datasets = [each for index, each in enumerate(datasets) if index not in GONE]
    pages = [datasets[start : start + PAGE] for start in range(0, len(datasets), PAGE)]
    found = {_path(number): _page(page) for number, page in enumerate(pages, 1)}
    if fault == "page2-500":
        found[_path(2)] = failure()
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read page after page, until one is missing."""
    found: list[Served] = []
    number = 1
    while True:
        try:
            text = read(url if number == 1 else f"{url}?page={number}")
        except FileNotFoundError:
            return found
        found += [served(entry) for entry in json.loads(text)["dataset"]]
        number += 1


def _path(number: int) -> str:
    return PATH if number == 1 else f"{PATH}?page={number}"


def _page(datasets: list[dict[str, Any]]) -> Response:
    text = json.dumps({**catalogue.HEAD, "dataset": datasets}, indent=2, ensure_ascii=False)
    return document(text, "application/json; charset=utf-8")
