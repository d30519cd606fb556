"""What was measured: cases with their sides and targets, and the page that shows them."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stack.paths import ROOT

COUNTS = ("statements", "commits", "index requests", "Python ms", "PostgreSQL ms")
INTRODUCTION = """\
# Performance

`bin/bench` measures how fast records are harvested, and writes this page. Each record has three
resources. The sides:

- **ours**: one gather consumer and one fetch consumer, by Redis, with batches of 100.
- **stock ckanext-dcat**: its harvesters in one process, which waits for no queue.
- **package_create alone**: CKAN's own action with the dicts that ours wrote, with a commit and a
  request to the index for each 100. Nothing that uses this action can be faster: it is the floor.

Solr commits by itself (`ckan.search.solr_commit = false`), except where a case says otherwise.

Figures are medians of {rounds} rounds with {size} records, unless a case says otherwise;
the sides take turns in each round. Statements, commits and requests to the index are
counts for each record.

Measured {day}, commit {commit}. Machine: {machine}. PostgreSQL, Redis,
Solr, publisher and consumers share it.
"""


@dataclass
class Side:
    """The measurements of one side of a case.

    Attributes:
        values: one for each round, in the case's unit.
        per_record: counts of the last round, by name, for each record.
        peak: highest memory of a process in MB.
    """

    values: list[float] = field(default_factory=list)
    per_record: dict[str, float] = field(default_factory=dict)
    peak: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def add(self, value: float, counts: Mapping[str, float], size: int) -> None:
        """Add a round: its value, and the counts of its processes for so many records."""
        self.values.append(value)
        self.peak = max(self.peak, int(counts.get("peak MB", 0)))
        self.per_record = {key: n / size for key, n in counts.items() if key != "peak MB"}


@dataclass(frozen=True)
class Target:
    """At least ``ratio`` times another side; or at least a value of its own, if that is "".

    Attributes:
        at_most: the ratio or value must not be exceeded.
        count: name of a count for each record that is meant instead of the value; of another side
            so many more are allowed.
    """

    side: str
    other: str
    ratio: float
    at_most: bool = False
    count: str = ""

    def is_met(self, reached: float, tolerance: float = 1.0) -> bool:
        """Tell whether the target is reached; with a tolerance of 0.5, half of it will do."""
        if self.at_most:
            return reached <= self.ratio / tolerance
        return reached >= self.ratio * tolerance


@dataclass
class Case:
    """A case with its measurements; sides by name."""

    title: str
    unit: str
    targets: Sequence[Target] = ()
    sides: dict[str, Side] = field(default_factory=dict)

    def reached(self, target: Target) -> float:
        """Return the ratio, the value or the count that the target speaks of."""
        if target.count:
            ours, *other = (
                self.sides[side].per_record[target.count]
                for side in filter(None, (target.side, target.other))
            )
            return ours - sum(other)
        value = self.sides[target.side].median
        return value / self.sides[target.other].median if target.other else value

    def is_missed(self, tolerance: float = 1.0) -> bool:
        """Tell whether a target is missed, each multiplied with the tolerance."""
        return not all(each.is_met(self.reached(each), tolerance) for each in self.targets)

    def section(self) -> str:
        """Return the results as Markdown: a heading, a table and the targets."""
        heads = ["side", self.unit, "lowest–highest", *COUNTS, "peak memory"]
        rows = [heads, *(_cells(name, side) for name, side in self.sides.items())]
        # Columns that no side fills are left out.
        columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
        lines = [f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)]
        lines.insert(1, f"| {' | '.join(['---', *['---:'] * (len(columns) - 1)])} |")
        targets = [f"- {self._verdict(target)}" for target in self.targets]
        return "\n".join([f"## {self.title}", "", *lines, "", *targets]).rstrip()

    def _verdict(self, target: Target) -> str:
        digits = 3 if target.count else 2
        reached = round(self.reached(target), digits)
        limit = f"at {'most' if target.at_most else 'least'} {target.ratio:,.4g}"
        what = f" times {target.other}" if target.other else f" {self.unit}"
        if target.count:
            more = f" more than {target.other}" if target.other else ""
            what = f" {target.count} a record{more}"
        verdict = "met" if target.is_met(reached) else "missed"
        return f"{target.side}: target {limit}{what}, measured {reached:,.{digits}f}: {verdict}"


def _cells(name: str, side: Side) -> list[str]:
    low, high = min(side.values), max(side.values)
    spread = f"{_number(low)}–{_number(high)}" if len(side.values) > 1 else ""
    counts = [f"{side.per_record[key]:.2f}" if key in side.per_record else "" for key in COUNTS]
    return [name, _number(side.median), spread, *counts, f"{side.peak} MB" if side.peak else ""]


def _number(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def page(cases: Iterable[Case], *, size: int, rounds: int) -> str:
    """Return a page in Markdown with the tables of all cases."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, "
    machine += f"Python {platform.python_version()}"
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    head = INTRODUCTION.format(
        size=size, rounds=rounds, machine=machine, day=day, commit=commit.strip()
    )
    return "\n\n".join([head.rstrip(), *(case.section() for case in cases), ""])
