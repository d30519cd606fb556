"""The arguments of bin/test: what is for bin/test itself, and which tests pytest is to run."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from .paths import CKAN_VERSIONS, ROOT

CKAN_TESTS = ROOT / "tests" / "ckan"
CHAOS = CKAN_TESTS / "chaos"
# `bin/test --fast`: of the tests marked compat, those of the seam with CKAN ...
SEAM = tuple(
    CKAN_TESTS / f"{name}.py"
    for name in (
        "security/test_access_table",
        "patches/test_queue_callbacks",
        "testing/test_portal",
    )
    + ("harvest/batch/test_import_stage", "test_compat")
)
# ... and all tests without CKAN but these, which take two thirds of the time.
SLOW = tuple(
    ROOT / "tests" / name
    for name in (
        *("check_command", "conformance", "fuzz", "publishers", "schema_check", "security"),
        "stack/test_bounds.py",
    )
)
# Options of pytest whose value may be a word of its own.
WITH_VALUE = re.compile("--(samples|batch-size|fuzz|fuzz-seed|seed|faults|minutes)")


class Mode(NamedTuple):
    """What was asked of bin/test itself.

    Attributes:
        name: "all", "ci", "fast", a version of CKAN, or "" if none was given.
        parts: the names of the only parts to run; empty: all of them.
        is_again: whether kept results are not used.
    """

    name: str = ""
    parts: tuple[str, ...] = ()
    is_again: bool = False


@dataclass(frozen=True)
class Selection:
    """Which of the two parts to run, and the arguments of each pytest."""

    without_ckan: bool
    with_ckan: bool
    expression: str
    arguments: tuple[str, ...]
    has_paths: bool

    def marked(self, part: str) -> list[str]:
        """Return the caller's own -m, narrowed to the part."""
        return ["-m", f"({self.expression}) and {part}" if self.expression else part]

    @property
    def is_narrowed(self) -> bool:
        """Whether the caller named files, folders or tests."""
        return self.has_paths or any(word.startswith("-k") for word in self.arguments)

    @property
    def names_giants(self) -> bool:
        """Whether tests marked `giant` are asked for: by the mark, their file, or the long form."""
        names_file = any(path.is_file() for path in _paths(self.arguments))
        return names_file or "giant" in self.expression or "--chaos" in self.arguments

    def only(self, mark: str) -> Selection:
        """Return the same selection, of tests that have the mark (or "not MARK") only."""
        narrowed = f"({self.expression}) and {mark}" if self.expression else mark
        return replace(self, expression=narrowed)

    def with_option(self, name: str, value: str) -> Selection:
        """Return the same selection with an option of pytest, unless the caller gave it."""
        if any(word.startswith(f"{name}=") for word in self.arguments):
            return self
        return replace(self, arguments=(*self.arguments, f"{name}={value}"))


def select(arguments: Iterable[str], *, only_ckan: bool) -> Selection:
    """Parse -m and the paths from pytest's arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-m", default="")
    options, rest = parser.parse_known_args(_joined(arguments))
    expression = options.m
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
        if rest and WITH_VALUE.fullmatch(rest[-1]):
            rest[-1] += f"={word}"
        else:
            rest.append(word)
    return rest


def take_mode(words: list[str]) -> tuple[Mode, list[str]]:
    """Remove what is for bin/test itself from the arguments.

    Returns:
        what was asked for, and the arguments for pytest.
    """
    parser = argparse.ArgumentParser("bin/test", add_help=False, allow_abbrev=False)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--ckan", dest="mode", choices=CKAN_VERSIONS)
    for mode in ("all", "ci", "fast"):
        either.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode)
    parser.add_argument("--part", action="append", default=[])
    parser.add_argument("--again", action="store_true")
    options, rest = parser.parse_known_args(words)
    if options.again and options.mode != "all":
        parser.error("only the results of --all are kept, so --again goes with --all")
    return Mode(options.mode or "", tuple(options.part), options.again), rest
