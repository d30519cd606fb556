"""Datasets of an Opendatasoft portal, and the records that they become."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.ods import parser
from ckanext.ukharvest.source_types.portals import ODS

PAGE = "https://data.example/explore/dataset/parks/"


def parse(
    default: dict[str, Any] | None = None,
    given: dict[str, Any] | None = None,
    *,
    url: str = PAGE,
    others: dict[str, Any] | None = None,
    **own: Any,
) -> DatasetRecord:
    """Parse a dataset of Explore API 2.1."""
    metas = {"default": {"title": "Parks", **(default or {})}, **(others or {})}
    return parsed({"dataset_id": "parks", "has_records": True, "metas": metas, **own}, given, url)


def parsed(
    data: dict[str, Any], given: dict[str, Any] | None = None, url: str = PAGE
) -> DatasetRecord:
    raw = RawRecord("parks", json.dumps(data), url)
    return parser.parse(raw, options.validate(given or {}, ODS.options))


def codes(record: DatasetRecord) -> list[tuple[str, str]]:
    return [(each.code, each.field) for each in record.problems if each.code != "missing-field"]
