"""Template helpers of all our pages: words, times and numbers."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ckanext.ukharvest.words import numbers, status, times


def ukharvest_status(kind: str, value: str) -> status.Status:
    """Return how a state, health, outcome, … is shown (``words/status.py``)."""
    return status.find(kind, value)


def ukharvest_when(given: Any) -> Markup:
    """Return a moment for the page; "" for nothing."""
    return times.when(given)


def ukharvest_day(given: Any) -> Markup:
    """Return the day of a moment for the page; "" for nothing."""
    return times.when(given, day_only=True)


def ukharvest_age(given: Any) -> str:
    """Return how long ago or ahead a moment is, such as "3 hours ago"; "" for nothing."""
    return times.age(given)


def ukharvest_duration(seconds: float | None) -> str:
    """Return seconds as "41 s" or "1 min 12 s"; "" for None."""
    return times.duration(seconds)


def ukharvest_seconds(bound: float) -> str:
    """Return seconds that something took at most as "0.25 s" or "5 min"."""
    return times.duration(bound) if bound >= 60 else f"{bound:g} s"


def ukharvest_number(number: float) -> str:
    """Return a number as the reader's language writes it, such as "1,204"."""
    return numbers.number(number)


def ukharvest_pages(number: int, pages: int) -> list[int | None]:
    """Return the numbers of pages that a pager shows, None for those that are left out."""
    shown = {1, pages, *range(number - 1, number + 2)} & set(range(1, pages + 1))
    found: list[int | None] = []
    for each in sorted(shown):
        if found and each - (found[-1] or 0) > 1:
            found.append(None)
        found.append(each)
    return found
