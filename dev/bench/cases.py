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

from .portals import Catalogues, Consumers, Inside, Portal
from .results import Case, Side, Target

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
REFUSED = "ours, 5 % of the records refused"
FIRST = "first harvest"
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
    _number: int = 0
    _packages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def serve(self, format_: str, count: int) -> tuple[str, str]:
        """Serve a new catalogue; return its name and the URL that a source names."""
        self._number += 1
        name = f"catalogue-{self._number}"
        return name, self.catalogues.serve(format_, name, count)

    def source(
        self, inside: Inside, format_: str, count: int, types: Mapping[str, str] = OUR_TYPES
    ) -> str:
        """Serve a new catalogue; return the id of a source that names it."""
        name, url = self.serve(format_, count)
        return str(inside.ask("source", name=name, url=url, kind=types[format_])["id"])

    def warm_up(self, inside: Inside, format_: str) -> None:
        """Harvest three records, so that every consumer has loaded what it needs."""
        inside.ask("harvest", source_id=self.source(inside, format_, 3), limit=120)

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
                side = case.sides[name]
                side.values.append(size / seconds)
                side.peak = max(side.peak, counts.pop("peak MB", 0))
                side.per_record = {key: value / size for key, value in counts.items()}
                say(f"    {side.values[-1]:.1f} records/s")

    def _measure(
        self, side: str, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
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
            self.warm_up(inside, format_)
            id_ = self.source(inside, format_, size)
            if side == REFUSED:
                self.ours.sql(REFUSE)
            try:
                refused = size // 20 if side == REFUSED else 0
                seconds, counts = counted(inside, consumers, id_, size, refused=refused)
            finally:
                self.ours.sql(ACCEPT)
            if format_ not in self._packages:
                self._packages[format_] = inside.ask("export", source_id=id_)["packages"]
        return seconds, counts

    def _stock(
        self, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        with self.stock.inside(**settings) as inside:
            for count in (3, size):
                id_ = self.source(inside, format_, count, STOCK_TYPES)
                answer = inside.ask("inline", source_id=id_)
        check(answer["figures"], {"added": size})
        return answer["seconds"], answer["counts"]

    def _floor(
        self, format_: str, size: int, settings: Mapping[str, Any]
    ) -> tuple[float, dict[str, int]]:
        packages = self._packages[format_][:size]
        self._number += 1
        with self.stock.inside(**settings) as inside:
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


def check(figures: dict[str, int], expected: dict[str, int]) -> None:
    """Fail if a run did not do what is measured."""
    if figures != expected:
        raise AssertionError(f"bench: the run ended with {figures}, expected {expected}")


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
                name, source = self._fill(inside)
            changed = 0
            for number in range(bench.night_rounds):
                changed = self._count // SHARE - changed  # changed, and back again
                self._round(inside, number, name, source, changed)
        if self._format in STOCK_TYPES:
            side = self._unchanged.sides.setdefault(STOCK, Side())
            with bench.stock.inside() as inside, step(f"{self._unchanged.title}: {STOCK}"):
                id_ = bench.source(inside, self._format, bench.size, STOCK_TYPES)
                inside.ask("inline", source_id=id_)
                side.values.append(bench.size / inside.ask("inline", source_id=id_)["seconds"])

    def _fill(self, inside: Inside) -> tuple[str, str]:
        """Harvest some records with one consumer, for the comparison, then all with more.

        Returns:
            The catalogue's name and the source's id.
        """
        bench = self._bench
        name, url = bench.serve(self._format, bench.size)
        source = inside.ask("source", name=name, url=url, kind=OUR_TYPES[self._format])["id"]
        with bench.ours.consumers() as consumers:
            bench.warm_up(inside, self._format)
            seconds, _counts = counted(inside, consumers, source, bench.size)
        self._upgraded.sides[FIRST].values.append(bench.size / seconds)
        bench.catalogues.serve(self._format, name, self._count)
        with bench.ours.consumers(FILLERS):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        bench.ours.sql("ANALYZE")
        return name, source

    def _round(self, inside: Inside, number: int, name: str, source: str, changed: int) -> None:
        bench, rate = self._bench, self._upgraded.sides[FIRST].median
        share = self._count // SHARE
        with bench.ours.consumers():
            bench.warm_up(inside, self._format)  # a portal's consumers run for weeks
            if number:  # back to this version's rules
                inside.ask("harvest", source_id=source, limit=LIMIT)
            seconds = self._night(inside, self._unchanged, source, {})
            bench.catalogues.serve(self._format, name, self._count, changed=changed)
            self._night(inside, self._changed, source, {"updated": share})
        self._changed.sides[SUM].values.append(self._count / (seconds + share / rate))
        with bench.ours.consumers(1, number + 1):
            bench.warm_up(inside, self._format)
            self._night(inside, self._upgraded, source, None)

    def _night(
        self, inside: Inside, case: Case, source: str, figures: dict[str, int] | None
    ) -> float:
        """Run the source; ``figures``: of its harvest objects, None for any without a change."""
        with step(f"{case.title}, round {len(case.sides[BATCHES].values) + 1}"):
            answer = inside.ask("harvest", source_id=source, limit=LIMIT)
        if figures is None:
            figures = {key: n for key, n in answer["figures"].items() if key == "not modified"}
        check(answer["figures"], figures)
        seconds = float(answer["seconds"])
        case.sides[BATCHES].values.append(self._count / seconds)
        say(f"    {seconds:.1f} s, {self._count / seconds:,.0f} records/s")
        return seconds


def _gather(bench: Bench, whole: Case, more: Case) -> None:
    """Measure the memory of a gather consumer that reads a large catalogue."""
    for format_, *_ in (*MEGABYTES, *MORE_MEGABYTES):
        with bench.ours.inside() as inside, bench.ours.consumers(0) as consumers:
            before = consumers.counts()["peak MB"]
            id_ = bench.source(inside, format_, MANY)
            with step(f"{whole.title}, {format_}"):
                inside.ask("harvest", source_id=id_, limit=LIMIT, gather_only=True)
            peak = consumers.counts()["peak MB"]
            whole.sides[format_] = Side([peak])
            more.sides[format_] = Side([peak - before])
            say(f"    {peak} MB, {before} MB before")
            _drop(bench, id_)


def _behind(bench: Bench, case: Case) -> None:
    """Measure the first harvest of a source that comes after a far larger one."""
    with bench.ours.inside() as inside, bench.ours.consumers(2) as consumers:
        bench.warm_up(inside, "data.json")
        large = ""
        for side in (ALONE, BEHIND):
            if side == BEHIND:
                large = bench.source(inside, "data.json", MANY)
                with step(f"Gather of {MANY:,} records"):
                    inside.ask("harvest", source_id=large, limit=LIMIT, gather_only=True)
                time.sleep(HEAD_START)
            with step(f"{FEW} records, {side}"):
                id_ = bench.source(inside, "data.json", FEW)
                seconds, _counts = counted(inside, consumers, id_, FEW)
            case.sides[side].values.append(FEW / seconds)
            say(f"    {FEW / seconds:.1f} records/s")
        _drop(bench, large)


def _drop(bench: Bench, source_id: str) -> None:
    """End a source's run and delete its objects, so that the next case begins without them."""
    of = f"source_id = '{source_id}'"
    bench.ours.sql(f"UPDATE harvest_job SET status = 'Finished' WHERE {of}")
    bench.ours.sql(f"DELETE FROM harvest_object WHERE harvest_{of} AND package_id IS NULL")
    bench.catalogues.clear()
