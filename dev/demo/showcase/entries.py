"""Entries of a data.json, and the documents that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.publisher import Response

from demo.publishers import Read, Served, document
from demo.publishers.data_json import catalogue as catalogue_of_thornmere
from demo.publishers.data_json import counting
from demo.publishers.data_json.catalogue import HEAD, LICENCE

Entry = dict[str, Any]
MEDIA_TYPES = {
    **catalogue_of_thornmere.MEDIA_TYPES,
    "Turtle": "text/turtle",
    "WMS": "application/xml",
    "XLS": "application/vnd.ms-excel",
}


def entry(
    host: str,
    publisher: str,
    title: str,
    description: str,
    *,
    files: Iterable[tuple[str, str]] = (),
    keywords: Iterable[str] = (),
    box: str = "",
    **more: Any,
) -> Entry:
    """Return one entry.

    Args:
        host: of the publisher's identifiers, such as "https://data.fernley.example".
        files: URL and format of each file.
        box: west,south,east,north in degrees.
        more: further fields, or others than these.
    """
    slug = "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
    made: Entry = {
        "@type": "dcat:Dataset",
        "identifier": f"{host}/id/{slug}",
        "title": title,
        "description": description,
        "keyword": [*keywords],
        "modified": "2026-09-14",
        "issued": "2024-04-02",
        "publisher": {"@type": "org:Organization", "name": publisher},
        "contactPoint": {
            "@type": "vcard:Contact",
            "fn": "Open data team",
            "hasEmail": f"mailto:data@{host.removeprefix('https://')}",
        },
        "accessLevel": "public",
        "license": LICENCE,
        "landingPage": f"{host}/dataset/{slug}",
        "distribution": [
            {
                "@type": "dcat:Distribution",
                "title": f"{title} ({form})",
                "downloadURL": url,
                "mediaType": MEDIA_TYPES[form],
                "format": form,
            }
            for url, form in files
        ],
    }
    if box:
        made["spatial"] = box
    return {**made, **more}


def catalogue(entries: Iterable[Entry]) -> Response:
    """Return a data.json of them."""
    text = json.dumps({**HEAD, "dataset": [*entries]}, indent=2, ensure_ascii=False)
    return document(text, "application/json; charset=utf-8")


def count(read: Read, url: str) -> list[Served]:
    """Return the entries of a data.json."""
    return [counting.served(each) for each in json.loads(read(url))["dataset"]]
