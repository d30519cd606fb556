"""The command bin/mutants: prove that the tests find seeded faults.

Each fault of tests/mutants.py is put into the code, one at a time, and the tests are run until one
fails. Whatever happens, the file is then as it was.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tests.mutants import MUTANTS, Mutant

from . import reports
from .console import StackError, command
from .paths import ROOT, log_file, make_folder

DESCRIPTION = """\
Put each seeded fault of tests/mutants.py into the code, one at a time, and run the tests until one
fails: first those that the fault names, then the rest of bin/test. A test that fails has to pass
without the fault. The code must have no uncommitted changes. The output of the tests is in
.stack/logs/mutants-NAME.log.

The exit code is 1 if a fault was not found."""
# It holds that the faults still apply, so each applied one fails it.
TABLE_TEST = "tests/test_mutants.py"
FIRST_OPTIONS = ("-x", "-q", "-m", "not giant")


class Result(NamedTuple):
    """The result of one fault.

    Attributes:
        caught_by: id of the first test that failed, and passes without the fault; "" if none did.
        trouble: why that is not known, "" if it is: bin/test ended in another way.
    """

    mutant: Mutant
    caught_by: str
    trouble: str
    seconds: float

    def __str__(self) -> str:
        outcome = self.caught_by or self.trouble or "NOT CAUGHT"
        return f"{self.mutant.name:<32} {self.seconds:6.1f} s  {outcome}"


@command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "bin/mutants", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these faults")
    parser.add_argument("--first", action="store_true", help="run only the tests that it names")
    parser.add_argument("--all", action="store_true", help="then run bin/test --all")
    options = parser.parse_args(arguments)
    rest: list[str] | None = ["--all"] if options.all else []
    results: list[Result] = []
    chosen = choose(options.names)
    refuse_changes()
    for mutant in chosen:
        results.append(try_mutant(mutant, None if options.first else rest))
        print(results[-1], flush=True)
    lost = [result for result in results if not result.caught_by]
    print(f"\n{len(results) - len(lost)} of {len(results)} caught")
    for result in lost:
        print(f"{result}\n    {result.mutant.guarantee}")
    return 1 if lost else 0


def choose(names: Iterable[str]) -> list[Mutant]:
    """Return the mutants with these names; all without any.

    Raises:
        StackError: there is no such mutant, or one does not apply any more.
    """
    by_name = {mutant.name: mutant for mutant in MUTANTS}
    wanted = list(names) or list(by_name)
    if unknown := [name for name in wanted if name not in by_name]:
        raise StackError(f"no mutant is called {unknown[0]}; there is: {', '.join(by_name)}")
    for name in wanted:
        try:
            by_name[name].apply()
        except ValueError as exc:
            raise StackError(f"{exc}; change its entry in tests/mutants.py") from exc
    return [by_name[name] for name in wanted]


def refuse_changes() -> None:
    """Raise StackError if files have changes, which nobody could tell from a fault."""
    command = ["git", "status", "--porcelain", "--untracked-files=no"]
    changes = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if changes:
        raise StackError(f"commit or stash these changes first:\n{changes.rstrip()}")


@contextlib.contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """Have the fault in the code within the block."""
    path, changed = mutant.path, mutant.apply()
    before, facts = path.read_bytes(), path.stat()
    try:
        path.write_text(changed, encoding="utf-8")
        yield
    finally:
        path.write_bytes(before)
        # Python compiles a file again only if its time in seconds or its size is another.
        if path.suffix == ".py":  # of another, CKAN would go on with the bundle that has the fault
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def try_mutant(mutant: Mutant, rest: Sequence[str] | None) -> Result:
    """Run the tests with a fault until one fails.

    Args:
        rest: arguments of bin/test for the tests after the named ones; None: run only these.
    """
    runs = [[*FIRST_OPTIONS, *mutant.tests]]
    if rest is not None:
        runs.append([*rest, "-x", "-q", f"--ignore={ROOT / TABLE_TEST}"])
    log_file(f"mutants-{mutant.name}").unlink(missing_ok=True)
    started = time.monotonic()
    caught_by = trouble = ""
    with applied(mutant):
        for words in runs:
            caught_by, trouble = run_tests(mutant.name, words)
            if caught_by or trouble:
                break
    # A busy machine fails tests, too.
    if caught_by and any(run_tests(mutant.name, ["-q", caught_by])):
        caught_by, trouble = "", f"{caught_by} fails without the fault, too"
    return Result(mutant, caught_by, trouble, time.monotonic() - started)


def run_tests(name: str, words: Sequence[str]) -> tuple[str, str]:
    """Run bin/test; return the first test that failed, and why that is not known."""
    results = make_folder("results")
    for old in (*results.glob("*.failures"), *results.glob("*.flaky")):
        old.unlink()
    with log_file(f"mutants-{name}").open("a") as log:
        status = _wait([sys.executable, str(ROOT / "bin" / "test"), *words], log.fileno())
    trouble = f"bin/test ended with {status}; see the log" if status else ""
    for failures in sorted(results.glob("*.failures"), key=lambda path: path.stat().st_mtime):
        passed = reports.flaky_of(failures)
        again = passed.read_text().splitlines() if passed.is_file() else []
        for test in failures.read_text().splitlines():
            if test not in again:
                return test, ""
            trouble = f"{test} is flaky, and what comes after it was not run"
    return "", trouble


def _wait(command: Sequence[str], log: int) -> int:
    """Run a command and return its exit code; if this process is interrupted, end it first."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT
    ) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            raise
