"""The parts of bin/test: what each of them runs, on which CKAN and which Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from . import venv
from .console import StackError
from .paths import CKAN_VERSIONS, DEFAULT_CKAN, ROOT, log_file, make_folder
from .selection import CKAN_TESTS, SEAM, SLOW, Selection

# Random inputs for each target of tests/fuzz with --all; the default is for each change.
FUZZ_CASES = 120
SAMPLES = ROOT.parent / "shared" / "samples"


@dataclass(frozen=True)
class Part:
    """One pytest, or commands in its place.

    Attributes:
        selection: its tests; None if it has commands.
        ckan: the version of CKAN that the tests need; "" for none.
        purpose: which of that CKAN's portals they have.
        python: the version of Python, such as "3.12"; "" for the environment's usual one.
        where: files or folders to look for tests in, if the selection names none.
        ignored: files and folders that are left out.
        commands: run one after the other until one fails.
        is_kept: whether its result is kept with its commit (kept.py).
    """

    title: str
    selection: Selection | None = None
    ckan: str = ""
    purpose: str = "test"
    python: str = ""
    where: tuple[Path, ...] = ()
    ignored: tuple[Path, ...] = ()
    commands: tuple[tuple[str | Path, ...], ...] = ()
    is_kept: bool = False

    @property
    def name(self) -> str:
        """Return its name on the command line, which is its report's too."""
        return re.sub(r"[ ,]+", "-", self.title)

    @property
    def is_whole(self) -> bool:
        """Whether the caller named no files or tests."""
        return self.selection is None or not self.selection.is_narrowed

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files and folders to look for tests in, empty for all."""
        return () if self.selection and self.selection.has_paths else self.where

    @property
    def report(self) -> Path:
        folders = ("results", "all") if self.is_kept else ("results",)
        return make_folder(*folders) / f"{self.name}.xml"

    @property
    def log(self) -> Path:
        return log_file(f"tests-{self.name}")

    @property
    def words(self) -> list[str]:
        """Return the arguments of its pytest, without its ini and the folders of the tests."""
        if self.selection is None:
            return []
        mark = "ckan" if self.ckan else "not ckan"
        # Collecting tests/ckan imports CKAN, which alone takes longer than the tests without it.
        off = () if self.ckan else ("-p", "no:ckan", "-p", "no:ckan_fixtures")
        return [
            *off,
            *(f"--ignore={path.relative_to(ROOT)}" for path in self.ignored),
            *self.selection.marked(mark),
            *self.selection.arguments,
        ]


def parts(selection: Selection, mode: str) -> list[Part]:
    """Return the parts that run the selected tests, the longest first.

    Args:
        mode: "all", "ci", "fast", a version of CKAN, or "".
    """
    if mode == "all":
        return _all(selection)
    if not selection.names_giants:
        selection = selection.only("not giant")
    if mode == "fast":
        return _fast(selection)
    newest, oldest = CKAN_VERSIONS[0], CKAN_VERSIONS[-1]
    found = []
    if selection.with_ckan:
        found += _on(mode if mode in CKAN_VERSIONS else newest, selection)
        if mode == "ci":
            found += _on(oldest, selection.only("compat"), "compat, ")
    if selection.without_ckan:
        found.append(_without_ckan("without CKAN", selection))
    if mode == "ci" and selection.with_ckan and not selection.is_narrowed:
        found.append(_in_batches(7, selection, newest))
    return found


def choose(found: list[Part], names: Iterable[str]) -> list[Part]:
    """Return the parts of these names, or all if there are none.

    Raises:
        StackError: there is no part of a name; the text lists those that there are.
    """
    wanted = set(names)
    known = [part.name for part in found]
    if unknown := sorted(wanted.difference(known)):
        raise StackError(f"no part {', '.join(unknown)}; the parts are: {', '.join(known)}")
    return [part for part in found if part.name in wanted or not wanted]


def _all(selection: Selection) -> list[Part]:
    """Return the parts of everything, none of which takes more than half an hour."""
    more = selection.with_option("--fuzz", str(FUZZ_CASES))
    if SAMPLES.is_dir():
        more = more.with_option("--samples", str(SAMPLES))
    if selection.is_narrowed:
        found = [part for ckan in CKAN_VERSIONS for part in _on(ckan, more) if more.with_ckan]
        return [*found, *([_without_ckan("without CKAN", more)] if more.without_ckan else [])]
    found = []
    if selection.with_ckan:
        found += [part for ckan in CKAN_VERSIONS for part in _on(ckan, more.only("not giant"))]
        giants = more.only("giant")
        found += [_with_ckan(f"CKAN {ckan}, giants", giants, ckan) for ckan in CKAN_VERSIONS]
    if selection.without_ckan:
        found.append(_without_ckan("without CKAN", more))
        for version in venv.other_pythons():
            title = f"without CKAN, Python {version}"
            found.append(_without_ckan(title, selection.only("not giant"), python=version))
    if selection.with_ckan:
        found.append(_in_batches(7, more, CKAN_VERSIONS[0]))
        found.append(_in_batches(1, more, CKAN_VERSIONS[-1]))
        found.append(Part("bench", commands=((ROOT / "bin" / "bench", "--quick"),)))
    return [replace(part, is_kept=True) for part in found]


def _fast(selection: Selection) -> list[Part]:
    """Return the parts of what takes three minutes: lint, and some tests of each kind."""
    ruff = venv.program("ruff")
    lint = Part("lint", commands=((ruff, "check"), (ruff, "format", "--check")))
    found = [lint]
    if selection.with_ckan:
        compat = selection.only("compat")
        found.append(_with_ckan(f"CKAN {DEFAULT_CKAN}, seam", compat, DEFAULT_CKAN, where=SEAM))
    if selection.without_ckan:
        found.append(_without_ckan("without CKAN, fast", selection, ignored=SLOW))
    return found


def _on(ckan: str, selection: Selection, kind: str = "") -> list[Part]:
    """Return the parts for one CKAN: two halves of the tests, or the one that was narrowed.

    The halves have portals of their own, so that they can run side by side.
    """
    if selection.is_narrowed:
        return [_with_ckan(f"CKAN {ckan}", selection, ckan)]
    first, second = (selection.with_option("--shard", f"{number}/2") for number in (1, 2))
    return [
        _with_ckan(f"CKAN {ckan}, {kind}first half", first, ckan),
        _with_ckan(f"CKAN {ckan}, {kind}second half", second, ckan, "more"),
    ]


def _in_batches(size: int, selection: Selection, ckan: str) -> Part:
    """Return the part for what shares work, with another size of batches.

    With 7, runs have many and most end with an incomplete one.
    """
    engine = selection.only("engine").with_option("--batch-size", str(size))
    return _with_ckan(f"CKAN {ckan}, batches of {size}", engine, ckan, "batches")


def _with_ckan(
    title: str,
    selection: Selection,
    ckan: str,
    purpose: str = "test",
    *,
    where: tuple[Path, ...] = (CKAN_TESTS,),
) -> Part:
    # Only the folder has such tests, and searching the others takes time.
    return Part(title, selection, ckan, purpose, where=where)


def _without_ckan(
    title: str, selection: Selection, *, python: str = "", ignored: tuple[Path, ...] = ()
) -> Part:
    return Part(title, selection, python=python, ignored=(CKAN_TESTS, *ignored))
