"""Entries of a data.json, and the records that they become."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.data_json import parser as datajson

COMPLETE = {
    "identifier": "x",
    "title": "X",
    "description": "D",
    "publisher": {"name": "P"},
    "contactPoint": {"fn": "C"},
    "license": "uk-ogl",
}


def parse(entry: dict[str, Any], **options: Any) -> DatasetRecord:
    data = {**COMPLETE, **entry}
    raw = RawRecord(datajson.identifier(data), json.dumps(data))
    return datajson.parse(raw, options)


def codes(record: DatasetRecord) -> list[str]:
    return [f"{problem.code} {problem.field}" for problem in record.problems]
