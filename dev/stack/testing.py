"""The command bin/test: make what the tests need, and run pytest.

The suite is run in parts (parts.py), each by a pytest of its own: the tests that need no CKAN (no
services, CKAN's pytest plugins switched off), and those marked `ckan` on a version of CKAN.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from . import debian, kept, reports, venv
from .console import StackError, command, run, step, tail
from .parts import Part, choose, parts
from .paths import (
    CKAN_VERSIONS,
    DEFAULT_CKAN,
    DEV,
    ROOT,
    STACK,
    Stamp,
    digest,
    log_file,
    make_folder,
)
from .selection import CKAN_TESTS, Mode, Selection, select, take_mode
from .site import NEEDS, Site, ensure_site, start_services
from .state import locked

USAGE = f"""\
bin/test [--fast | --ci | --all [--again] | --ckan VERSION] [--part NAME] [arguments for pytest]

  bin/test                      all but the giants, on CKAN {DEFAULT_CKAN}
  bin/test --fast               before a commit: lint, the quick tests without CKAN, and those of
                                the seam with CKAN {DEFAULT_CKAN}
  bin/test --ci                 as .ci/run: bin/test, and what is compat on CKAN {CKAN_VERSIONS[-1]}
  bin/test --all                everything, on CKAN {" and ".join(CKAN_VERSIONS)}; tests without it
                                also on other versions of Python that are found; bin/bench --quick
  bin/test --all --part NAME    one part of it, or several; a name that is none lists them
  bin/test -m "not ckan"        what needs no CKAN and no services
  bin/test --ckan VERSION       what is marked ckan, on that CKAN: {" or ".join(CKAN_VERSIONS)}
  bin/test tests/core -k guard  only these; a folder without CKAN starts no services
  bin/test --chaos [--seed N] [--faults N] [--minutes N]
                                200 faults of processes and services within an hour, and all
                                else of tests/ckan/chaos that CI has no time for
  bin/test --pictures           pictures of the pages that a browser checks, in results/pictures
  bin/test --samples DIR        tests/conformance reads the real documents of that folder; with
                                --all those of ../shared/samples, if they are there
  bin/test --fuzz 10000 tests/fuzz
                                random inputs for parsers and readers: so many for each

Which tests these are, what is kept and what is run again: CONTRIBUTING.md, The tests.

At the end bin/test prints what each part came to, and what was not tested and why. The exit code
is 0 if every test passed, 5 if none was chosen."""

NOTHING_RAN = 5


@dataclass(frozen=True)
class Result:
    """What a part came to: its exit code, its seconds, and what else the closing table says."""

    part: Part
    status: int
    seconds: float
    note: str = ""


@command
def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if {"-h", "--help"} & set(words):
        print(USAGE)
        return 0
    # Paths are relative to the checkout, wherever the command was typed.
    os.chdir(ROOT)
    mode, words = take_mode(words)
    return _run(select(words, only_ckan=mode.name in CKAN_VERSIONS), mode)


def _run(selection: Selection, mode: Mode) -> int:
    if not selection.without_ckan and not selection.with_ckan:
        raise StackError('--ckan runs the tests marked ckan, and -m "not ckan" takes them out')
    chosen = choose(parts(selection, mode.name), mode.parts)
    commit = kept.clean_commit() if any(part.is_kept for part in chosen) else ""
    if not commit:
        # The reports of these files lie beside the kept ones, which stay.
        chosen = [replace(part, is_kept=False) for part in chosen]
    results = {} if mode.is_again or mode.parts else _kept_results(chosen, commit)
    absent = [part for part in chosen if part.python and not venv.find_python(part.python)]
    due = [part for part in chosen if part not in results and part not in absent]
    debian.ensure(_needs(due))
    results.update((result.part, result) for result in _run_all(due, commit))
    _print_closing([results[part] for part in chosen if part in results], absent)
    return exit_code(result.status for result in results.values())


def _kept_results(chosen: Iterable[Part], commit: str) -> dict[Part, Result]:
    found = {}
    for part in chosen:
        if values := kept.load(part, commit):
            note = "; ".join(filter(None, ("kept", values["failed_before"])))
            found[part] = Result(part, values["status"], values["seconds"], note)
    return found


def _needs(due: Iterable[Part]) -> tuple[debian.Need, ...]:
    """Return what the parts need of Debian's packages, to be listed and installed at once."""
    found = list(debian.VENV)
    if any(part.ckan for part in due):
        found += NEEDS
    if any(part.is_whole and CKAN_TESTS in part.where for part in due):
        found += (*debian.BROWSER, *debian.NGINX, *debian.RABBITMQ)
    return tuple(found)


