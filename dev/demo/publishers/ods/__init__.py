"""A borough's Opendatasoft portal, 40 datasets a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.publisher import Response, Route

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue

TITLE = "Marlbeck Borough Council (Opendatasoft)"
ORGANISATION = "Marlbeck Borough Council"
PATH = "/"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

API = "/api/explore/v2.1/catalog/"
LIST = API + "datasets?limit=100&offset={}&order_by=dataset_id"
# The portal returns fewer than it is asked for.
PAGE = 40
# Away from each other and from the pages' ends.
BAD = 33
GONE = (9, 51)


def routes(_base: str, fault: str) -> dict[str, Route]:
    """Return the home page, and each page of the list."""
    datasets = catalogue.datasets()
    if fault == "bad-record":
        del datasets[BAD]["metas"]["default"]["title"]
    if fault == "two-gone":
        datasets = [each for index, each in enumerate(datasets) if index not in GONE]
    found: dict[str, Route] = {
        PATH: Response(b"<html><head><title>Marlbeck open data</title></head></html>")
    }
    for start in range(0, len(datasets), PAGE):
        answer = {"total_count": len(datasets), "results": datasets[start : start + PAGE]}
        page = document(json.dumps(answer), "application/json; charset=utf-8")
        found[LIST.format(start)] = failure() if start and fault == "page2-500" else page
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read page after page, up to the number that the first one announces."""
    base = url.rstrip("/")
    found: list[Served] = []
    total = 1
    while len(found) < total:
        answer = json.loads(read(base + LIST.format(len(found))))
        total = answer["total_count"]
        found += [_served(base, each) for each in answer["results"]]
    return found


def _served(base: str, dataset: dict[str, Any]) -> Served:
    default, dcat = (dataset["metas"][name] for name in ("default", "dcat"))
    place = f"{base}{API}datasets/{dataset['dataset_id']}"
    formats = ("csv", "json", *(("geojson", "shp", "kml") if "geo" in dataset["features"] else ()))
    urls = [f"{place}/exports/{each}" for each in formats]
    urls += [f"{place}/attachments/{each['id']}" for each in dataset["attachments"]]
    return Served(
        guid=dataset["dataset_id"],
        title=default.get("title", ""),
        urls=frozenset(urls),
        raw=json.dumps(dataset, sort_keys=True),
        licence="uk-ogl",
        extras={
            "dcat_publisher_name": default["publisher"],
            "data_modified": default["modified"],
            "contact-email": dcat["contact_email"],
        },
        box=catalogue.BOX if "bbox" in default else None,
        is_readable="title" in default,
    )
