"""Tables of datasets, and reads of them."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.source_types import TYPES
from tests.publisher import Publisher

KIND = TYPES["dataset_table"]


def read(
    publisher: Publisher, http: HttpClient, body: str | bytes
) -> tuple[list[RawRecord], Ending]:
    publisher.serve("/datasets.csv", body)
    source = Source(publisher.url("/datasets.csv"), options.validate({}, KIND.options), http)
    reading = Reading(unique(KIND.reader.records(source)))
    records = list(reading)
    assert reading.ending is not None
    return records, reading.ending


def entries(records: list[RawRecord]) -> list[dict[str, Any]]:
    return [json.loads(raw.content or "") for raw in records]
