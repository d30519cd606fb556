"""Template helpers of all our pages: statuses, times and numbers."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ckanext.ukharvest.presentation.messages import numbers, times
from ckanext.ukharvest.presentation.messages import status_labels as status


def ukharvest_status(kind: str, value: str) -> status.Status:
    """Return text and style of a state, health, outcome, … (``status_labels.py``)."""
    return status.find(kind, value)


def ukharvest_severities() -> tuple[str, ...]:
    """Return the severities of problems, the gravest first."""
    return tuple(status.SEVERITIES)


def ukharvest_time(given: Any) -> Markup:
    """Render a time; "" for nothing."""
    return times.when(given)


def ukharvest_day(given: Any) -> Markup:
    """Render the day of a time; "" for nothing."""
    return times.when(given, day_only=True)


def ukharvest_age(given: Any) -> str:
    """Format how long ago or ahead a time is, such as "3 hours ago"; "" for nothing."""
    return times.age(given)


def ukharvest_duration(seconds: float | None) -> str:
    """Format seconds as "41 s" or "1 min 12 s"; "" for None."""
    return times.duration(seconds)


def ukharvest_number(number: float) -> str:
    """Format a number for the user's language, such as "1,204"."""
    return numbers.number(number)


def ukharvest_page_numbers(number: int, pages: int) -> list[int | None]:
    """Return the page numbers that a pager shows, with None for each gap."""
    shown = {1, pages, *range(number - 1, number + 2)} & set(range(1, pages + 1))
    found: list[int | None] = []
    for each in sorted(shown):
        if found and each - (found[-1] or 0) > 1:
            found.append(None)
        found.append(each)
    return found
