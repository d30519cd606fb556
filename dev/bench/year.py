"""A year of daily harvests: how much the tables grow."""

from __future__ import annotations

from stack.console import say, step

from .cases import LIMIT, OUR_TYPES, Bench, Case, Side, Target
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
        url = bench.catalogues.serve("data.json", _NAME, RECORDS)
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
        bench.catalogues.serve("data.json", _NAME, RECORDS, day=day)
        figures = inside.ask("harvest", source_id=source, limit=LIMIT)["figures"]
        assert figures == {"updated": CHANGED}, figures