def _print_closing(results: list[Result], absent: Iterable[Part]) -> None:
    """Print and save what was not tested and why, what is flaky, and a line for each part."""
    made = [result.part.report for result in results]
    versions = sorted({result.part.ckan for result in results if result.part.ckan})
    lines = [
        "",
        *reports.skips(made),
        *reports.flaky(made),
        *(f"NOT TESTED ({part.title}): Python {part.python} is not found" for part in absent),
        *(f"CKAN {ckan} on Python {venv.python(ckan)[1].split()[0]}" for ckan in versions),
        *(_line(result) for result in results),
    ]
    text = "\n".join(lines)
    print(text)
    (make_folder("results") / "closing.txt").write_text(f"{text}\n", encoding="utf-8")


def _line(result: Result) -> str:
    counts = reports.count([result.part.report])
    return f"{result.part.title:<30} {counts:<40} {result.seconds:6.1f} s  {result.note}".rstrip()


def _run_all(due: Iterable[Part], commit: str) -> list[Result]:
    """Run the parts that are due, and return their results.

    A command runs alone: lint, which comes first and ends the whole if it fails, and the benchmark,
    which comes last and needs the machine for itself.
    """
    results: list[Result] = []
    for are_commands, group in groupby(due, key=lambda part: bool(part.commands)):
        together = list(group)
        if are_commands:
            results += [_ended(part, commit, _run_commands) for part in together]
            if any(result.status for result in results):
                break
        elif len(together) == 1 or not together[0].is_whole:
            results += [_ended(part, commit, _run_part) for part in together]
        else:
            results += _run_side_by_side(together, commit)
    return results


def _ended(part: Part, commit: str, run: Callable[[Part], Result]) -> Result:
    """Run a part, and save its result if it is to be kept."""
    failed_before = kept.failed_before(part, commit) if part.is_kept else ""
    result = run(part)
    if part.is_kept:
        kept.save(part, commit, result.status, result.seconds, failed_before)
    return replace(result, note=failed_before)


def exit_code(statuses: Iterable[int]) -> int:
    """Return the first failure among the parts' exit codes.

    One part without a test is no error: `bin/test -k guard` has tests in one part only. A part that
    a signal ended has a code below 0.
    """
    codes = [status for status in statuses if status != NOTHING_RAN]
    if not codes:
        return NOTHING_RAN
    return next((status if status > 0 else 1 for status in codes if status), 0)


def _run_side_by_side(together: list[Part], commit: str) -> list[Result]:
    """Run two parts at a time, the first with its output here, the others with theirs in logs.

    Tests with CKAN wait for a fifth of their time: for browsers, time limits, other processes.
    Those without it use that time (nice), beside the two.
    """
    first, *others = together
    with (
        ThreadPoolExecutor(1) as early,
        ThreadPoolExecutor(2) as pool,
        ThreadPoolExecutor(1, initializer=os.nice, initargs=(10,)) as beside,
    ):
        if first.ckan:
            # Solr's jars come while pip works. If that fails, the parts try it again and say so.
            early.submit(_on_half, 0, _start_services, first)
        futures = [pool.submit(_on_half, 0, _ended, first, commit, _run_part)]
        for number, part in enumerate(others, 1):
            place = beside if first.ckan and not part.ckan else pool
            futures.append(place.submit(_on_half, number, _ended, part, commit, _with_log))
        try:
            return [future.result() for future in futures]
        finally:
            for each in (pool, beside):
                each.shutdown(cancel_futures=True)  # parts that have not started


