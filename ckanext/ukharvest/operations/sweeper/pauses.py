"""Pauses of expensive steps after a tick that found nothing to do."""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import set_system_info

from ckanext.ukharvest import model as tables

PAUSE = datetime.timedelta(hours=1)


def since(note: str, pause: datetime.timedelta | None = None) -> datetime.datetime | None:
    """Return the start of a step's pause, None if the step is not paused.

    A time ahead of now is no pause: the clock was put back since.

    Args:
        note: its key in system_info.
        pause: how long it lasts; None for PAUSE.
    """
    text = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == note)
    )
    try:
        began = datetime.datetime.fromisoformat(text or "")
    except ValueError:
        return None
    age = tables.utcnow() - began
    return began if datetime.timedelta() <= age < (PAUSE if pause is None else pause) else None


def begin(note: str) -> None:
    """Start a step's pause; commit."""
    set_system_info(note, tables.utcnow().isoformat())
