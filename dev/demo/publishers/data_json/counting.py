"""Expected fields of an entry, read without the extension's code."""

from __future__ import annotations

import json
from typing import Any

from demo.publishers import Box, Served

LICENCES = {
    "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/": "uk-ogl",
    "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/": "uk-ogl",
}


def served(entry: dict[str, Any]) -> Served:
    """Read one entry of "dataset"."""
    return Served(
        guid=entry["identifier"],
        title=entry.get("title", ""),
        # data.gov.uk's mapping adds the landing page as a resource.
        urls=frozenset([*map(_url, entry["distribution"]), *_landing_page(entry)]),
        raw=json.dumps(entry, sort_keys=True),
        licence=LICENCES[entry["license"]] if "license" in entry else "",
        extras={
            "data_modified": entry["modified"],
            "dcat_publisher_name": entry["publisher"]["name"],
        },
        box=_box(entry.get("spatial")),
        is_readable=bool(entry.get("title")),
    )


def _url(distribution: dict[str, Any]) -> str:
    return str(distribution.get("downloadURL") or distribution["accessURL"])


def _landing_page(entry: dict[str, Any]) -> list[str]:
    return [entry["landingPage"]] if "landingPage" in entry else []


def _box(text: str | None) -> Box | None:
    if not text:
        return None
    west, south, east, north = (float(each) for each in text.split(","))
    return west, south, east, north
