"""Checks for the doctor, what they find, and what fixes it; features declare theirs as DOCTOR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

OK, INFO, WARNING, ERROR = "ok", "info", "warning", "error"

# Codes of the doctor's own fixes.
STUCK, LEFTOVERS, ORPHANS, CURRENT, INDEX = "stuck", "leftovers", "orphans", "current", "index"
SETTINGS, PRUNE = "settings", "prune"

EXAMPLES = 10  # ids or names that a message lists


class Finding(NamedTuple):
    """What a check found, and what to do about it ("" for nothing).

    Attributes:
        fix: code of the ``Fix`` that ``ckan ukharvest doctor --fix`` runs for it, "" if none.
    """

    level: str
    code: str
    message: str
    what_to_do: str = ""
    fix: str = ""


class Check(NamedTuple):
    """A check: call it to get its findings.

    Attributes:
        code: of the finding that all is well, and of nearly all others.
        fine: the text if all is well.
        find: reports the findings; none if all is well.
        is_quick: it reads a few rows; the others read every dataset.
    """

    code: str
    fine: str
    find: Callable[[], Iterable[Finding]]
    is_quick: bool = False

    def __call__(self) -> Iterable[Finding]:
        return self.find()


class Fix(NamedTuple):
    """One way to fix findings.

    Attributes:
        code: ``Finding.fix`` of the findings that it is for.
        text: what it does, in one sentence.
        run: does it, commits, and yields a sentence for each thing that it did.
    """

    code: str
    text: str
    run: Callable[[], Iterable[str]]


def check(
    code: str, fine: str, *, is_quick: bool = False
) -> Callable[[Callable[[], Iterable[Finding]]], Check]:
    """Make a check of the function below; the parameters are those of ``Check``."""
    return lambda find: Check(code, fine, find, is_quick)


def examples(items: Sequence[object]) -> str:
    """Return the first few, and how many more there are."""
    more = ", …" if len(items) > EXAMPLES else ""
    return ", ".join(str(item) for item in items[:EXAMPLES]) + more
