"""Packages of a CKAN site, and the records that they become."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.records import (
    DatasetRecord,
    RawRecord,
)
from ckanext.ukharvest.parsers.ckan import parser as ckan

URL = "https://data.example/dataset/bins"


def parsed(fields: dict[str, Any] | None = None, /, **more: Any) -> DatasetRecord:
    """Parse a small package with these fields; ``fields`` is the source's table."""
    package = {"id": "id-1", "name": "bins", "title": "Bins", "notes": "Where they are."}
    package |= {"license_id": "uk-ogl", "type": "dataset", "state": "active"} | more
    given = options.validate({"fields": fields or {}}, ckan.OPTIONS)
    return ckan.parse(RawRecord("id-1", json.dumps(package), url=URL), given)


def codes(record: DatasetRecord) -> list[str]:
    return [problem.code for problem in record.problems]


A, B = "http://schemas.opendata.esd.org.uk/PublicToilets", "https://b.example/s.json"
