"""A year of daily harvests: how much the tables grow."""

from __future__ import annotations

import json

from tests.publisher import Response

from stack.console import say, step

from .cases import LIMIT, OUR_TYPES, Bench, Case, Side, Target
from .catalogues import data_json
from .portals import Inside

DAYS = 365
WHOLE = 10_000  # records that the target speaks of
RECORDS = 1_000  # that are harvested; all figures are multiplied
CHANGED = RECORDS // 100  # each day, others than the day before
MEGABYTES = 100
_NAME = "year"
GROWTH = "tables of harvesting, for 10,000 records"


def measure(bench: Bench) -> Case:
    """Harvest a catalogue every day of a year, with cron's tick after each run."""
    case = Case(
        f"Growth in a year of daily harvests, {WHOLE:,} records, 1 % changed",
        "MB",
        [Target(GROWTH, "", MEGABYTES, at_most=True)],
        {GROWTH: Side()},
    )
    with bench.ours.inside() as inside, bench.ours.consumers() as _:
        url = bench.publisher.url(f"/{_NAME}/data.json")
        _serve(bench, 0)
        kind = OUR_TYPES["data.json"]
        source = inside.ask("source", name=_NAME, url=url, kind=kind)["id"]
        with step(f"First harvest of {RECORDS:,} records"):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        before = inside.ask("sizes")["MB"]
        with step(f"{DAYS} harvests"):
            _harvest(bench, inside, source)
        # A year takes minutes here, in which cron's tick would not prune.
        inside.ask("prune")
        after = inside.ask("sizes")["MB"]
    grown = {table: after[table] - before.get(table, 0) for table in after}
    for table in sorted(grown, key=lambda each: -grown[each])[:12]:
        say(f"    {table}: {grown[table] * WHOLE / RECORDS:.1f} MB")
    case.sides[GROWTH].values.append(sum(grown.values()) * WHOLE / RECORDS)
    return case


def _harvest(bench: Bench, inside: Inside, source: str) -> None:
    for day in range(1, DAYS + 1):
        _serve(bench, day)
        figures = inside.ask("harvest", source_id=source, limit=LIMIT)["figures"]
        assert figures == {"updated": CHANGED}, figures


def _serve(bench: Bench, day: int) -> None:
    """Serve the catalogue of a day: each day other records are described anew."""
    [(path, response)] = data_json(_NAME, RECORDS).items()
    assert isinstance(response.body, bytes)
    catalogue = json.loads(response.body)
    for number, each in enumerate(catalogue["dataset"]):
        # The last day on or before this one on which the record changed.
        last = day - (day - 1 - number // CHANGED) % (RECORDS // CHANGED)
        if last > 0:
            each["description"] += f" Counted again on day {last}."
    headers = {"Content-Type": "application/json"}
    bench.publisher.routes[path] = Response(json.dumps(catalogue).encode(), headers=headers)
