"""Collect the results of an action that returns them in pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def collect_pages(ask: Callable[[int], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of all pages.

    Args:
        ask: takes an offset and returns a page: a dict with ``count`` and ``results``.
    """
    rows: list[dict[str, Any]] = []
    while True:
        page = ask(len(rows))
        rows.extend(page["results"])
        if not page["results"] or len(rows) >= page["count"]:
            return rows
