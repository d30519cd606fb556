"""The cases: first harvests, nights in which nothing or little has changed, and large sources.

The sides of a case take turns, so that a slower minute hits all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from stack.console import say, step

from .portals import LIMIT, Catalogues, Inside, Portal, check
from .results import Case, Side, Target

SHARE = 100  # one record in so many has changed in a night
FILLERS = 2  # consumers that make the starting state of nights
STOCK_TYPES = {"data.json": "dcat_json", "Turtle": "dcat_rdf"}
FLOOR = "package_create alone"
STOCK = "stock ckanext-dcat"
BATCHES, SINGLE, TWO, FOUR = "ours", "ours, batches of 1", "ours, 2 consumers", "ours, 4 consumers"
REFUSED = "ours, 5 % of the records refused"
FIRST = "first harvest"
WITHOUT, WITH_FORM = "without the form", "through the form"
DRY_RUN = 300  # records
SUM = "nothing changed, and the changed at first harvest's speed"

# Format, sides of its first harvest, and what ours must reach: other side → ratio.
FORMATS: tuple[tuple[str, tuple[str, ...], dict[str, float]], ...] = (
    ("data.json", (BATCHES, SINGLE, STOCK, FLOOR), {FLOOR: 0.8, STOCK: 1.1}),
    ("Turtle", (BATCHES, STOCK, FLOOR), {FLOOR: 0.8, STOCK: 1.1}),
    ("inventory", (BATCHES, FLOOR), {FLOOR: 0.85}),
    ("folder", (BATCHES, FLOOR), {FLOOR: 0.7}),
)
FEW_STATEMENTS = Target(BATCHES, FLOOR, 6, at_most=True, count="statements")
# One for each 50 records; the run itself has a few.
FEW_COMMITS = [
    Target(BATCHES, "", 0.02, at_most=True, count=count) for count in ("commits", "index requests")
]

MANY, FEW = 100_000, 600
# Of the consumer's process; and of what a graph adds to a consumer that has CKAN loaded.
MEGABYTES = [("data.json", "", 250)]
MORE_MEGABYTES = [("Turtle", "", 150), ("JSON-LD", "", 150)]
ALONE, BEHIND = "alone", "behind 100,000 of another source"
HEAD_START = 5.0  # seconds of the large source's import

# Each twentieth record has such a title (tests/publishing/catalogues.py).
REFUSE = """
    CREATE OR REPLACE FUNCTION bench_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE check_violation USING MESSAGE = 'refused for the benchmark'; END $$;
    CREATE OR REPLACE TRIGGER bench_refuse BEFORE INSERT ON package FOR EACH ROW
    WHEN (NEW.title ~ '^Ward [0-9]*[13579]0 in') EXECUTE FUNCTION bench_refuse()"""
ACCEPT = "DROP TRIGGER IF EXISTS bench_refuse ON package"


class Plan(NamedTuple):
    """Cases that are measured together, and the function that fills them."""

    cases: list[Case]
    measure: Callable[[], None]


@dataclass
class Bench:
    """The portals and the publisher of one run of the benchmark.

    Attributes:
        size: records of a catalogue.
        nights: records of a source in which little changes.
        night_rounds: they take seconds, so that in a single one a disturbance would decide.
    """

    ours: Portal
    stock: Portal
    catalogues: Catalogues
    size: int
    nights: int
    rounds: int
    night_rounds: int
    _packages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def first_harvest(
        self, case: Case, format_: str, size: int = 0, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Measure the first harvest of a catalogue.

        Args:
            size: records of the catalogue, if it is not the benchmark's.
            settings: of the portals; "__" stands for a full stop in their names.
        """
        size, sides = size or self.size, list(case.sides)
        for number in range(self.rounds):
            turn = number % len(sides)
            turned = sides[turn:] + sides[:turn]
            if number == 0:  # the floor writes what ours has written
                turned.sort(key=lambda side: side == FLOOR)
            for name in turned:
                with step(f"{case.title}: {name}, round {number + 1}"):
                    seconds, counts = self._measure(name, format_, size, settings or {})
                case.sides[name].add(size / seconds, counts, size)
                say(f"    {size / seconds:.1f} records/s")

    def _measure(
        self, side: str, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, float]]:
        if side == STOCK:
            return self._stock(format_, size, settings)
        if side == FLOOR:
            return self._floor(format_, size, settings)
        fetchers = {TWO: 2, FOUR: 4}.get(side, 1)
        settings = {"ckanext__ukharvest__batch_size": "1" if side == SINGLE else "100", **settings}
        with (
            self.ours.inside(**settings) as inside,
            self.ours.consumers(fetchers, **settings) as consumers,
        ):
            inside.warm_up(format_)
            source = inside.source(format_, size)
            refused = size // 20 if side == REFUSED else 0
            figures = {"added": size - refused, **({"errored": refused} if refused else {})}
            if refused:
                self.ours.sql(REFUSE)
            try:
                measured = consumers.counted(lambda: inside.harvest(source, figures))
            finally:
                self.ours.sql(ACCEPT)
            if format_ not in self._packages:
                self._packages[format_] = inside.ask("export", source_id=source)["packages"]
        return measured

    def _stock(
        self, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, float]]:
        with self.stock.inside(**settings) as inside:
            for count in (3, size):
                source = inside.source(format_, count, kind=STOCK_TYPES[format_])
                answer = inside.ask("inline", source_id=source)
        check(answer["figures"], {"added": size})
        return answer["seconds"], answer["counts"]

    def _floor(
        self, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, float]]:
        packages = self._packages[format_][:size]
        with self.stock.inside(**settings) as inside:
            for some in (packages[:3], packages):
                name = f"floor-{self.catalogues.new_name()}"
                answer = inside.ask("floor", packages=some, name=name, batch=100)
        return answer["seconds"], answer["counts"]


