"""What a check reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

OK, INFO, WARNING, ERROR = "ok", "info", "warning", "error"

EXAMPLES = 10  # how many ids or names a message lists


class Finding(NamedTuple):
    """One sentence on what is, and what to do about it ("" where nothing has to be done)."""

    level: str
    code: str
    message: str
    what_to_do: str = ""


def examples(items: Sequence[object]) -> str:
    """Return the first few, and that there are more."""
    more = ", …" if len(items) > EXAMPLES else ""
    return ", ".join(str(item) for item in items[:EXAMPLES]) + more
