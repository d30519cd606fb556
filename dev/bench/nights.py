"""What a portal does most: nights in which nothing, or little, has changed."""

from __future__ import annotations

from collections.abc import Mapping

from stack.console import say, step

from .cases import (
    BATCHES,
    FIRST,
    LIMIT,
    OUR_TYPES,
    STOCK,
    SUM,
    Bench,
    Case,
    Side,
    Target,
    check,
    counted,
)
from .portals import Inside

SHARE = 100  # one record in so many has changed
FILLERS = 2  # consumers that make the starting state


class Nights:
    """A source whose records were harvested before, and what its next nights cost.

    Attributes:
        cases: filled by ``measure``.
    """

    def __init__(
        self, bench: Bench, format_: str, count: int, targets: Mapping[str, float]
    ) -> None:
        """Name the cases.

        Args:
            count: records of the source.
            targets: "unchanged": times stock, or records a second if there is no stock harvester;
                "upgrade": times the first harvest.
        """
        self._bench = bench
        self._format = format_
        self._count = count
        self._has_stock = format_ in ("data.json", "Turtle")
        self._name = ""
        self._source = ""
        self._changed = 0
        of = f"{format_}, {count:,} records"
        other, ratio = (STOCK if self._has_stock else ""), targets["unchanged"]
        self.unchanged = Case(
            f"Nothing changed, {of}",
            "records/s",
            [Target(BATCHES, other, ratio)],
            {BATCHES: Side()},
        )
        self.changed = Case(
            f"1 % changed, {of}",
            "records/s",
            [Target(BATCHES, SUM, 1 / 1.5)],
            {BATCHES: Side(), SUM: Side()},
        )
        self.upgraded = Case(
            f"Upgrade night, nothing comes out differently, {of}",
            "records/s",
            [Target(BATCHES, FIRST, targets["upgrade"])],
            {BATCHES: Side(), FIRST: Side()},
        )
        self.cases = [self.unchanged, self.changed, self.upgraded]

    def measure(self) -> None:
        """Harvest the records once, then again and again."""
        bench = self._bench
        with bench.ours.inside() as inside:
            with step(f"First harvest of {self._count:,} records, {self._format}"):
                self._fill(inside)
            for number in range(bench.rounds):
                self._round(inside, number)
        if self._has_stock:
            self._measure_stock()

    def _fill(self, inside: Inside) -> None:
        """Harvest some records with one consumer, for the comparison, then all with more."""
        bench = self._bench
        self._name, url = bench.serve(self._format, bench.size)
        kind = OUR_TYPES[self._format]
        self._source = inside.ask("source", name=self._name, url=url, kind=kind)["id"]
        with bench.ours.consumers() as consumers:
            bench.warm_up(inside, self._format)
            seconds, _counts = counted(inside, consumers, self._source, bench.size)
        self.upgraded.sides[FIRST].values.append(bench.size / seconds)
        bench.catalogues.serve(self._format, self._name, self._count)
        with bench.ours.consumers(FILLERS):
            inside.ask("harvest", source_id=self._source, limit=LIMIT)
        inside.ask("sql", statement="ANALYZE")

    def _round(self, inside: Inside, number: int) -> None:
        bench, rate = self._bench, self.upgraded.sides[FIRST].median
        with bench.ours.consumers():
            bench.warm_up(inside, self._format)  # a portal's consumers run for weeks
            if number:  # back to this version's rules
                inside.ask("harvest", source_id=self._source, limit=LIMIT)
            with step(f"{self.unchanged.title}, round {number + 1}"):
                seconds = self._night(inside, self.unchanged, {})
            share = self._count // SHARE
            self._changed = share - self._changed  # changed, and back again
            bench.catalogues.serve(self._format, self._name, self._count, changed=self._changed)
            with step(f"{self.changed.title}, round {number + 1}"):
                self._night(inside, self.changed, {"updated": share})
        self.changed.sides[SUM].values.append(self._count / (seconds + share / rate))
        with bench.ours.consumers(1, number + 1):
            bench.warm_up(inside, self._format)
            with step(f"{self.upgraded.title}, round {number + 1}"):
                self._night(inside, self.upgraded, None)

    def _night(self, inside: Inside, case: Case, figures: dict[str, int] | None) -> float:
        """Run the source; ``figures``: of its harvest objects, None for any without a change."""
        answer = inside.ask("harvest", source_id=self._source, limit=LIMIT)
        if figures is None:
            figures = {key: n for key, n in answer["figures"].items() if key == "not modified"}
        check(answer["figures"], figures)
        seconds = float(answer["seconds"])
        case.sides[BATCHES].values.append(self._count / seconds)
        say(f"    {seconds:.1f} s, {self._count / seconds:,.0f} records/s")
        return seconds

    def _measure_stock(self) -> None:
        bench = self._bench
        side = self.unchanged.sides.setdefault(STOCK, Side())
        with bench.stock.inside() as inside, step(f"{self.unchanged.title}: {STOCK}"):
            id_ = bench.stock_source(inside, self._format, bench.size)
            inside.ask("inline", source_id=id_)
            side.values.append(bench.size / inside.ask("inline", source_id=id_)["seconds"])
