"""What the card of a source's page is made of, and the parts that its sentences share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.words.numbers import ungettext
from ckanext.ukharvest.words.times import duration

WARNING, DANGER, PRIMARY, GOOD, CALM = "is-warning", "is-danger", "is-primary", "is-good", ""
REFRESH, CHECK = ("refresh", "check")

Run = Mapping[str, Any]  # as model.run_figures makes it


@dataclass(frozen=True, slots=True)
class Told:
    """What the card is made of.

    Attributes:
        last: figures of the last run that ended, None before any.
        judged: figures of the run that health speaks of: the last that was not stopped.
        frequency: as ckanext-harvest names it.
        checked: records read so far by a check that goes on.
        may_decide: the reader may decide on deletions that wait.
        max_share: of the datasets, above which the portal asks before it deletes; 0 to 1.
        tick_minutes: how often the portal looks what has to begin.
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
    tick_minutes: int = 10


@dataclass(frozen=True, slots=True)
class Card:
    """The card.

    Attributes:
        css: class of its edge.
        kind, value: of its badge (``words.status``).
        actions: of "start", "refresh", "check", "stop", "review", "mend", "settings",
            "switch_on", "watch"; the first is the main one.
    """

    css: str
    kind: str
    value: str
    heading: str
    text: tuple[str, ...]
    actions: tuple[str, ...]


def rough(seconds: float) -> str:
    """A duration that does not change with each look: minutes, from one minute on."""
    return duration(seconds if seconds < 60 else seconds // 60 * 60)


def minutes(value: int) -> str:
    return ungettext("{n} minute", "{n} minutes", value)
