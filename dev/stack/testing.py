"""The command bin/test: make what the tests need, and run pytest.

The suite is run in parts, each by a pytest of its own: the tests that need no CKAN (no services,
CKAN's pytest plugins switched off), and those marked `ckan` on a version of CKAN.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from . import flaky, reports, venv
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
from .selection import CKAN_TESTS, Selection, select, take_mode
from .site import Site, ensure_site, start_services
from .state import locked

USAGE = f"""\
bin/test [--all | --ci | --ckan VERSION] [arguments for pytest]

  bin/test                      all but the giants, on CKAN {DEFAULT_CKAN}
  bin/test --ci                 as .ci/run: the same, and what is compat on CKAN {CKAN_VERSIONS[-1]}
  bin/test --all                everything, on CKAN {" and ".join(CKAN_VERSIONS)}, with bin/bench
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

Giants are tests that are long on purpose (marked giant). They run with --all, or if you name
their file or their mark.

If you name no files or tests, each test that fails is run once more by itself. If it then passes,
the closing lines name it as FLAKY, and it counts as passed: add it to tests/flaky.txt.

At the end bin/test prints what each part came to, and what was not tested and why. The exit code
is 0 if every test passed, 5 if none was chosen.

Services that run elsewhere can be named; see bin/stack --help."""

NOTHING_RAN = 5
# Random inputs for each target of tests/fuzz with --all; the default is for each change.
FUZZ_CASES = 120
SAMPLES = ROOT.parent / "shared" / "samples"


@dataclass(frozen=True)
class Part:
    """One pytest: its tests, the CKAN they need ("" for none), and the portal they have."""

    title: str
    selection: Selection
    ckan: str = ""
    purpose: str = "test"

    @property
    def log(self) -> Path:
        return log_file(f"tests-{_file_name(self.title)}")


@dataclass(frozen=True)
class Result:
    """One pytest's exit code, its report and its time."""

    title: str
    status: int
    report: Path
    seconds: float


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
        mode, words = take_mode(words)
        return _run(select(words, only_ckan=mode in CKAN_VERSIONS), mode)
    except StackError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


def _run(selection: Selection, mode: str) -> int:
    if not selection.without_ckan and not selection.with_ckan:
        raise StackError('--ckan runs the tests marked ckan, and -m "not ckan" takes them out')
    chosen = parts(selection, mode)
    if selection.is_narrowed and mode != "all":
        results = [_run_part(part) for part in chosen]
    else:
        results = _run_side_by_side(chosen)
    if mode == "all" and not selection.is_narrowed:
        results.append(_bench())
    print()
    made = [result.report for result in results]
    for line in (*reports.skips(made), *reports.flaky(made)):
        print(line)
    for result in results:
        print(f"{result.title:<26} {reports.count([result.report]):<40} {result.seconds:6.1f} s")
    return exit_code(result.status for result in results)


def parts(selection: Selection, mode: str) -> list[Part]:
    """Return the parts that run the selected tests, the longest first.

    What is whole is run in two halves on two portals of the same CKAN, side by side. What shares
    work is run with other sizes of batches as well: 7, so that runs have many and most end with an
    incomplete one, and 1.
    """
    newest, oldest = CKAN_VERSIONS[0], CKAN_VERSIONS[-1]
    if mode == "all":
        selection = selection.with_option("--fuzz", str(FUZZ_CASES))
        if SAMPLES.is_dir():
            selection = selection.with_option("--samples", str(SAMPLES))
    elif not selection.names_giants:
        selection = selection.only("not giant")
    found = []
    if selection.with_ckan:
        versions = CKAN_VERSIONS if mode == "all" else [mode if mode in CKAN_VERSIONS else newest]
        for ckan in versions:
            found += _on(ckan, selection)
        if mode == "ci":
            found.append(Part(f"CKAN {oldest}, compat", selection.only("compat"), oldest))
    if selection.without_ckan:
        found.append(Part("without CKAN", selection))
    if selection.with_ckan and not selection.is_narrowed and mode in ("all", "ci"):
        sizes = [(7, newest), (1, oldest)] if mode == "all" else [(7, newest)]
        for size, ckan in sizes:
            engine = selection.only("engine").with_option("--batch-size", str(size))
            found.append(Part(f"CKAN {ckan}, batches of {size}", engine, ckan, "batches"))
    return found


