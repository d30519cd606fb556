"""Entries of OpenSearch, and the records that they become."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.opensearch import parser

NAMES = (
    'xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"'
    ' xmlns:owc="http://www.opengis.net/owc/1.0"'
)


TITLED = "<title>Rivers</title><summary>All rivers.</summary>"


def atom(inside: str) -> DatasetRecord:
    content = f"<entry {NAMES}>{inside}</entry>"
    return parser.parse(RawRecord("a", content, url="https://search.example/p1"), {})


def geojson(own: dict[str, Any] | None = None, **inner: Any) -> DatasetRecord:
    properties = {"title": "Rivers", "abstract": "All rivers.", **inner}
    return parser.parse(RawRecord("a", json.dumps({**(own or {}), "properties": properties})), {})


def codes(record: DatasetRecord) -> list[str]:
    return [each.code for each in record.problems]
