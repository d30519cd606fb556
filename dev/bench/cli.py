"""The command bin/bench."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stack.console import StackError, say
from stack.paths import DEFAULT_CKAN, ROOT
from stack.site import ensure_site
from stack.state import locked

from . import catalogues, large, report
from .cases import BATCHES, FLOOR, FOUR, REFUSED, SINGLE, STOCK, TWO, Bench, Case, Nights, Target
from .portals import OURS, Portal
from .portals import STOCK as STOCK_PLUGINS

DESCRIPTION = """\
Measure how fast harvesting is: the same catalogues through our consumers, through
ckanext-dcat's harvesters, and written with package_create alone (the floor), by turns.
PostgreSQL, Redis and Solr are real and of this machine; run nothing else meanwhile.
"""
FEW_STATEMENTS = Target(BATCHES, FLOOR, 6, at_most=True, count="statements")
# One for each 50 records; the run itself has a few.
FEW_COMMITS = [
    Target(BATCHES, "", 0.02, at_most=True, count=count) for count in ("commits", "index requests")
]
DOCUMENT = ROOT / "docs" / "performance.md"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    # Like Ctrl-C, so that the publisher and the consumers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with locked("bench", waiting="another bin/bench is at work"):
            return _run(options)
    except StackError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bin/bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one round with few records; exit code 1 if a ratio is below half of its target",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=400, help="records of a catalogue")
    parser.add_argument(
        "--nights", type=int, default=10_000, help="records of a source in which little changes"
    )
    parser.add_argument("--only", default="", help="cases whose title contains this")
    parser.add_argument("--output", type=Path, help=f"write a document, such as {DOCUMENT.name}")
    parser.add_argument(
        "--update", action="store_true", help="keep the cases of that document not measured now"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    with locked():
        ours = Portal(ensure_site(DEFAULT_CKAN, "bench"), OURS)
        stock = Portal(ensure_site(DEFAULT_CKAN, "bench-stock"), STOCK_PLUGINS)
    with ThreadPoolExecutor() as pool:
        list(pool.map(Portal.prepare, (ours, stock)))
    rounds, size = (1, 100) if options.quick else (options.rounds, options.size)
    nights = 2000 if options.quick else options.nights
    with catalogues.running() as served:
        bench = Bench(ours, stock, served, rounds=rounds, size=size, nights=nights)
        cases = list(_cases(bench, options.only, quick=options.quick))
    print(report.table(cases))
    if options.output:
        report.write(options.output, cases, size=size, rounds=rounds, update=options.update)
    tolerance = 0.5 if options.quick else 1.0
    return 1 if options.quick and report.missed(cases, tolerance) else 0


def plans() -> list[tuple[str, list[str], tuple[tuple[str, float], ...]]]:
    """Return the first harvests: format, sides, and (other side, ratio) of each target."""
    return [
        ("data.json", [BATCHES, SINGLE, STOCK, FLOOR], ((FLOOR, 0.8), (STOCK, 1.1))),
        ("Turtle", [BATCHES, STOCK, FLOOR], ((FLOOR, 0.8), (STOCK, 1.1))),
        ("inventory", [BATCHES, FLOOR], ((FLOOR, 0.85),)),
        ("folder", [BATCHES, FLOOR], ((FLOOR, 0.7),)),
    ]


def _cases(bench: Bench, only: str, *, quick: bool) -> Iterator[Case]:
    for format_, sides, ratios in plans()[: 1 if quick else None]:
        title = f"First harvest, {format_}"
        if only in title:
            targets = [Target(BATCHES, other, ratio) for other, ratio in ratios]
            yield bench.first_harvest(title, format_, sides, [*targets, FEW_STATEMENTS])
    if quick:
        bench.rounds = 3  # each takes seconds, so that one disturbance would decide
        yield from _nights(bench, "data.json")
        return
    yield from _special_cases(bench, only)
    yield from _nights(bench, only)
    if only in "Gather of 100,000 records: memory":
        yield from large.gather(bench)
    if only in "600 records behind 100,000":
        yield large.behind(bench)
    if only in "GEMINI records parsed":
        yield large.gemini_rules(bench)
    if only in "Growth in a year":
        yield large.year(bench)
    portal = large.FullPortal(bench)
    if any(only in title for title in portal.titles):
        yield from portal.measure()


def _special_cases(bench: Bench, only: str) -> Iterator[Case]:
    title = "First harvest, data.json, CKAN's default settings"
    if only in title:
        settings = {"ckan__search__solr_commit": "true"}
        sides = [BATCHES, STOCK]
        targets = [Target(BATCHES, STOCK, 1.7)]
        yield bench.first_harvest(title, "data.json", sides, targets, ini=settings)
    title = "First harvest, data.json, 5 % of the records refused"
    if only in title:
        targets = [Target(REFUSED, BATCHES, 0.7)]
        yield bench.first_harvest(title, "data.json", [BATCHES, REFUSED], targets)
    for format_, sides, ratios in plans():
        title = f"First harvest, {format_}, with CKAN's activity plugin"
        if only in title:
            sides = [each for each in sides if each != SINGLE]
            targets = [Target(BATCHES, other, ratio) for other, ratio in ratios]
            targets.append(FEW_STATEMENTS)
            yield bench.first_harvest(title, format_, sides, targets, ini={"activity": True})
    title = "First harvest, data.json, 800 records and more consumers"
    if only in title:
        sides = [BATCHES, TWO, FOUR]
        # Enough batches for four consumers to share.
        size = max(800, bench.size)
        targets = [Target(TWO, BATCHES, 1.5), *FEW_COMMITS]
        yield bench.first_harvest(title, "data.json", sides, targets, size=size)


def _nights(bench: Bench, only: str) -> Iterator[Case]:
    for format_, count, targets in (
        ("data.json", bench.nights, {"unchanged": 100, "upgrade": 10}),
        ("folder", bench.nights // 5, {"unchanged": 1000, "upgrade": 4}),
    ):
        nights = Nights(bench, format_, count, targets)
        if any(only in case.title for case in nights.cases):
            nights.measure()
            yield from nights.cases
