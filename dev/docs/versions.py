"""The page of the versions that the tests run on, made of the parts of bin/test and the workflows.

A cell says what runs a version of CKAN on a version of Python: a workflow, or bin/test by hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import yaml

from stack import parts, selection, venv
from stack.parts import Part
from stack.paths import CKAN_VERSIONS, DEV, ROOT, Path

from .generated import MADE, table

PAGE = ROOT / "docs" / "reference" / "versions.md"
USUAL = "3.11"  # of Debian 12, on which the workflows run
# Until somebody has seen the workflows pass on GitHub. Their parts were run on a Debian 12.
NOT_RUN = (
    "GitHub's workflows themselves have not been run yet; their parts have, by `.ci/run` and"
    " `bin/test --all`. So the tests in {images} have not been run, and none on Python 3.14."
)


class Runs(NamedTuple):
    """Where parts of bin/test run.

    Attributes:
        state: the cell of a version that they run on.
        parts: their names.
        pythons: the versions of Python that are there.
    """

    state: str
    parts: Collection[str]
    pythons: Collection[str]


def page() -> dict[Path, str]:
    """Return path and text of the page."""
    head = ("tests with", *(f"Python {version}" for version in _pythons()))
    hand = Runs("run by hand", _parts(), _pythons())
    # The more often they run, the later: that is what a cell says.
    cells = rows(hand, _workflow("nightly", "each night"), _workflow("ci", "each change"))
    lines = table(head, ((name, *states) for name, states in cells))
    bound, reason = _bound()
    images = " and ".join(f"`{row['image']}`" for row in _matrices("ci", "include"))
    text = ("# Tested versions", "", MADE, "", *lines, "", NOT_RUN.format(images=images), "")
    text += (f"`{bound}`: {reason}", "")
    return {PAGE: "\n".join(text)}


def rows(*places: Runs) -> Iterator[tuple[str, list[str]]]:
    """Yield what is tested, and how it is on each Python; a later place counts before others."""
    states: dict[tuple[str, str], str] = {}
    every = _parts()
    for place in places:
        for part in (every[name] for name in place.parts if name in every):
            of_image = venv.OF_IMAGES.get(part.ckan, USUAL)
            python = part.python or (of_image if of_image in place.pythons else USUAL)
            states[part.ckan, python] = place.state
    for ckan in (*CKAN_VERSIONS, ""):
        name = "without CKAN, as `ukharvest check`"
        if ckan:
            harvest = _pinned("constraints.txt", "ckanext-harvest")
            name = f"CKAN {_pinned(f'constraints-{ckan}.txt', 'ckan')}, ckanext-harvest {harvest}"
        yield name, [states.get((ckan, version), "not run") for version in _pythons()]


def _parts() -> dict[str, Part]:
    """Return the parts of bin/test --all and --ci that run tests by name."""
    chosen = selection.select([], only_ckan=False)
    every = [part for mode in ("all", "ci") for part in parts.parts(chosen, mode)]
    return {part.name: part for part in every if part.selection}


def _workflow(name: str, when: str) -> Runs:
    installed = re.findall(r"uv python install (.*)", _text(name))
    pythons = {USUAL, *" ".join(installed).split()}
    return Runs(f"run in CI: {when}", set(_matrices(name, "part")), pythons)


def _matrices(name: str, key: str) -> list[Any]:
    """Return what the matrices of a workflow's jobs list under a key."""
    jobs = yaml.safe_load(_text(name))["jobs"].values()
    return [row for job in jobs for row in job.get("strategy", {}).get("matrix", {}).get(key, ())]


def _text(name: str) -> str:
    return (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")


def _pythons() -> list[str]:
    return sorted(
        {USUAL, *venv.other_pythons()}, key=lambda version: int(version.partition(".")[2])
    )


def _pinned(file: str, package: str) -> str:
    text = (DEV / file).read_text(encoding="utf-8")
    pins = re.findall(rf"^{package}==(\S+)$", text, re.MULTILINE)
    return str(pins[0])


def _bound() -> tuple[str, str]:
    """Return the versions of ckanext-harvest that setup.cfg allows, and its comment about them."""
    text = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    pattern = r"^harvest =\n((?:    # .*\n)+)    (ckanext-harvest\S+)$"
    ((comment, bound),) = re.findall(pattern, text, re.MULTILINE)
    return bound, " ".join(comment.replace("    # ", "").splitlines())
