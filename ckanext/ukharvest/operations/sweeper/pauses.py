"""Pauses of expensive steps after a tick that found nothing to do."""

from __future__ import annotations

import datetime

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import notes

PAUSE = datetime.timedelta(hours=1)


def since(note: str, pause: datetime.timedelta | None = None) -> datetime.datetime | None:
    """Return the start of a step's pause, None if the step is not paused.

    A time ahead of now is no pause: the clock was put back since.

    Args:
        note: its key in system_info.
        pause: how long it lasts; None for PAUSE.
    """
    try:
        began = datetime.datetime.fromisoformat(notes.note(note))
    except ValueError:
        return None
    age = tables.utcnow() - began
    return began if datetime.timedelta() <= age < (PAUSE if pause is None else pause) else None


def begin(note: str) -> None:
    """Start a step's pause; commit."""
    notes.set_note(note, tables.utcnow().isoformat())
