"""The command bin/coverage: how much of each parser and reader the tests run, branch by branch.

Without CKAN. Prints a table, and the branches that are left with --missing. The exit code is 1 if a
parser is below the line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import venv
from .paths import ROOT, make_folder
from .state import locked

LEAST = 95.0  # percent of the branches of each parser
TESTS = ("tests/parsers", "tests/readers", "tests/test_sources.py", "tests/test_contract.py")
FOLDERS = ("parsers", "readers")
PACKAGE = "ckanext/ukharvest"


def main() -> int:
    parser = argparse.ArgumentParser("bin/coverage", description=__doc__)
    parser.add_argument("--missing", action="store_true", help="list the branches not taken")
    parser.add_argument("tests", nargs="*", default=list(TESTS), help="which tests")
    given = parser.parse_args()
    with locked():
        venv.ensure()
    report = _measure(given.tests)
    files = report["files"]
    if given.missing:
        for name, each in files.items():
            if each["missing_branches"]:
                print(f"{name}: {', '.join(f'{a}→{b}' for a, b in each['missing_branches'])}")
    return print_table(files)


def _measure(tests: list[str]) -> dict[str, Any]:
    """Run the tests; return coverage's report."""
    folder = make_folder("results")
    data, report = folder / "coverage", folder / "coverage.json"
    env = {**os.environ, "COVERAGE_FILE": str(data)}
    program = [str(venv.program("python")), "-m", "coverage"]
    source = ",".join(f"{PACKAGE}/{folder}" for folder in FOLDERS)
    run = [*program, "run", "--branch", f"--source={source}", "-m", "pytest"]
    options = ["-q", "-p", "no:ckan", "-p", "no:ckan_fixtures", "-m", "not ckan"]
    subprocess.run([*run, *options, *tests], cwd=ROOT, env=env, check=True)
    words = [*program, "json", "-q", "-o", str(report)]
    subprocess.run(words, cwd=ROOT, env=env, check=True)
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


def part_of(name: str) -> str:
    """Return the parser or reader that a file belongs to: parsers/gemini, or parsers for shared."""
    inside = Path(name).relative_to(PACKAGE)
    return "/".join(inside.parts[:2]) if len(inside.parts) > 2 else inside.parts[0]


def print_table(files: Mapping[str, Any]) -> int:
    """Print the branches of each part; return 1 if a parser has too few."""
    branches: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for name, each in files.items():
        branches[part_of(name)] += each["summary"]["num_branches"]
        taken[part_of(name)] += each["summary"]["covered_branches"]
    low = 0
    for part in sorted(branches):
        share = 100 * taken[part] / branches[part] if branches[part] else 100.0
        is_low = part.startswith("parsers") and share < LEAST
        low |= is_low
        mark = f"  less than {LEAST:g} %" if is_low else ""
        print(f"{part:<24} {taken[part]:>5} of {branches[part]:>5} branches {share:6.1f} %{mark}")
    return int(low)


if __name__ == "__main__":
    sys.exit(main())
