"""Benchmark of scoring all datasets; run by hand: bin/test tests/ckan/bench_stars.py -s.

Ten thousand datasets with three resources each, a hundred of whose licences are long texts, are
scored with nothing stored before, again with nothing to change, and with all of them changed.
Indexing is measured on two hundred of them.
"""

from __future__ import annotations

import resource
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.stars import jobs as stars_jobs
from ckanext.ukharvest.stars.model import StarRating

pytestmark = pytest.mark.in_process

DATASETS = 10_000
INDEXED = 200
WANTED = 60  # seconds

FORMATS = ("CSV", "XLSX", "", "PDF", "GeoJSON", "WMS", "HTML", "text/turtle", "zip (csv)")
LICENCES = (
    {"license_id": "uk-ogl"},
    {"license_id": "other-closed"},
    {"licence": "Available under the Open Government Licence v3.0. Contains OS data."},
    {"license_url": "https://creativecommons.org/licenses/by/4.0/"},
    {},
)
TERMS = "Made for the survey of {}. Under the Open Government Licence. " + "It covers rivers. " * 60


def datasets() -> Iterator[tuple[dict[str, Any], dict[str, str], list[dict[str, Any]]]]:
    """Return package, extras and resources as the tables have them."""
    for number in range(DATASETS):
        terms: dict[str, str] = dict(LICENCES[number % len(LICENCES)])
        if number % 100 == 0:
            terms = {"licence": TERMS.format(number)}
        package = {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, str(number))),
            "name": f"dataset-{number}",
            "title": f"Dataset {number}",
            "type": "dataset",
            "state": "active",
            "private": False,
            "license_id": terms.pop("license_id", ""),
        }
        extras = {**terms, "guid": package["id"], "spatial": "[0.25, 51.5], " * 100}
        extras |= {f"fact-{each}": f"What is known, {each}" for each in range(12)}
        resources = [
            {
                "id": str(uuid.uuid4()),
                "package_id": package["id"],
                "url": f"https://files.example/{number}/{each}.{'csv' if each else 'php'}",
                "format": FORMATS[(number + each) % len(FORMATS)],
                "state": "active",
                "position": each,
                "extras": {"data_modified": "2026-05-01"},
            }
            for each in range(3)
        ]
        yield package, extras, resources


def fill() -> None:
    """Insert them without CKAN's actions, which would take half an hour."""
    made = list(datasets())
    has_column = "extras" in model.package_table.c
    packages = [{**each, "extras": extras} if has_column else each for each, extras, _ in made]
    model.Session.execute(model.package_table.insert(), packages)
    if not has_column:
        rows = [
            {"id": str(uuid.uuid4()), "package_id": each["id"], "key": key, "value": value}
            for each, extras, _resources in made
            for key, value in extras.items()
        ]
        table = model.PackageExtra.__table__
        model.Session.execute(table.insert(), [{**row, "state": "active"} for row in rows])
    model.Session.execute(
        model.resource_table.insert(), [row for *_rest, resources in made for row in resources]
    )
    model.Session.commit()


def timed(title: str) -> float:
    started = time.monotonic()
    done = changed = 0
    for number, changes in stars_jobs.score_all():
        done, changed = done + number, changed + len(changes)
    took = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{title}: {done:,} datasets, {changed:,} changed, {took:.1f} s, {peak} MB at most")
    assert done == DATASETS
    return took


def test_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    index = search_index.index_changed
    monkeypatch.setattr(search_index, "index_changed", lambda *_: model.Session.commit())
    fill()
    print()
    assert timed("nothing stored") < WANTED
    assert timed("nothing to change") < WANTED
    model.Session.execute(sa.update(StarRating).values(stars=5, stars_code="other"))
    model.Session.commit()
    changes = [change for _number, some in stars_jobs.score_all() for change in some]
    started = time.monotonic()
    index([change.id for change in changes[:INDEXED]], lambda: False)
    each = (time.monotonic() - started) / INDEXED
    print(f"search index: {each * 1000:.0f} ms each, {each * DATASETS:.0f} s for all")
