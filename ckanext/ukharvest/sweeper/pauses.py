"""Steps that are too dear for every tick: they pause after one that found nothing to do."""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import set_system_info

from ckanext.ukharvest import model as tables

PAUSE = datetime.timedelta(hours=1)


def since(note: str) -> datetime.datetime | None:
    """Return since when a step pauses, None if it does not, or not any more.

    Args:
        note: its key in system_info.
    """
    text = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == note)
    )
    try:
        began = datetime.datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return began if tables.utcnow() - began < PAUSE else None


def begin(note: str) -> None:
    """Let a step pause from now on; commits."""
    set_system_info(note, tables.utcnow().isoformat())
