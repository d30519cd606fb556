"""A council's DKAN 7: pages of packages whose dates and sizes are formatted for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tests.publisher import Response

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, failure

from . import catalogue

TITLE = "Wendbridge District Council (DKAN)"
ORGANISATION = "Wendbridge District Council"
PATH = "/"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

ACTIONS = "/api/3/action/"
LIST = ACTIONS + "current_package_list_with_resources?limit=100&offset="
# The site returns fewer than it is asked for.
PAGE = 40
# Away from each other and from the pages' ends.
BAD = 47
GONE = (7, 66)


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the home page, the pages of packages, the names, and each single package."""
    packages = catalogue.packages(base)
    if fault == "bad-record":
        del packages[BAD]["title"]
    if fault == "two-gone":
        packages = [each for index, each in enumerate(packages) if index not in GONE]
    found = {
        PATH: Response(b"<html><head><title>Open data</title></head></html>"),
        ACTIONS + "package_list": _answer([each["name"] for each in packages]),
    }
    for start in range(0, len(packages) + PAGE, PAGE):
        page = packages[start : start + PAGE]
        found[f"{LIST}{min(start, len(packages))}"] = _answer(page)
    for each in packages:
        found[f"{ACTIONS}package_show?id={each['name']}"] = _answer([each])
    if fault == "page2-500":
        found[f"{LIST}{PAGE}"] = failure()
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read page after page, until one is empty."""
    found: list[Served] = []
    while True:
        page = json.loads(read(f"{url.rstrip('/')}{LIST}{len(found)}"))["result"]
        if not page:
            return found
        found += map(_served, page)


def _served(package: dict[str, Any]) -> Served:
    printed = datetime.strptime(package["metadata_modified"], "%a, %d/%m/%Y - %H:%M")  # noqa: DTZ007  # the site prints no zone
    return Served(
        guid=package["id"],
        title=package.get("title", ""),
        urls=frozenset(each["url"] for each in package["resources"]),
        raw=json.dumps(package, sort_keys=True),
        licence="uk-ogl",
        extras={
            "data_modified": printed.isoformat(timespec="minutes"),
            "dcat_publisher_name": package["groups"][0]["title"],
        },
        is_readable=bool(package.get("title")),
    )


def _answer(result: Any) -> Response:
    text = json.dumps({"help": "", "success": True, "result": result}, indent=1)
    return Response(text.encode(), headers={"Content-Type": "application/json; charset=utf-8"})