def _on_half(number: int, run: Callable[..., Any], *given: Any) -> Any:
    """Run one of the first two parts on its half of the processors, a later one on all.

    A test, its database and its consumers wait for each other; on the same core that needs no
    signal to another one. Two parts take 6 % less time so (measured on a virtual machine).
    """
    processors = sorted(os.sched_getaffinity(os.getpid()))
    middle = len(processors) // 2
    if middle and number < 2:
        # Of this thread, and of all processes that it starts.
        os.sched_setaffinity(0, processors[middle:] if number else processors[:middle])
    try:
        return run(*given)
    finally:
        os.sched_setaffinity(0, processors)


def _start_services(part: Part) -> None:
    with locked():
        start_services(Site(part.ckan, part.purpose).instance)


def _with_log(part: Part) -> Result:
    """Run a part of the tests with its output in a log, and print the log at its end.

    Of a part that a limit of time ended, only how far it came: CI shows the end of all output.
    """
    is_ended = False
    try:
        with part.log.open("w") as out:
            result = _run_part(part, out)
        is_ended = result.status == -signal.SIGTERM
        return result
    finally:
        text = tail(part.log, 10) if is_ended else part.log.read_text(errors="replace")
        print(text, flush=True)


def _run_part(part: Part, out: TextIO | None = None) -> Result:
    if not part.ckan:
        venv.ensure(version=part.python)
        return _pytest(part, part.words, out)
    # Before the lock: it takes minutes, in which others may set up their part.
    venv.ensure(part.ckan)
    with ExitStack() as stack:
        with locked():
            site = ensure_site(part.ckan, part.purpose)
        # The tests empty their database as they go, so two runs take turns.
        stack.enter_context(locked(site.name, waiting="other tests use the same database"))
        ini = site.write_test_ini()
        _migrate(site, ini)
        return _pytest(part, [f"--ckan-ini={ini}", *part.words], out)


def _migrate(site: Site, ini: Path) -> None:
    """Make the tables as a sysadmin does, by commands, unless that is done.

    In a process that makes CKAN's tables itself, CKAN's model differs from a portal's. The tests
    keep these tables, so a changed migration starts with an empty database.
    """
    migrations = sorted(ROOT.glob("ckanext/ukharvest/migration/**/*.py"))
    made_by = [DEV / "constraints.txt", DEV / f"constraints-{site.ckan}.txt", *migrations]
    stamp = Stamp(site.folder / "stamp-tables", digest(made_by, site.database_url))
    if stamp.is_current():
        return
    with step(f"CKAN {site.ckan}: the tables of the tests' database"):
        stamp.remove()
        site.empty_database()
        command = venv.ckan_commands(site.ckan, ini, *venv.UPGRADES)
        run(command, log_file("migrations"), env=venv.environment("CKAN_"))
    stamp.write()


def _pytest(part: Part, words: list[str], out: TextIO | None) -> Result:
    reports.begin(part.report)
    print(f"\n{part.title}:", flush=True, file=out)
    started = time.monotonic()
    command: list[str | Path] = [
        venv.program("python", part.ckan or DEFAULT_CKAN, part.python),
        DEV / "stack" / "run_tests.py",
        *("-o", f"cache_dir={STACK / 'cache' / 'pytest'}", *words),
    ]

    def run_once(*more: str | Path) -> int:
        """Run pytest with further words and return its exit code."""
        return subprocess.run(
            [*command, *more],
            # CKAN reads settings from variables that begin with CKAN_, before any file.
            env=venv.environment("CKAN_"),
            stdout=out,
            stderr=out and subprocess.STDOUT,
            check=False,
        ).returncode

    report, failures = part.report, reports.failures_of(part.report)
    status = run_once(f"--junit-xml={report}", f"--failures={failures}", *part.paths)
    if status == reports.TESTS_FAILED and part.is_whole:
        status = reports.run_again(report, lambda test: run_once("--shard=", test), out)
    return Result(part, status, time.monotonic() - started)


def _run_commands(part: Part) -> Result:
    """Run a part's commands until one fails."""
    reports.begin(part.report)
    print(f"\n{part.title}:", flush=True)
    started = time.monotonic()
    venv.ensure()
    runs = (subprocess.run(words, check=False).returncode for words in part.commands)
    status = next(filter(None, runs), 0)
    seconds = time.monotonic() - started
    reports.write_one(part.report, part.title, is_passed=status == 0, seconds=seconds)
    return Result(part, status, seconds)
