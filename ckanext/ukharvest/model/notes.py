"""Short notes of the whole portal, in CKAN's table ``system_info``."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import delete_system_info, set_system_info

NOTICE = "ukharvest.notice"  # see doctor/notice.py


def note(key: str) -> str:
    """Return a note, "" if there is none."""
    return str(model.Session.scalar(sa.select(note_column(key))))


def note_column(key: str) -> sa.ColumnElement[str]:
    """Return the SQL expression of a note, "" if there is none."""
    info = model.SystemInfo
    query = sa.select(info.value).where(info.key == key, info.state == "active")
    return sa.func.coalesce(query.scalar_subquery(), "")


def set_note(key: str, text: str) -> None:
    """Save a note, or delete it with ""; commit."""
    if text:
        set_system_info(key, text)
    else:
        delete_system_info(key)
