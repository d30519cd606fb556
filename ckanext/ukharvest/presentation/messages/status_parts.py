"""The card of a source's page: its input, its parts, and texts shared by its sentences."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.presentation.messages.numbers import ungettext
from ckanext.ukharvest.presentation.messages.times import duration

WARNING, DANGER, PRIMARY, GOOD, CALM = "is-warning", "is-danger", "is-primary", "is-good", ""
REFRESH, CHECK = ("refresh", "check")

Run = Mapping[str, Any]  # as model.runs makes it


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """The facts from which the card is made.

    Attributes:
        last: figures of the last run that ended, None before any.
        judged: figures of the run that decides the health: the last that was not stopped.
        frequency: as in ckanext-harvest.
        checked: records read so far by a dry run in progress.
        may_decide: the reader may decide on pending deletions, present or future.
        max_share: share of the datasets, 0 to 1, above which the portal asks before it deletes.
        broken_links: links of its datasets that do not work, where its runs do.
        cron_minutes: minutes between two starts of the portal's cron job.
        now: naive UTC.
    """

    health: SourceHealth
    now: dt.datetime
    last: Run | None = None
    judged: Run | None = None
    frequency: str = "MANUAL"
    checked: int = 0
    may_decide: bool = False
    max_share: float = 1.0
    broken_links: int = 0
    cron_minutes: int = 10


@dataclass(frozen=True, slots=True)
class Card:
    """The card.

    Attributes:
        css: CSS class of its edge.
        kind, value: of its badge (``presentation.messages.status_labels``).
        actions: of "start", "refresh", "check", "stop", "review", "compare", "mend", "settings",
            "switch_on", "watch"; the first is the main one.
    """

    css: str
    kind: str
    value: str
    heading: str
    text: tuple[str, ...]
    actions: tuple[str, ...]


def rough(seconds: float) -> str:
    """Return a duration that changes rarely: full minutes, from one minute on."""
    return duration(seconds if seconds < 60 else seconds // 60 * 60)


def minutes(value: int) -> str:
    return ungettext("{n} minute", "{n} minutes", value)
