"""The command bin/test: makes what the tests need, and hands over to pytest.

The suite is run in two parts, each by a pytest of its own: the tests that need no CKAN
(seconds, no services, CKAN's pytest plugins switched off), and those marked `ckan`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from . import venv
from .console import StackError, run, say, step
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
from .site import Site, ensure_site
from .state import locked

USAGE = f"""\
bin/test [--ckan VERSION] [arguments for pytest]

  bin/test                      everything, on CKAN {DEFAULT_CKAN}
  bin/test -m "not ckan"        what needs no CKAN and no services: seconds
  bin/test --ckan VERSION       what is marked ckan, on that CKAN: {" or ".join(CKAN_VERSIONS)}
  bin/test tests/core -k guard  only these; a folder without CKAN starts no services
  bin/test --samples DIR        tests/conformance reads the real documents of that folder;
                                without it those of ../shared/samples, if they are there

Services that run elsewhere can be named; see bin/stack --help."""

CKAN_TESTS = ROOT / "tests" / "ckan"
NOTHING_RAN = 5


@dataclass(frozen=True)
class Selection:
    """Which of the two parts the arguments ask for, and what each pytest is given."""

    without_ckan: bool
    with_ckan: bool
    expression: str
    arguments: tuple[str, ...]
    has_paths: bool

    def marked(self, part: str) -> list[str]:
        """The caller's own -m, narrowed to the part."""
        return ["-m", f"({self.expression}) and {part}" if self.expression else part]


@dataclass(frozen=True)
class Result:
    """One pytest's exit code, its counts and its time."""

    title: str
    status: int
    counts: str
    seconds: float


def select(arguments: Iterable[str], *, only_ckan: bool) -> Selection:
    """Read -m and the paths out of pytest's arguments."""
    rest = _joined(arguments, "--samples")
    expression = _take_expression(rest)
    paths = [Path(word.partition("::")[0]).resolve() for word in rest if not word.startswith("-")]
    paths = [path for path in paths if path.exists()]
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


def _joined(arguments: Iterable[str], option: str) -> list[str]:
    """Write an option and its value as one word, so that the value is no path of tests."""
    rest: list[str] = []
    for word in arguments:
        if rest[-1:] == [option]:
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
    # Paths are the checkout's, from wherever the command was typed.
    os.chdir(ROOT)
    try:
        ckan, words = take_ckan(words)
        return _run(select(words, only_ckan=ckan is not None), ckan or DEFAULT_CKAN)
    except StackError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


def take_ckan(words: list[str]) -> tuple[str | None, list[str]]:
    """Split off `--ckan VERSION`; None if it was not said."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--ckan", choices=CKAN_VERSIONS)
    known, rest = parser.parse_known_args(words)
    return known.ckan, rest


def _run(selection: Selection, ckan: str) -> int:
    if not selection.without_ckan and not selection.with_ckan:
        raise StackError('--ckan runs the tests marked ckan, and -m "not ckan" takes them out')
    results = []
    if selection.without_ckan:
        results.append(_run_without_ckan(selection))
    if selection.with_ckan:
        results.append(_run_with_ckan(selection, ckan))
    print()
    for result in results:
        print(f"{result.title:<14} {result.counts:<40} {result.seconds:6.1f} s")
    # One part without a test is no mistake: `bin/test -k guard` has them in one part only.
    statuses = {result.status for result in results}
    return max(statuses - {NOTHING_RAN}, default=NOTHING_RAN)


def _run_without_ckan(selection: Selection) -> Result:
    with locked():
        venv.ensure()
    return _pytest(
        DEFAULT_CKAN,
        "without CKAN",
        # Collecting tests/ckan imports CKAN, which alone takes longer than these tests.
        ["-p", "no:ckan", "-p", "no:ckan_fixtures", f"--ignore={CKAN_TESTS}"],
        [*selection.marked("not ckan"), *selection.arguments],
    )


def _run_with_ckan(selection: Selection, ckan: str) -> Result:
    with ExitStack() as stack:
        with locked():
            site = ensure_site(ckan)
        # The tests empty their database as they go, so two runs take turns.
        stack.enter_context(locked(site.name, waiting="other tests use the same database"))
        ini = site.write_test_ini()
        _migrate(site, ini)
        # No other folder has any, and the others take time to be looked through.
        where = () if selection.has_paths else (str(CKAN_TESTS),)
        return _pytest(
            ckan,
            f"CKAN {ckan}",
            [f"--ckan-ini={ini}"],
            [*selection.marked("ckan"), *selection.arguments, *where],
        )


def _migrate(site: Site, ini: Path) -> None:
    """Make the tables as a sysadmin does, by commands, unless that is done.

    In a process that makes CKAN's tables itself, CKAN's model is not what it is on a portal. The
    tests keep these tables, so a changed migration begins with an empty database.
    """
    migrations = sorted(ROOT.glob("ckanext/ukharvest/migration/**/*.py"))
    made_by = [DEV / "constraints.txt", DEV / f"constraints-{site.ckan}.txt", *migrations]
    stamp = Stamp(site.folder / "stamp-tables", digest(made_by, site.database_url))
    if stamp.is_current():
        return
    with step(f"CKAN {site.ckan}: the tables of the tests' database"):
        stamp.remove()
        site.empty_database()
        for words in (("--skip-plugins",), ("-p", "harvest"), ("-p", "ukharvest")):
            command = [venv.program("ckan", site.ckan), "-c", ini, "db", "upgrade", *words]
            run(command, log_file("migrations"), env=_environment())
    stamp.write()


def _environment() -> dict[str, str]:
    # CKAN reads settings out of variables that begin with CKAN_, before any file.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CKAN_")}
    environment["PYTHONPYCACHEPREFIX"] = str(STACK / "cache" / "python")
    return environment


def _pytest(ckan: str, title: str, ours: list[str], theirs: list[str]) -> Result:
    report = make_folder("results") / f"{title.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    print(f"\n{title}:", flush=True)
    started = time.monotonic()
    status = subprocess.run(
        [
            venv.program("python", ckan),
            *("-m", "pytest", *ours),
            *("-o", f"cache_dir={STACK / 'cache' / 'pytest'}", f"--junit-xml={report}"),
            *theirs,
        ],
        env=_environment(),
        check=False,
    ).returncode
    return Result(title, status, count([report]), time.monotonic() - started)


def count(reports: Iterable[Path]) -> str:
    """The sum of pytest's own reports, in the words of its closing line."""
    total = failed = skipped = 0
    for report in reports:
        if report.is_file():
            for suite in ET.parse(report).getroot().iter("testsuite"):
                total += int(suite.get("tests", 0))
                failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
                skipped += int(suite.get("skipped", 0))
    return f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped"
