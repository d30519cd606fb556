"""What takes long: 100,000 records, a portal with 500 sources, and a year of daily harvests."""

from __future__ import annotations

import time

from demo.api import fetch
from stack.console import say, step

from .cases import ALONE, BEHIND, LIMIT, OUR_TYPES, Bench, Case, Side, Target, counted
from .portals import Consumers, Inside

MANY, FEW = 100_000, 600
# Of the consumer's process; and of what a graph adds to a consumer that has CKAN loaded.
MEGABYTES = {"data.json": 250}
MORE_MEGABYTES = {"Turtle": 150, "JSON-LD": 150}
HEAD_START = 5.0  # seconds of the large source's import
SOURCES = 500  # of a full portal, with MANY records
SECONDS = 1.0  # for a page
# Of the process that exports all datasets in all formats.
EXPORT_MEGABYTES, EXPORT_MINUTES = 200, 25
EXPORT_FORMATS = "data_json jsonl turtle ntriples"
_NAME = "county"
DAYS = 365
WHOLE = 10_000  # records that the target speaks of
RECORDS = 1_000  # that are harvested; all figures are multiplied
CHANGED = RECORDS // 100  # each day, others than the day before
YEAR_MEGABYTES = 100
GROWTH = "tables of harvesting, for 10,000 records"


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


class FullPortal:
    """The cases; the sources are copies of one that was harvested, so it comes last."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        of = f"{SOURCES} sources and {MANY:,} records"
        self._title = f"Pages with {of}, for a sysadmin"
        self._stars = Case(f"Stars of openness, {MANY:,} datasets", "datasets/s")
        limit = Target("memory", "", EXPORT_MEGABYTES, at_most=True)
        self._export = Case(f"Export of {MANY:,} datasets: memory", "MB", [limit])
        limit = Target("time", "", EXPORT_MINUTES, at_most=True)
        title = f"Export of {MANY:,} datasets: time of one core"
        self._export_time = Case(title, "minutes", [limit])
        exports = (self._export.title, self._export_time.title)
        self.titles = [self._title, self._stars.title, *exports]

    def measure(self) -> list[Case]:
        """Fill the portal, and measure."""
        with self._bench.ours.inside() as inside:
            source = self._fill(inside)
            with step(self._title):
                pages = self._pages(inside, source)
            with step(self._stars.title):
                rates = inside.ask("stars")["rates"]
        self._stars.sides = {name: Side([rate]) for name, rate in rates.items()}
        self._measure_export()
        return [pages, self._stars, self._export, self._export_time]

    def _measure_export(self) -> None:
        # In a process of its own, whose peak is that of the export.
        formats = {"ckanext__ukharvest__export__formats": EXPORT_FORMATS}
        with self._bench.ours.inside(**formats) as inside, step(self._export.title):
            found = inside.ask("export_catalogue")
        say(f"    {found['datasets']:,} datasets in {found['seconds']:.0f} s")
        self._export.sides = {"memory": Side([found["peak MB"]])}
        self._export_time.sides = {"time": Side([found["cpu seconds"] / 60])}

    def _fill(self, inside: Inside) -> str:
        bench, count = self._bench, MANY // SOURCES
        url = bench.catalogues.serve("data.json", _NAME, count)
        kind = OUR_TYPES["data.json"]
        source = str(inside.ask("source", name=_NAME, url=url, kind=kind)["id"])
        with bench.ours.consumers(2), step(f"First harvest of {count} records"):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        with step(f"{SOURCES - 1} copies of the source"):
            inside.ask("copy", source_id=source, copies=SOURCES - 1)
        return source

    def _pages(self, inside: Inside, source: str) -> Case:
        name = f"{_NAME}-{SOURCES - 1}"
        [[run, record, dataset]] = inside.ask(
            "sql",
            statement="SELECT last_seen_job_id, record.id, package.name FROM ukharvest_record"
            " AS record JOIN package ON package.id = package_id"
            f" WHERE source_id = '{source}-{SOURCES - 1}' ORDER BY record.id LIMIT 1",
        )["rows"]
        paths = {
            "sources": "/harvest",
            "sources found by a word": "/harvest?q=county",
            "dashboard": "/ckan-admin/ukharvest",
            "source": f"/harvest/{name}",
            "its datasets": f"/harvest/{name}/datasets",
            "its runs": f"/harvest/{name}/job",
            "a run": f"/harvest/{name}/job/{run}",
            "its problems": f"/harvest/{name}/problems",
            "its problems as CSV": f"/harvest/{name}/problems.csv",
            "pending deletions": f"/harvest/{name}/deletions",
            "a record": f"/harvest/{name}/record/{record}",
            "the source's form": f"/harvest/edit/{name}",
            "stars": "/harvest/stars",
            "dataset": f"/dataset/{dataset}",
            "the record as harvested": f"/dataset/{dataset}/source-record",
            "its changes": f"/dataset/{dataset}/harvest-changes",
            "datasets": "/dataset/",
            "organisation": "/organization/bench",
        }
        seconds = inside.ask("pages", paths=list(paths.values()))["seconds"]
        found = {each: seconds[path] for each, path in paths.items()}
        slowest = max(found, key=lambda each: found[each])
        say(f"    slowest: {slowest}, {found[slowest]:.2f} s")
        sides = {each: Side([found[each]]) for each in sorted(found, key=lambda e: -found[e])}
        return Case(self._title, "seconds", [Target(slowest, "", SECONDS, at_most=True)], sides)


def gemini_rules(bench: Bench) -> Case:
    """Measure how many records a second are parsed, and what the standard's rules cost."""
    case = Case("GEMINI records parsed in one process", "records/s")
    url = bench.catalogues.serve("folder", "rules", bench.size)
    documents = [fetch(f"{url}{number}.xml").decode() for number in range(bench.size)]
    with bench.ours.inside() as inside, step(case.title):
        for _round in range(bench.rounds):
            for name, rate in inside.ask("gemini", documents=documents)["rates"].items():
                case.sides.setdefault(name, Side()).values.append(rate)
    return case


def year(bench: Bench) -> Case:
    """Harvest a catalogue every day of a year, with cron's tick after each run."""
    case = Case(
        f"Growth in a year of daily harvests, {WHOLE:,} records, 1 % changed",
        "MB",
        [Target(GROWTH, "", YEAR_MEGABYTES, at_most=True)],
        {GROWTH: Side()},
    )
    with bench.ours.inside() as inside, bench.ours.consumers() as _:
        url = bench.catalogues.serve("data.json", "year", RECORDS)
        kind = OUR_TYPES["data.json"]
        source = inside.ask("source", name="year", url=url, kind=kind)["id"]
        with step(f"First harvest of {RECORDS:,} records"):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        before = inside.ask("sizes")["MB"]
        with step(f"{DAYS} harvests"):
            _harvest_daily(bench, inside, source)
        # A year takes minutes here, in which cron's tick would not prune.
        inside.ask("prune")
        after = inside.ask("sizes")["MB"]
    grown = {table: after[table] - before.get(table, 0) for table in after}
    for table in sorted(grown, key=lambda each: -grown[each])[:12]:
        say(f"    {table}: {grown[table] * WHOLE / RECORDS:.1f} MB")
    case.sides[GROWTH].values.append(sum(grown.values()) * WHOLE / RECORDS)
    return case


def _harvest_daily(bench: Bench, inside: Inside, source: str) -> None:
    for day in range(1, DAYS + 1):
        bench.catalogues.serve("data.json", "year", RECORDS, day=day)
        figures = inside.ask("harvest", source_id=source, limit=LIMIT)["figures"]
        assert figures == {"updated": CHANGED}, figures