def sides_of(*names: str) -> dict[str, Side]:
    return {name: Side() for name in names}


def plans(bench: Bench) -> Iterator[Plan]:
    """Yield all cases, those that take long at the end."""

    def first(
        what: str, format_: str, sides: Sequence[str], targets: Sequence[Target], **more: Any
    ) -> Plan:
        title = ", ".join(filter(None, ("First harvest", format_, what)))
        case = Case(title, "records/s", targets, sides_of(*sides))
        return Plan([case], partial(bench.first_harvest, case, format_, **more))

    targets = {
        format_: [*(Target(BATCHES, *ratio) for ratio in ratios.items()), FEW_STATEMENTS]
        for format_, _sides, ratios in FORMATS
    }
    for format_, sides, _ratios in FORMATS:
        yield first("", format_, sides, targets[format_])
    commit = {"ckan__search__solr_commit": "true"}
    limits = [Target(BATCHES, STOCK, 1.7)]
    text = "CKAN's default settings"
    yield first(text, "data.json", (BATCHES, STOCK), limits, settings=commit)
    limits = [Target(REFUSED, BATCHES, 0.7)]
    yield first("5 % of the records refused", "data.json", (BATCHES, REFUSED), limits)
    for format_, sides, _ratios in FORMATS:
        some, text = [side for side in sides if side != SINGLE], "with CKAN's activity plugin"
        yield first(text, format_, some, targets[format_], settings={"activity": True})
    limits = [Target(TWO, BATCHES, 1.5), *FEW_COMMITS]
    # Enough batches for four consumers to share.
    size = max(800, bench.size)
    text = "800 records and more consumers"
    yield first(text, "data.json", (BATCHES, TWO, FOUR), limits, size=size)
    title = f"Dry run of {DRY_RUN} new records, data.json"
    # CKAN's validation of a dataset alone takes longer than reading and parsing its record.
    limits = [Target(WITH_FORM, WITHOUT, 4, at_most=True)]
    case = Case(title, "seconds", limits, sides_of(WITHOUT, WITH_FORM))
    yield Plan([case], partial(_dry_run, bench, case))
    yield Nights(bench, "data.json", bench.nights, unchanged=100, upgrade=10).plan
    yield Nights(bench, "folder", bench.nights // 5, unchanged=1000, upgrade=4).plan
    title = f"Gather of {MANY:,} records: memory of the consumer"
    whole = Case(title, "MB", [Target(*limit, at_most=True) for limit in MEGABYTES])
    limits = [Target(*limit, at_most=True) for limit in MORE_MEGABYTES]
    more = Case(f"{title}, beyond what it has before", "MB", limits)
    yield Plan([whole, more], partial(_gather, bench, whole, more))
    title = f"First harvest of {FEW} records, two consumers"
    limits = [Target(BEHIND, ALONE, 1 / 2.5)]
    case = Case(title, "records/s", limits, sides_of(ALONE, BEHIND))
    yield Plan([case], partial(_behind, bench, case))


class Nights:
    """A source whose records were harvested before, and what its next nights cost.

    Args:
        count: records of the source.
        unchanged: target of a night without changes: times stock, or records a second if there is
            no stock harvester.
        upgrade: target of a night after an upgrade: times the first harvest.
    """

    def __init__(
        self, bench: Bench, format_: str, count: int, *, unchanged: float, upgrade: float
    ) -> None:
        self._bench, self._format, self._count = bench, format_, count
        other = STOCK if format_ in STOCK_TYPES else ""

        def case(what: str, other: str, ratio: float, *more: str) -> Case:
            title, targets = (
                f"{what}, {format_}, {count:,} records",
                [Target(BATCHES, other, ratio)],
            )
            return Case(title, "records/s", targets, sides_of(BATCHES, *more))

        self._unchanged = case("Nothing changed", other, unchanged)
        self._changed = case("1 % changed", SUM, 1 / 1.5, SUM)
        text = "Upgrade night, nothing comes out differently"
        self._upgraded = case(text, FIRST, upgrade, FIRST)
        self.plan = Plan([self._unchanged, self._changed, self._upgraded], self.measure)

    def measure(self) -> None:
        """Harvest the records once, then again and again."""
        bench = self._bench
        with bench.ours.inside() as inside:
            with step(f"First harvest of {self._count:,} records, {self._format}"):
                name = bench.catalogues.new_name()
                source = self._fill(inside, name)
            changed = 0
            for number in range(bench.night_rounds):
                changed = self._count // SHARE - changed  # changed, and back again
                self._round(inside, number, name, source, changed)
        if self._format in STOCK_TYPES:
            side = self._unchanged.sides.setdefault(STOCK, Side())
            with bench.stock.inside() as inside, step(f"{self._unchanged.title}: {STOCK}"):
                source = inside.source(self._format, bench.size, kind=STOCK_TYPES[self._format])
                inside.ask("inline", source_id=source)
                answer = inside.ask("inline", source_id=source)
                side.values.append(bench.size / answer["seconds"])

    def _fill(self, inside: Inside, name: str) -> str:
        """Harvest some records with one consumer, for the comparison, then all with more.

        Returns:
            The source's id.
        """
        bench, size = self._bench, self._bench.size
        source = inside.source(self._format, size, name=name)
        with bench.ours.consumers():
            inside.warm_up(self._format)
            seconds = inside.harvest(source, {"added": size})
        self._upgraded.sides[FIRST].values.append(size / seconds)
        bench.catalogues.serve(self._format, name, self._count)
        with bench.ours.consumers(FILLERS):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        bench.ours.sql("ANALYZE")
        return source

    def _round(self, inside: Inside, number: int, name: str, source: str, changed: int) -> None:
        bench, rate = self._bench, self._upgraded.sides[FIRST].median
        share = self._count // SHARE
        with bench.ours.consumers():
            inside.warm_up(self._format)  # a portal's consumers run for weeks
            if number:  # back to this version's rules
                inside.harvest(source, None)
            seconds = self._night(inside, self._unchanged, source, {})
            bench.catalogues.serve(self._format, name, self._count, changed=changed)
            self._night(inside, self._changed, source, {"updated": share})
        self._changed.sides[SUM].values.append(self._count / (seconds + share / rate))
        with bench.ours.consumers(1, number + 1):
            inside.warm_up(self._format)
            self._night(inside, self._upgraded, source, None)

    def _night(
        self, inside: Inside, case: Case, source: str, figures: dict[str, int] | None
    ) -> float:
        with step(f"{case.title}, round {len(case.sides[BATCHES].values) + 1}"):
            seconds = inside.harvest(source, figures)
        case.sides[BATCHES].values.append(self._count / seconds)
        say(f"    {seconds:.1f} s, {self._count / seconds:,.0f} records/s")
        return seconds


def _dry_run(bench: Bench, case: Case) -> None:
    """Measure what it adds to a dry run that records go through the portal's form."""
    with bench.ours.inside() as inside:
        sources = [inside.source("data.json", size) for size in (3, DRY_RUN)]
        for number in range(1 + bench.night_rounds):
            for side in case.sides:
                # The first round, of few records, loads what is needed.
                how = {"source_id": sources[bool(number)], "form": side == WITH_FORM}
                answer = inside.ask("dry_run", **how)
                if number:
                    check(answer["figures"], {"added": DRY_RUN, "missing": 0})
                    case.sides[side].add(answer["seconds"], answer["counts"], DRY_RUN)
                    say(f"    {side}: {answer['seconds']:.2f} s")


def _gather(bench: Bench, whole: Case, more: Case) -> None:
    """Measure the memory of a gather consumer that reads a large catalogue."""
    for format_, *_ in (*MEGABYTES, *MORE_MEGABYTES):
        with bench.ours.inside() as inside, bench.ours.consumers(0) as consumers:
            before = consumers.counts()["peak MB"]
            source = inside.source(format_, MANY)
            with step(f"{whole.title}, {format_}"):
                inside.gather(source)
            peak = consumers.counts()["peak MB"]
            whole.sides[format_] = Side([peak])
            more.sides[format_] = Side([peak - before])
            say(f"    {peak} MB, {before} MB before")
            _drop(bench, source)


def _behind(bench: Bench, case: Case) -> None:
    """Measure the first harvest of a source that comes after a far larger one."""
    with bench.ours.inside() as inside, bench.ours.consumers(2):
        inside.warm_up("data.json")
        large = ""
        for side in (ALONE, BEHIND):
            if side == BEHIND:
                large = inside.source("data.json", MANY)
                with step(f"Gather of {MANY:,} records"):
                    inside.gather(large)
                time.sleep(HEAD_START)
            with step(f"{FEW} records, {side}"):
                seconds = inside.harvest(inside.source("data.json", FEW), {"added": FEW})
            case.sides[side].values.append(FEW / seconds)
            say(f"    {FEW / seconds:.1f} records/s")
        _drop(bench, large)


def _drop(bench: Bench, source_id: str) -> None:
    """End a source's run and delete its objects, so that the next case begins without them."""
    of = f"source_id = '{source_id}'"
    bench.ours.sql(f"UPDATE harvest_job SET status = 'Finished' WHERE {of}")
    bench.ours.sql(f"DELETE FROM harvest_object WHERE harvest_{of} AND package_id IS NULL")
    bench.catalogues.clear()
