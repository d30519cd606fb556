"""The cases: first harvests, and nights in which nothing or little has changed.

The sides of a case take turns, so that a slower minute hits all of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from stack.console import say, step

from .catalogues import Catalogues
from .portals import Consumers, Inside, Portal

LIMIT = 3600.0  # seconds for one run
SHARE = 100  # one record in so many has changed in a night
FILLERS = 2  # consumers that make the starting state of nights
STOCK_TYPES = {"data.json": "dcat_json", "Turtle": "dcat_rdf"}
OUR_TYPES = {
    "data.json": "data_json",
    "Turtle": "dcat_rdf",
    "JSON-LD": "dcat_rdf",
    "inventory": "inventory",
    "folder": "gemini-waf",
}
FLOOR = "package_create alone"
STOCK = "stock ckanext-dcat"
BATCHES, SINGLE, TWO, FOUR = "ours", "ours, batches of 1", "ours, 2 consumers", "ours, 4 consumers"
FIRST = "first harvest"
SUM = "nothing changed, and the changed at first harvest's speed"
REFUSED = "ours, 5 % of the records refused"
ALONE, BEHIND = "alone", "behind 100,000 of another source"

# Each twentieth record has such a title (catalogues.py).
REFUSE = (
    """CREATE OR REPLACE FUNCTION bench_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE check_violation USING MESSAGE = 'refused for the benchmark'; END $$""",
    """CREATE OR REPLACE TRIGGER bench_refuse BEFORE INSERT ON package FOR EACH ROW
    WHEN (NEW.title ~ '^Ward [0-9]*[13579]0 in') EXECUTE FUNCTION bench_refuse()""",
)
ACCEPT = "DROP TRIGGER bench_refuse ON package"


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
    """A case with its measurements; sides by name.

    Attributes:
        measured: date and commit, filled when the case is written to a document.
    """

    title: str
    unit: str
    targets: Sequence[Target] = ()
    sides: dict[str, Side] = field(default_factory=dict)
    measured: str = ""

    def reached(self, target: Target) -> float:
        """Return the ratio, the value or the count that the target speaks of."""
        if target.count:
            counts = [
                self.sides[side].per_record[target.count]
                for side in filter(None, (target.side, target.other))
            ]
            return counts[0] - sum(counts[1:])
        value = self.sides[target.side].median
        return value / self.sides[target.other].median if target.other else value

    def as_dict(self) -> dict[str, Any]:
        """Return the case for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Case:
        """Return a case from what ``as_dict`` returned."""
        sides = {name: Side(**side) for name, side in saved["sides"].items()}
        targets = [Target(**each) for each in saved["targets"]]
        return cls(saved["title"], saved["unit"], targets, sides, saved["measured"])


