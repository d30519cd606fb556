"""The command bin/test: make what the tests need, and run pytest.

The suite is run in parts, each by a pytest of its own: the tests that need no CKAN (no services,
CKAN's pytest plugins switched off), and those marked `ckan` on a version of CKAN; with --all on
every version, side by side.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from . import reports, venv
from .console import StackError, run, say, step, tail
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
from .site import Site, ensure_site, start_services
from .state import locked

USAGE = f"""\
bin/test [--all | --ckan VERSION] [arguments for pytest]

  bin/test --all                everything, on CKAN {" and ".join(CKAN_VERSIONS)}, side by side
  bin/test --all --once MARK    the same, but what is marked so on CKAN {DEFAULT_CKAN} alone
  bin/test                      everything, on CKAN {DEFAULT_CKAN}
  bin/test -m "not ckan"        what needs no CKAN and no services
  bin/test --ckan VERSION       what is marked ckan, on that CKAN: {" or ".join(CKAN_VERSIONS)}
  bin/test tests/core -k guard  only these; a folder without CKAN starts no services
  bin/test --chaos [--seed N] [--faults N] [--minutes N]
                                200 faults of processes and services within an hour, and all
                                else of tests/ckan/chaos that CI has no time for
  bin/test --samples DIR        tests/conformance reads the real documents of that folder;
                                without it those of ../shared/samples, if they are there
  bin/test --fuzz 10000 tests/fuzz
                                random inputs for parsers and readers: so many for each

At the end it prints what each part came to, and what was not tested and why. The exit code is
0 if every test passed, 5 if none was chosen.

Services that run elsewhere can be named; see bin/stack --help."""

Part = Callable[[TextIO], "Result"]

CKAN_TESTS = ROOT / "tests" / "ckan"
CHAOS = CKAN_TESTS / "chaos"
# Options of pytest whose value may be a word of its own.
WITH_VALUE = (
    "--samples",
    "--batch-size",
    "--fuzz",
    "--fuzz-seed",
    "--seed",
    "--faults",
    "--minutes",
)
NOTHING_RAN = 5


@dataclass(frozen=True)
class Selection:
    """Which of the two parts to run, and the arguments of each pytest."""

    without_ckan: bool
    with_ckan: bool
    expression: str
    arguments: tuple[str, ...]
    has_paths: bool

    @property
    def batch_size(self) -> str:
        """The size of batches that pytest was given, "" for the default."""
        sizes = [word for word in self.arguments if word.startswith("--batch-size=")]
        return sizes[-1].partition("=")[2] if sizes else ""

    def marked(self, part: str) -> list[str]:
        """Return the caller's own -m, narrowed to the part."""
        return ["-m", f"({self.expression}) and {part}" if self.expression else part]

    def only(self, mark: str) -> Selection:
        """Return the same selection, of tests that have the mark only."""
        narrowed = f"({self.expression}) and {mark}" if self.expression else mark
        return replace(self, expression=narrowed)

    def batches(self, size: int) -> Selection:
        """Return the same selection with batches of another size, unless the caller gave one."""
        if self.batch_size:
            return self
        return replace(self, arguments=(*self.arguments, f"--batch-size={size}"))

    def without(self, mark: str) -> Selection:
        """Return the same selection without tests that have the mark."""
        narrowed = f"({self.expression}) and not {mark}" if self.expression else f"not {mark}"
        return replace(self, expression=narrowed) if mark else self


@dataclass(frozen=True)
class Result:
    """One pytest's exit code, its report and its time."""

    title: str
    status: int
    report: Path
    seconds: float


def select(arguments: Iterable[str], *, only_ckan: bool) -> Selection:
    """Parse -m and the paths from pytest's arguments."""
    rest = _joined(arguments)
    expression = _take_expression(rest)
    if "--chaos" in rest and not _paths(rest):
        rest.append(str(CHAOS))
    paths = _paths(rest)
    inside = [path.is_relative_to(CKAN_TESTS) for path in paths]
    # A folder above tests/ckan holds tests of both kinds.
    above = any(path in CKAN_TESTS.parents for path in paths)
    excluded = re.search(r"\bnot\s+ckan\b", expression) is not None
    demanded = only_ckan or (not excluded and re.search(r"\bckan\b", expression) is not None)
    return Selection(
        without_ckan=not demanded and (above or not paths or not all(inside)),
        with_ckan=not excluded and (demanded or above or not paths or any(inside)),
        expression=expression,
        arguments=tuple(rest),
        has_paths=bool(paths),
    )


