"""The command bin/bench."""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stack.console import StackError, command
from stack.paths import DEFAULT_CKAN
from stack.site import ensure_site
from stack.state import locked

from . import against, cases, full_portal, results
from .portals import OURS, STOCK, Portal, publisher

DESCRIPTION = """\
Measure how fast harvesting is: the same catalogues through our consumers, through
ckanext-dcat's harvesters, and written with package_create alone (the floor), by turns.
PostgreSQL, Redis and Solr are real and of this machine; run nothing else meanwhile.

The exit code is 1 if a target is missed; with --against, if a step is slower than before.
"""
QUICK = ("First harvest, data.json", "Nothing changed, data.json, 2,000 records")


@command
def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    with locked("bench", waiting="another bin/bench is at work"):
        return _run(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bin/bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one round with few records; half of each target is enough",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=400, help="records of a catalogue")
    parser.add_argument(
        "--nights", type=int, default=10_000, help="records of a source in which little changes"
    )
    parser.add_argument(
        "--only", default="", help="cases whose title contains this; one that is none lists them"
    )
    parser.add_argument(
        "--against", metavar="COMMIT", help="compare this checkout with a commit instead, by turns"
    )
    parser.add_argument("--output", type=Path, help="write a page with all tables")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.against:
        return _compare(options)
    with locked():
        sites = [ensure_site(DEFAULT_CKAN, purpose) for purpose in ("bench", "bench-stock")]
    rounds, size, nights = options.rounds, options.size, options.nights
    night_rounds = rounds
    if options.quick:
        rounds, size, nights, night_rounds = 1, 100, 2000, 3
    with publisher() as catalogues:
        ours, stock = Portal(sites[0], OURS, catalogues), Portal(sites[1], STOCK, catalogues)
        bench = cases.Bench(ours, stock, catalogues, size, nights, rounds, night_rounds)
        plans = _choose([*cases.plans(bench), *full_portal.plans(bench)], options)
        with ThreadPoolExecutor() as pool:
            list(pool.map(Portal.prepare, (ours, stock)))
        for plan in plans:
            plan.measure()
    return report([case for plan in plans for case in plan.cases], options, rounds, size)


def _compare(options: argparse.Namespace) -> int:
    """Measure this checkout beside an older commit; return 1 if a step is slower."""
    site = ensure_site(DEFAULT_CKAN, "bench")
    with (
        publisher() as catalogues,
        against.worktree(DEFAULT_CKAN, options.against, catalogues) as before,
    ):
        now = Portal(site, OURS, catalogues)
        with ThreadPoolExecutor() as pool:
            list(pool.map(Portal.prepare, (now, before)))
        plan = against.plan(now, before, catalogues, options.size, options.rounds)
        plan.measure()
    return report(plan.cases, options, options.rounds, options.size)


def report(cases: list[results.Case], options: argparse.Namespace, rounds: int, size: int) -> int:
    """Print the tables and the missed targets; return the exit code."""
    print("\n\n".join(case.section() for case in cases))
    if options.output:
        options.output.write_text(results.page(cases, size=size, rounds=rounds))
    missed = [case.title for case in cases if case.is_missed(0.5 if options.quick else 1.0)]
    for title in missed:
        print(f"MISSED  {title}")
    return 1 if missed else 0


def _choose(plans: list[cases.Plan], options: argparse.Namespace) -> list[cases.Plan]:
    """Return the plans with a case of such a title.

    Raises:
        StackError: there is none.
    """
    if options.quick:
        plans = [plan for plan in plans if plan.cases[0].title in QUICK]
    chosen = [plan for plan in plans if any(options.only in case.title for case in plan.cases)]
    if not chosen:
        known = "\n".join(case.title for plan in plans for case in plan.cases)
        raise StackError(f"no case has {options.only!r} in its title; the cases are:\n{known}")
    return chosen