class Bench:
    """The portals and the publisher of one run of the benchmark."""

    def __init__(
        self,
        ours: Portal,
        stock: Portal,
        catalogues: Catalogues,
        *,
        rounds: int,
        size: int,
        nights: int,
    ) -> None:
        self.ours, self.stock, self.catalogues = ours, stock, catalogues
        self.rounds, self.size, self.nights = rounds, size, nights
        self._number = 0
        self._packages: dict[str, list[dict[str, Any]]] = {}

    def serve(self, format_: str, count: int) -> tuple[str, str]:
        """Serve a new catalogue; return its name and the URL that a source names."""
        self._number += 1
        name = f"catalogue-{self._number}"
        return name, self.catalogues.serve(format_, name, count)

    def first_harvest(
        self,
        title: str,
        format_: str,
        sides: Sequence[str],
        targets: Sequence[Target],
        *,
        size: int = 0,
        ini: Mapping[str, Any] = MappingProxyType({}),
    ) -> Case:
        """Measure the first harvest of a catalogue.

        Args:
            size: records of the catalogue, if it is not the benchmark's.
            ini: settings of the portals; "__" stands for a full stop in their names.
        """
        size = size or self.size
        case = Case(title, "records/s", targets, {side: Side() for side in sides})
        for number in range(self.rounds):
            turned = [*sides[number % len(sides) :], *sides[: number % len(sides)]]
            if number == 0:  # the floor writes what ours has written
                turned.sort(key=lambda side: side == FLOOR)
            for side in turned:
                with step(f"{title}: {side}, round {number + 1}"):
                    self._measure(case.sides[side], side, format_, size, ini)
                say(f"    {case.sides[side].values[-1]:.1f} records/s")
        return case

    def _measure(
        self, found: Side, side: str, format_: str, size: int, ini: Mapping[str, Any]
    ) -> None:
        how: Callable[..., tuple[float, dict[str, int]]] = self._through_the_queue
        if side == REFUSED:
            how = self._refused
        if side == STOCK:
            how = self._stock
        if side == FLOOR:
            how = self._floor
        seconds, counts = how(side, format_, size, ini)
        found.values.append(size / seconds)
        found.peak = max(found.peak, counts.pop("peak MB", 0))
        found.per_record = {key: value / size for key, value in counts.items()}

    def _refused(
        self, side: str, format_: str, size: int, ini: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        """Let the database refuse the datasets of some records."""
        with self.ours.inside(**ini) as inside:
            for statement in REFUSE:
                inside.ask("sql", statement=statement)
            try:
                return self._through_the_queue(side, format_, size, ini)
            finally:
                inside.ask("sql", statement=ACCEPT)

    def _through_the_queue(
        self, side: str, format_: str, size: int, ini: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        fetchers = {TWO: 2, FOUR: 4}.get(side, 1)
        batch = "1" if side == SINGLE else "100"
        settings = {"ckanext__ukharvest__batch_size": batch, **ini}
        with (
            self.ours.inside(**settings) as inside,
            self.ours.consumers(fetchers, **settings) as consumers,
        ):
            self.warm_up(inside, format_)
            id_ = self.source(inside, format_, size)
            refused = size // 20 if side == REFUSED else 0
            seconds, counts = counted(inside, consumers, id_, size, refused=refused)
            if format_ not in self._packages:
                self._packages[format_] = inside.ask("export", source_id=id_)["packages"]
        return seconds, counts

    def source(self, inside: Inside, format_: str, count: int) -> str:
        """Serve a new catalogue; return the id of a source of ours that names it."""
        name, url = self.serve(format_, count)
        return str(inside.ask("source", name=name, url=url, kind=OUR_TYPES[format_])["id"])

    def stock_source(self, inside: Inside, format_: str, count: int) -> str:
        """Serve a new catalogue; return the id of a source of ckanext-dcat's that names it."""
        name, url = self.serve(format_, count)
        return str(inside.ask("source", name=name, url=url, kind=STOCK_TYPES[format_])["id"])

    def warm_up(self, inside: Inside, format_: str) -> None:
        """Harvest three records, so that every consumer has loaded what it needs."""
        inside.ask("harvest", source_id=self.source(inside, format_, 3), limit=120)

    def _stock(
        self, _side: str, format_: str, size: int, ini: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        with self.stock.inside(**ini) as inside:
            for count in (3, size):
                id_ = self.stock_source(inside, format_, count)
                answer = inside.ask("inline", source_id=id_)
        check(answer["figures"], {"added": size})
        return answer["seconds"], answer["counts"]

    def _floor(
        self, _side: str, format_: str, size: int, ini: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        packages = self._packages[format_][:size]
        self._number += 1
        with self.stock.inside(**ini) as inside:
            inside.ask("floor", packages=packages[:3], name=f"warm-{self._number}", batch=100)
            answer = inside.ask("floor", packages=packages, name=f"f-{self._number}", batch=100)
        return answer["seconds"], answer["counts"]


def counted(
    inside: Inside, consumers: Consumers, source_id: str, size: int, *, refused: int = 0
) -> tuple[float, dict[str, int]]:
    """Run a new source through the queue; return seconds and the consumers' counts."""
    before = consumers.counts()
    answer = inside.ask("harvest", source_id=source_id, limit=LIMIT)
    check(answer["figures"], {"added": size - refused, **({"errored": refused} if refused else {})})
    after = consumers.counts()
    counts = {key: after[key] - (0 if key == "peak MB" else before.get(key, 0)) for key in after}
    return answer["seconds"], counts


def check(found: dict[str, int], expected: dict[str, int]) -> None:
    """Fail if a run did not do what is measured."""
    if found != expected:
        raise AssertionError(f"bench: the run ended with {found}, expected {expected}")


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
