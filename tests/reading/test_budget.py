"""The budget of a preview: its time, its bytes and its requests."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.reading.budget import Budget
from tests.publisher import SOURCES, Publisher, recorded
from tests.reading.full_datasets import datasets
from tests.reading.previewed import PATH, preview


def test_a_source_that_is_slow_ends_in_time(publisher: Publisher) -> None:
    # The whole of it takes an hour.
    publisher.serve(PATH, " " * 72_000, pause=0.05, slow_start=True)
    found = preview(publisher.url(PATH), budget=Budget(seconds=0.5))
    assert (found["verdict"], found["over"]) == ("unfinished", "time")


def test_a_document_that_is_too_large_for_a_preview(publisher: Publisher) -> None:
    publisher.serve(PATH, " " * 2_000_000 + '{"dataset": []}')
    found = preview(publisher.url(PATH), budget=Budget(megabytes=1))
    assert (found["verdict"], found["over"], found["error"]) == ("unfinished", "size", None)


def test_run_stops_on_request(publisher: Publisher) -> None:
    publisher.serve(PATH, datasets(10))
    told: list[tuple[str, int]] = []

    def tell(stage: str, done: int) -> bool:
        told.append((stage, done))
        return done < 3

    found = preview(publisher.url(PATH), tell=tell)
    assert (found["verdict"], found["over"]) == ("unfinished", "stopped")
    assert told == [("listing", 0), ("reading", 1), ("reading", 2), ("reading", 3)]
    preview(publisher.url(PATH), tell=lambda *now: bool(told.append(now)) or True)
    assert told[-1] == ("comparing", 10)


@pytest.mark.parametrize(("case", "total"), [("csw-pages", 4), ("gemini-waf", 5)])
def test_catalogues_and_folders_say_how_many_they_have(case: str, total: int) -> None:
    told = json.loads((SOURCES / case / "source.json").read_text(encoding="utf-8"))
    with recorded(case) as publisher:
        url = publisher.url(told["path"])
        found = preview(url, told["type"], budget=Budget(records=1))
    assert (found["read"], found["count"], found["count_is_exact"]) == (1, total, True)