def _paths(words: Iterable[str]) -> list[Path]:
    """Return the files and folders among pytest's arguments."""
    paths = [Path(word.partition("::")[0]).resolve() for word in words if not word.startswith("-")]
    return [path for path in paths if path.exists()]


def _joined(arguments: Iterable[str]) -> list[str]:
    """Join an option and its value into one word, so that the value is not taken for a path."""
    rest: list[str] = []
    for word in arguments:
        if rest and rest[-1] in WITH_VALUE:
            rest[-1] += f"={word}"
        else:
            rest.append(word)
    return rest


def _take_expression(arguments: list[str]) -> str:
    """Remove -m EXPRESSION from the arguments and return the expression."""
    expression = ""
    for index in range(len(arguments) - 1, -1, -1):
        word = arguments[index]
        if word == "-m" and index + 1 < len(arguments):
            expression = expression or arguments[index + 1]
            del arguments[index : index + 2]
        elif word.startswith("-m") and not word.startswith("--") and len(word) > 2:
            expression = expression or word[2:].removeprefix("=")
            del arguments[index]
    return expression


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if {"-h", "--help"} & set(words):
        print(USAGE)
        return 0
    # Paths are relative to the checkout, wherever the command was typed.
    os.chdir(ROOT)
    # A limit on the whole (timeout, CI) ends the parts too, and their output is shown.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        versions, once, words = take_versions(words)
        selection = select(words, only_ckan=versions is not None and len(versions) == 1)
        return _run(selection, versions or [DEFAULT_CKAN], once)
    except StackError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


def take_versions(words: list[str]) -> tuple[list[str] | None, str, list[str]]:
    """Remove the versions of CKAN, and the mark of tests for the newest only, from the arguments.

    The versions are None if neither `--all` nor `--ckan VERSION` was given.
    """
    parser = argparse.ArgumentParser("bin/test", add_help=False, allow_abbrev=False)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--ckan", choices=CKAN_VERSIONS)
    either.add_argument("--all", action="store_true")
    parser.add_argument("--once", metavar="MARK", default="")
    known, rest = parser.parse_known_args(words)
    if known.all:
        return list(CKAN_VERSIONS), known.once, rest
    if known.once:
        parser.error("--once goes with --all")
    return ([known.ckan] if known.ckan else None), "", rest


def _run(selection: Selection, versions: list[str], once: str) -> int:
    if not selection.without_ckan and not selection.with_ckan:
        raise StackError('--ckan runs the tests marked ckan, and -m "not ckan" takes them out')
    if len(versions) > 1 and selection.with_ckan:
        results = _run_side_by_side(selection, versions, once)
    else:
        results = [_run_without_ckan(selection)] if selection.without_ckan else []
        results += [_run_with_ckan(selection, versions[0])] if selection.with_ckan else []
    print()
    for line in reports.skips(result.report for result in results):
        print(line)
    for result in results:
        print(f"{result.title:<26} {reports.count([result.report]):<40} {result.seconds:6.1f} s")
    return exit_code(result.status for result in results)


def exit_code(statuses: Iterable[int]) -> int:
    """Return the first failure among the parts' exit codes.

    One part without a test is no error: `bin/test -k guard` has tests in one part only. A part that
    a signal ended has a code below 0.
    """
    codes = [status for status in statuses if status != NOTHING_RAN]
    if not codes:
        return NOTHING_RAN
    return next((status if status > 0 else 1 for status in codes if status), 0)