def _on(ckan: str, selection: Selection) -> list[Part]:
    """Return the parts for one CKAN: two halves of the tests, or the one that was narrowed."""
    title = f"CKAN {ckan}"
    if selection.is_narrowed:
        return [Part(title, selection, ckan)]
    halves = [selection.with_option("--shard", f"{number}/2") for number in (1, 2)]
    return [
        Part(f"{title}, first half", halves[0], ckan),
        Part(f"{title}, second half", halves[1], ckan, "more"),
    ]


def exit_code(statuses: Iterable[int]) -> int:
    """Return the first failure among the parts' exit codes.

    One part without a test is no error: `bin/test -k guard` has tests in one part only. A part that
    a signal ended has a code below 0.
    """
    codes = [status for status in statuses if status != NOTHING_RAN]
    if not codes:
        return NOTHING_RAN
    return next((status if status > 0 else 1 for status in codes if status), 0)


def _run_side_by_side(chosen: list[Part]) -> list[Result]:
    """Run two parts at a time, the first with its output here, the others with theirs in logs.

    Three at a time get no more done on two cores (measured). The short parts come last, so that the
    two end at about the same time.
    """
    first, *others = chosen
    with ThreadPoolExecutor(1) as early, ThreadPoolExecutor(2) as pool:
        if first.ckan:
            # Solr's jars come while pip works. If that fails, the parts try it again and say so.
            early.submit(_on_half, 0, _start_services, first)
        futures = [pool.submit(_on_half, 0, _run_part, first)]
        futures += [
            pool.submit(_on_half, number, _with_log, part) for number, part in enumerate(others, 1)
        ]
        try:
            return [future.result() for future in futures]
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
    selection = part.selection
    if not part.ckan:
        venv.ensure()
        # Collecting tests/ckan imports CKAN, which alone takes longer than these tests.
        options = ["-p", "no:ckan", "-p", "no:ckan_fixtures", f"--ignore={CKAN_TESTS}"]
        words = [*options, *selection.marked("not ckan"), *selection.arguments]
        return _pytest(part, words, out)
    # Before the lock: it takes minutes, in which others may set up their part.
    venv.ensure(part.ckan)
    with ExitStack() as stack:
        with locked():
            site = ensure_site(part.ckan, part.purpose)
        # The tests empty their database as they go, so two runs take turns.
        stack.enter_context(locked(site.name, waiting="other tests use the same database"))
        ini = site.write_test_ini()
        _migrate(site, ini)
        words = [f"--ckan-ini={ini}", *selection.marked("ckan"), *selection.arguments]
        # Only this folder has such tests, and searching the others takes time.
        return _pytest(part, words, out, () if selection.has_paths else (CKAN_TESTS,))


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
    part: Part, words: list[str], out: TextIO | None, where: tuple[Path, ...] = ()
) -> Result:
    report = make_folder("results") / f"{_file_name(part.title)}.xml"
    reports.begin(report)
    print(f"\n{part.title}:", flush=True, file=out)
    started = time.monotonic()
    python = venv.program("python", part.ckan or DEFAULT_CKAN)
    command: list[str | Path] = [python, DEV / "stack" / "run_tests.py"]
    command += ["-o", f"cache_dir={STACK / 'cache' / 'pytest'}", *words]

    def run_once(*more: str | Path) -> int:
        """Run pytest with further words and return its exit code."""
        return subprocess.run(
            [*command, *more],
            env=_environment(),
            stdout=out,
            stderr=out and subprocess.STDOUT,
            check=False,
        ).returncode

    failures = flaky.failures_of(report)
    status = run_once(f"--junit-xml={report}", f"--failures={failures}", *where)
    if status == flaky.TESTS_FAILED and not part.selection.is_narrowed:
        status = flaky.run_again(report, lambda test: run_once("--shard=", test), out)
    return Result(part.title, status, report, time.monotonic() - started)


def _bench() -> Result:
    """Run the quick benchmark: each side of a comparison needs the machine for itself."""
    report = make_folder("results") / "bench.xml"
    started = time.monotonic()
    status = subprocess.run([ROOT / "bin" / "bench", "--quick"], check=False).returncode
    seconds = time.monotonic() - started
    reports.write_one(report, "bin/bench --quick", is_passed=status == 0, seconds=seconds)
    return Result("bench", status, report, seconds)


def _file_name(title: str) -> str:
    return re.sub(r"[ ,]+", "-", title)
