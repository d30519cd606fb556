"""Texts about the sources that need attention, one sentence per health."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ckanext.ukharvest.core.source_status import Health
from ckanext.ukharvest.presentation.messages.numbers import ungettext

# Keys are those of ``core.source_status.ATTENTION``.
_SENTENCES: Mapping[str, Callable[[int], str]] = {
    Health.HELD: lambda n: ungettext(
        "{n} source waits for a decision.", "{n} sources wait for a decision.", n
    ),
    Health.FAILING: lambda n: ungettext("{n} source is failing.", "{n} sources are failing.", n),
    Health.LATE: lambda n: ungettext("{n} source is overdue.", "{n} sources are overdue.", n),
    Health.EMPTY: lambda n: ungettext(
        "{n} source lists no records.", "{n} sources list no records.", n
    ),
    Health.SHRUNK: lambda n: ungettext(
        "Many records of {n} source are missing.", "Many records of {n} sources are missing.", n
    ),
    Health.ERRORS: lambda n: ungettext(
        "{n} source has failed records.", "{n} sources have failed records.", n
    ),
}


def sentence(health: str, number: int) -> str:
    """Return how many sources have this health, of ``core.source_status.ATTENTION``."""
    return _SENTENCES[health](number)
