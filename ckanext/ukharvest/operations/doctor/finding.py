"""A check's result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

OK, INFO, WARNING, ERROR = "ok", "info", "warning", "error"

# Codes of fixes.
STUCK, LEFTOVERS, ORPHANS, CURRENT, INDEX = "stuck", "leftovers", "orphans", "current", "index"
SETTINGS, STARS, PRUNE = "settings", "stars", "prune"

EXAMPLES = 10  # ids or names that a message lists


class Finding(NamedTuple):
    """What a check found, and what to do about it ("" for nothing).

    Attributes:
        fix: code of the fix that ``ckan ukharvest doctor --fix`` has for it (fixes.py), "" if none.
    """

    level: str
    code: str
    message: str
    what_to_do: str = ""
    fix: str = ""


def examples(items: Sequence[object]) -> str:
    """Return the first few, and how many more there are."""
    more = ", …" if len(items) > EXAMPLES else ""
    return ", ".join(str(item) for item in items[:EXAMPLES]) + more
