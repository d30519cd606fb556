"""A county's CKAN site, read by package_search in pages of 100 that overlap by one dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tests.publisher import Response

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue
from .counting import served

TITLE = "Wendlesham County Council (CKAN)"
ORGANISATION = "Wendlesham County Council"
PATH = "/"
# Each run reads everything, so that the runs differ only by the site's changes.
CONFIG: Mapping[str, Any] = {"full_check_days": 0}
FAULTS = tuple(ALL_FAULTS)

PAGE = 100
# Away from each other and from the pages' ends.
BAD = 57
GONE = (12, 131)


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the search's pages."""
    packages = catalogue.packages(base)
    if fault == "bad-record":
        packages[BAD]["title"] = ""
    if fault == "two-gone":
        packages = [each for index, each in enumerate(packages) if index not in GONE]
    found: dict[str, Response] = {}
    for number, start in enumerate(range(0, len(packages), PAGE - 1), 1):
        result = {"count": len(packages), "results": packages[start : start + PAGE]}
        broken = fault == "page2-500" and number == 2
        found[_page(start)] = failure() if broken else _answer(base, "package_search", result)
    return found


def count(read: Read, url: str) -> list[Served]:
    """Return every dataset of the search's pages, the shared one of two pages once."""
    base = url.rstrip("/")
    packages: dict[str, Any] = {}
    start, total = 0, 1
    while start < total:
        result = json.loads(read(base + _page(start)))["result"]
        packages.update((each["id"], each) for each in result["results"])
        start, total = start + PAGE - 1, result["count"]
    return [served(each) for each in packages.values()]


def _page(start: int) -> str:
    asked = urlencode({"rows": PAGE, "start": start, "sort": "id asc"})
    return f"/api/3/action/package_search?{asked}"


def _answer(base: str, action: str, result: object) -> Response:
    about = f"{base}/api/3/action/help_show?name={action}"
    text = json.dumps({"help": about, "success": True, "result": result}, ensure_ascii=False)
    return document(text, "application/json;charset=utf-8")
