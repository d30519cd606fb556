"""Read all of what an action hands out page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def all_of(ask: Callable[[int], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of all pages.

    Args:
        ask: an action's answer with ``count`` and ``results``, from this offset on.
    """
    rows: list[dict[str, Any]] = []
    while True:
        page = ask(len(rows))
        rows.extend(page["results"])
        if not page["results"] or len(rows) >= page["count"]:
            return rows
