"""Pages of records, read by the engine of all protocols."""

from __future__ import annotations

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.walk import Pages, Point, Walk


def read(pages: Pages, start: int = 1, before: int = 0) -> tuple[list[RawRecord], Walk, list[int]]:
    totals: list[int] = []
    reading = Walk(pages, totals.append)
    return list(reading.read(Point((start,), before))), reading, totals


def guids(pages: Pages) -> str:
    return "".join(raw.guid for raw in read(pages)[0])