def _run_side_by_side(selection: Selection, versions: list[str], once: str) -> list[Result]:
    """Run two parts at a time: the newest CKAN's tests, and the others with their output in logs.

    Three at a time get no more done on two cores (measured). The short parts come last, so that the
    two end at about the same time.

    What shares work is run with other sizes of batches as well: 7, so that runs have many and most
    end with an incomplete one, and 1. These, and what is for one CKAN alone, have portals of their
    own.
    """
    newest, *older = versions
    narrowed = selection.without(once)
    engine = narrowed.only("engine")
    parts: dict[str, Part] = {}
    for each in older:
        parts[f"ckan-{each}"] = functools.partial(_run_with_ckan, narrowed, each)
    if selection.without_ckan:
        parts["without-ckan"] = functools.partial(_run_without_ckan, selection)
    if once:
        marked = selection.only(once)
        parts[f"ckan-{newest}-{once}"] = functools.partial(
            _run_with_ckan, marked, newest, purpose="more", note=once
        )
    if not selection.has_paths:
        for size, ckan in ((1, older[0]), (7, newest)):
            parts[f"batches-of-{size}"] = functools.partial(
                _run_with_ckan, engine.batches(size), ckan, purpose="batches"
            )
    with ThreadPoolExecutor(1) as early, ThreadPoolExecutor(2) as pool:
        # Solr's jars come while pip works. If that fails, the parts try it again and say so.
        early.submit(_on_half, 0, _start_services, newest)
        first = pool.submit(_on_half, 0, _run_with_ckan, narrowed, newest)
        others = [
            pool.submit(_on_half, number, _with_log, name, part)
            for number, (name, part) in enumerate(parts.items(), 1)
        ]
        try:
            return [future.result() for future in (first, *others)]
        finally:
            pool.shutdown(cancel_futures=True)  # parts that have not started


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


def _start_services(ckan: str) -> None:
    with locked():
        start_services(Site(ckan).instance)


def _with_log(name: str, part: Part) -> Result:
    """Run a part of the tests with its output in a log, and print the log at its end.

    Of a part that a limit of time ended, only how far it came: CI shows the end of all output.
    """
    log = log_file(f"tests-{name}")
    is_ended = False
    try:
        with log.open("w") as out:
            result = part(out)
        is_ended = result.status == -signal.SIGTERM
        return result
    finally:
        print(tail(log, 10) if is_ended else log.read_text(errors="replace"), flush=True)


def _run_without_ckan(selection: Selection, out: TextIO | None = None) -> Result:
    venv.ensure()
    return _pytest(
        DEFAULT_CKAN,
        "without CKAN",
        # Collecting tests/ckan imports CKAN, which alone takes longer than these tests.
        ["-p", "no:ckan", "-p", "no:ckan_fixtures", f"--ignore={CKAN_TESTS}"],
        [*selection.marked("not ckan"), *selection.arguments],
        out,
    )


def _run_with_ckan(
    selection: Selection,
    ckan: str,
    out: TextIO | None = None,
    *,
    purpose: str = "test",
    note: str = "",
) -> Result:
    venv.ensure(ckan)  # before the lock: it takes minutes, in which others may set up their part
    with ExitStack() as stack:
        with locked():
            site = ensure_site(ckan, purpose)
        # The tests empty their database as they go, so two runs take turns.
        stack.enter_context(locked(site.name, waiting="other tests use the same database"))
        ini = site.write_test_ini()
        _migrate(site, ini)
        if selection.batch_size and not note:
            note = f"batches of {selection.batch_size}"
        # Only this folder has such tests, and searching the others takes time.
        where = () if selection.has_paths else (str(CKAN_TESTS),)
        return _pytest(
            ckan,
            f"CKAN {ckan}, {note}" if note else f"CKAN {ckan}",
            [f"--ckan-ini={ini}"],
            [*selection.marked("ckan"), *selection.arguments, *where],
            out,
        )


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
        run(command, log_file("migrations"), env=_environment())
    stamp.write()


def _environment() -> dict[str, str]:
    # CKAN reads settings from variables that begin with CKAN_, before any file.
    return venv.environment("CKAN_")


def _pytest(
    ckan: str, title: str, ours: list[str], theirs: list[str], out: TextIO | None
) -> Result:
    report = make_folder("results") / f"{re.sub(r'[ ,]+', '-', title)}.xml"
    reports.begin(report)
    print(f"\n{title}:", flush=True, file=out)
    started = time.monotonic()
    status = subprocess.run(
        [
            venv.program("python", ckan),
            DEV / "stack" / "run_tests.py",
            *ours,
            *("-o", f"cache_dir={STACK / 'cache' / 'pytest'}", f"--junit-xml={report}"),
            *theirs,
        ],
        env=_environment(),
        stdout=out,
        stderr=out and subprocess.STDOUT,
        check=False,
    ).returncode
    return Result(title, status, report, time.monotonic() - started)
