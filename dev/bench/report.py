"""The results: a table for the terminal, and a document with the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from stack.paths import ROOT

from .cases import Case, Side, Target

INTRODUCTION = """\
`bin/bench` measures how fast records are harvested, and writes this page. Each record has three
resources. The sides:

- **ours**: one gather consumer and one fetch consumer, by Redis, with batches of 100.
- **stock ckanext-dcat**: its harvesters in one process, which waits for no queue.
- **package_create alone**: CKAN's own action with the dicts that ours wrote, with a commit and a
  request to the index for each 100. Nothing that uses this action can be faster: it is the floor.

Solr commits by itself (`ckan.search.solr_commit = false`), except where a case says otherwise.
"""
_READ_FIRST = (
    "Reason: a run first reads and stages its catalogue and sends it to the fetch consumer, which "
    "takes 0.6 s of these 400 records' {seconds} s (0.9 s of 800 records'); package_create alone "
    "has none of it. Of the fetch consumer's own time 83 % is spent inside CKAN's package_create "
    "and in building documents for the index, which the floor does too (py-spy, 1,000 records). "
    "Tried: telling CKAN's listeners at fewer moments; "
    "they are told once for each dataset already. The rounds differ by more than what is missing."
)

# Why a target is missed: title of a case → the measured reason, and what was tried.
NOTES: dict[str, str] = {
    "First harvest, data.json": _READ_FIRST.format(seconds="8.2"),
    "First harvest, Turtle, with CKAN's activity plugin": _READ_FIRST.format(seconds="11.7"),
    "First harvest, data.json, 800 records and more consumers": (
        "Reason: this run counted the commits of consumers that were woken up and found nothing to "
        "claim. They change no row, so they do not wait for the disk. Counted again at commit "
        "facce42 without them: 0.020 commits a record."
    ),
}


def missed(cases: Sequence[Case], tolerance: float = 1.0) -> list[str]:
    """Return the targets that were missed, as text; each is multiplied with the tolerance."""
    return [
        _target(case, target)
        for case in cases
        for target in case.targets
        if not target.is_met(case.reached(target), tolerance)
    ]


def table(cases: Sequence[Case]) -> str:
    """Return the results as Markdown: for each case a heading, a table and its targets."""
    return "\n\n".join(_section(case) for case in cases)


def _section(case: Case) -> str:
    heads = ["side", case.unit, "lowest–highest", *KEYS, "peak memory"]
    rows = [_cells(name, side) for name, side in case.sides.items()]
    # Columns that no side fills are left out.
    kept = [number for number in range(len(heads)) if any(row[number] for row in rows)]
    lines = [f"## {case.title}", ""]
    lines.append(_row([heads[number] for number in kept]))
    lines.append(_row(["---"] + ["---:"] * (len(kept) - 1)))
    lines += [_row([row[number] for number in kept]) for row in rows]
    targets = [f"- {_target(case, each)}" for each in case.targets]
    notes = [f"- {NOTES[case.title]}"] if missed([case]) and case.title in NOTES else []
    if case.measured:
        notes.append(f"- measured {case.measured}")
    return "\n".join([*lines, "", *targets, *notes]).rstrip()


def _cells(name: str, side: Side) -> list[str]:
    low, high = min(side.values), max(side.values)
    spread = f"{_number(low)}–{_number(high)}" if len(side.values) > 1 else ""
    counts = [_per_record(side.per_record.get(key)) for key in KEYS]
    return [name, _number(side.median), spread, *counts, f"{side.peak} MB" if side.peak else ""]


def _number(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


KEYS = ("statements", "commits", "index requests")


def _per_record(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _target(case: Case, target: Target) -> str:
    digits = 3 if target.count else 2
    reached = round(case.reached(target), digits)
    verdict = "met" if target.is_met(reached) else "missed"
    limit = f"at {'most' if target.at_most else 'least'} {target.ratio:,.4g}"
    of = f" times {target.other}" if target.other else f" {case.unit}"
    if target.count:
        of = f" {target.count} a record{f' more than {target.other}' if target.other else ''}"
    return f"{target.side}: target {limit}{of}, measured {reached:,.{digits}f}: {verdict}"


def write(
    path: Path, cases: Sequence[Case], *, size: int, rounds: int, update: bool = False
) -> None:
    """Write the document, and the figures as JSON.

    Args:
        update: keep the document's other cases, each with the day and the commit of its figures.
    """
    machine = _machine()
    now = f"{datetime.now(UTC):%Y-%m-%d}, commit {_commit()}"
    for case in cases:
        case.measured = now
    if update:
        cases = _merged(json.loads(path.with_suffix(".json").read_text())["cases"], cases)
    data = {
        "machine": machine,
        "records": size,
        "rounds": rounds,
        "cases": [case.as_dict() for case in cases],
    }
    path.with_suffix(".json").write_text(json.dumps(data, indent=2) + "\n")
    path.write_text(
        f"# Performance\n\n{INTRODUCTION}\n"
        f"Figures are medians of {rounds} rounds with {size} records, unless a case says otherwise;"
        "\nthe sides take turns in each round. Statements, commits and requests to the index are"
        f"\ncounts for each record.\n\nMachine: {', '.join(machine.values())}. PostgreSQL, Redis,"
        "\nSolr, publisher and consumers share it.\n\n"
        f"{table(cases)}\n"
    )


def _merged(saved: Sequence[dict[str, object]], cases: Sequence[Case]) -> list[Case]:
    """Return the saved cases with those measured now in their places, new ones at the end."""
    new = {case.title: case for case in cases}
    old = {str(each["title"]): Case.from_dict(each) for each in saved}
    return list({**old, **new}.values())


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def _machine() -> dict[str, str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processors": f"{os.cpu_count()} cores",
        "memory": f"{memory:.0f} GiB",
        "system": platform.system(),
        "python": f"Python {platform.python_version()}",
    }
