"""What stays: the growth of a year, and a full portal with its pages and its export.

These cases come last, because what they harvest stays in the portal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stack.console import say, step

from .cases import FILLERS, MANY, SHARE, Bench, Plan
from .results import Case, Side, Target

DAYS = 365
RECORDS, WHOLE = 1_000, 10_000  # that are harvested, and that the target speaks of
YEAR_MEGABYTES = 100
GROWTH = f"tables of harvesting, for {WHOLE:,} records"
# A year takes minutes here, and cron's tick prunes once an hour.
NEXT_HOUR = "DELETE FROM system_info WHERE key = 'ukharvest.prune'"
SIZE = """
    SELECT sum(pg_total_relation_size(oid)) / 2 ^ 20 FROM pg_class
     WHERE relkind = 'r' AND relname ~ '^(uk)?harvest_'"""
SOURCES = 500  # with MANY records
SECONDS = 1.0  # for a page
EXPORT_MEGABYTES, EXPORT_MINUTES = 200, 25  # of the process that exports, and of one core
EXPORT_FORMATS = "data_json jsonl turtle ntriples"
PROBLEMS = """
    INSERT INTO ukharvest_problem (record_id, code, field, message, job_id)
    SELECT id, 'bad-date', 'modified', 'modified: ''last year'' is no date', last_seen_job_id
      FROM ukharvest_record WHERE id % 3 = 0"""
# Source, run, record and dataset, of the source that was harvested last.
NEWEST = """
    SELECT source.name, last_seen_job_id, record.id, dataset.name FROM ukharvest_record AS record
      JOIN package AS source ON source.id = source_id
      JOIN package AS dataset ON dataset.id = package_id ORDER BY record.id DESC LIMIT 1"""
PAGES = {
    "sources": "/harvest",
    "sources found by a word": "/harvest?q=catalogue",
    "dashboard": "/ckan-admin/ukharvest",
    "source": "/harvest/{source}",
    "its datasets": "/harvest/{source}/datasets",
    "its runs": "/harvest/{source}/job",
    "a run": "/harvest/{source}/job/{run}",
    "its problems": "/harvest/{source}/problems",
    "its problems as CSV": "/harvest/{source}/problems.csv",
    "pending deletions": "/harvest/{source}/deletions",
    "a record": "/harvest/{source}/record/{record}",
    "the source's form": "/harvest/edit/{source}",
    "stars": "/harvest/stars",
    "dataset": "/dataset/{dataset}",
    "the record as harvested": "/dataset/{dataset}/source-record",
    "its changes": "/dataset/{dataset}/harvest-changes",
    "datasets": "/dataset/",
    "organisation": "/organization/bench",
}


def plans(bench: Bench) -> Iterator[Plan]:
    title = f"Growth in a year of daily harvests, {WHOLE:,} records, 1 % changed"
    year = Case(title, "MB", [Target(GROWTH, "", YEAR_MEGABYTES, at_most=True)])
    yield Plan([year], partial(_grow, bench, year))
    title = f"Pages with {SOURCES} sources and {MANY:,} records, for a sysadmin"
    pages = Case(title, "seconds")
    title = f"Export of {MANY:,} datasets"
    limits = [Target("memory", "", EXPORT_MEGABYTES, at_most=True)]
    memory = Case(f"{title}: memory", "MB", limits)
    limits = [Target("time", "", EXPORT_MINUTES, at_most=True)]
    minutes = Case(f"{title}: time of one core", "minutes", limits)
    yield Plan([pages, memory, minutes], partial(_measure, bench, pages, memory, minutes))


def _grow(bench: Bench, case: Case) -> None:
    """Harvest a catalogue on each day of a year; other records have changed each day."""
    changed = RECORDS // SHARE
    with bench.ours.inside() as inside, bench.ours.consumers():
        name = bench.catalogues.new_name()
        source = inside.source("data.json", RECORDS, name=name)
        inside.harvest(source, {"added": RECORDS})
        before = _megabytes(bench)
        with step(case.title):
            for day in range(1, DAYS + 1):
                bench.catalogues.serve("data.json", name, RECORDS, changed=day * changed)
                bench.ours.sql(NEXT_HOUR)
                inside.harvest(source, {"updated": changed})
        case.sides[GROWTH] = Side([(_megabytes(bench) - before) * WHOLE / RECORDS])


def _megabytes(bench: Bench) -> float:
    """Return the size of harvesting's tables, without what VACUUM gives back."""
    bench.ours.sql("VACUUM FULL")
    return float(bench.ours.sql(SIZE))


def _measure(bench: Bench, pages: Case, memory: Case, minutes: Case) -> None:
    """Fill the portal with sources, and measure its pages and its export."""
    count = MANY // SOURCES
    with bench.ours.inside() as inside:
        with bench.ours.consumers(FILLERS), step(f"First harvest of {SOURCES} sources"):
            for _source in range(SOURCES):
                inside.harvest(inside.source("data.json", count), {"added": count})
                bench.catalogues.clear()
        for statement in (PROBLEMS, "ANALYZE"):
            bench.ours.sql(statement)
        newest = bench.ours.sql(NEWEST).split("|")
        names = dict(zip(("source", "run", "record", "dataset"), newest, strict=True))
        paths = {page: path.format(**names) for page, path in PAGES.items()}
        with step(pages.title):
            seconds = inside.ask("pages", paths=paths)
    slowest_first = sorted(seconds, key=lambda page: -seconds[page])
    pages.sides = {page: Side([seconds[page]]) for page in slowest_first}
    pages.targets = [Target(slowest_first[0], "", SECONDS, at_most=True)]
    # In a process of its own, whose memory is that of the export.
    formats = {"ckanext__ukharvest__export__formats": EXPORT_FORMATS}
    with bench.ours.inside(**formats) as inside, step(memory.title):
        answer = inside.ask("export_catalogue")
    say(f"    {answer['datasets']:,} datasets")
    memory.sides["memory"] = Side([answer["peak MB"]])
    minutes.sides["time"] = Side([answer["cpu seconds"] / 60])
