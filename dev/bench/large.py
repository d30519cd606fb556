"""Catalogues of 100,000 records: what their gather needs, and who waits for them."""

from __future__ import annotations

import time

from stack.console import say, step

from .cases import ALONE, BEHIND, LIMIT, Bench, Case, Side, Target, counted
from .portals import Consumers, Inside

MANY, FEW = 100_000, 600
# Of the consumer's process; and of what a graph adds to a consumer that has CKAN loaded.
MEGABYTES = {"data.json": 250}
MORE_MEGABYTES = {"Turtle": 150, "JSON-LD": 150}
HEAD_START = 5.0  # seconds of the large source's import


def gather(bench: Bench) -> list[Case]:
    """Measure the memory of a gather consumer that reads a large catalogue."""
    formats = (*MEGABYTES, *MORE_MEGABYTES)
    title = f"Gather of {MANY:,} records: memory of the consumer"
    limits = [Target(format_, "", most, at_most=True) for format_, most in MEGABYTES.items()]
    whole = Case(title, "MB", limits)
    limits = [Target(format_, "", most, at_most=True) for format_, most in MORE_MEGABYTES.items()]
    more = Case(f"{title}, beyond what it has before", "MB", limits)
    for format_ in formats:
        with bench.ours.inside() as inside, bench.ours.consumers(0) as consumers:
            before = consumers.counts()["peak MB"]
            id_ = bench.source(inside, format_, MANY)
            with step(f"{title}, {format_}"):
                _gather(inside, id_)
            peak = consumers.counts()["peak MB"]
            whole.sides[format_] = Side([peak])
            more.sides[format_] = Side([peak - before])
            say(f"    {peak} MB, {before} MB before")
            _drop(bench, inside, id_)
    return [whole, more]


def behind(bench: Bench) -> Case:
    """Measure the first harvest of a source that comes after a far larger one."""
    case = Case(
        f"First harvest of {FEW} records, two consumers",
        "records/s",
        [Target(BEHIND, ALONE, 1 / 2.5)],
        {ALONE: Side(), BEHIND: Side()},
    )
    with bench.ours.inside() as inside, bench.ours.consumers(2) as consumers:
        bench.warm_up(inside, "data.json")
        case.sides[ALONE].values.append(_few(bench, inside, consumers, ALONE))
        id_ = bench.source(inside, "data.json", MANY)
        with step(f"Gather of {MANY:,} records"):
            _gather(inside, id_)
        time.sleep(HEAD_START)
        case.sides[BEHIND].values.append(_few(bench, inside, consumers, BEHIND))
        _drop(bench, inside, id_)
    return case


def _few(bench: Bench, inside: Inside, consumers: Consumers, side: str) -> float:
    with step(f"{FEW} records, {side}"):
        id_ = bench.source(inside, "data.json", FEW)
        seconds, _counts = counted(inside, consumers, id_, FEW)
    say(f"    {FEW / seconds:.1f} records/s")
    return FEW / seconds


def _gather(inside: Inside, source_id: str) -> None:
    job_id = inside.ask("start", source_id=source_id)["id"]
    inside.ask("wait", job_id=job_id, limit=LIMIT, gather_only=True)


def _drop(bench: Bench, inside: Inside, source_id: str) -> None:
    """Delete a source with what waits of it, so that the next case begins without it."""
    inside.ask("drop", source_id=source_id)
    bench.catalogues.clear()
