"""Short notes of the whole portal, in CKAN's table ``system_info``."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import delete_system_info, set_system_info


def note(key: str) -> str:
    """Return a note, "" if there is none."""
    info = model.SystemInfo
    query = sa.select(info.value).where(info.key == key, info.state == "active")
    return str(model.Session.scalar(query) or "")


def set_note(key: str, text: str) -> None:
    """Save a note, or delete it with ""; commit."""
    if text:
        set_system_info(key, text)
    else:
        delete_system_info(key)
