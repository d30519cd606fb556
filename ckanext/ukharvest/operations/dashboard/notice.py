"""The sysadmin's notice to everybody who manages harvest sources; plain text."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import delete_system_info, set_system_info

from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import utcnow

NOTE = "ukharvest.notice"  # key in system_info
LONGEST = 1000


def read() -> dict[str, Any]:
    """Return {"text", "by": user name, "since": ISO time in UTC}; "text" is "" without a notice."""
    found = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(
            model.SystemInfo.key == NOTE, model.SystemInfo.state == "active"
        )
    )
    return dict(json.loads(found)) if found else {"text": "", "by": "", "since": ""}


def write(text: str, user: str) -> dict[str, Any]:
    """Set the notice, or remove it with ""; commit; return it as ``read`` does."""
    if not text:
        delete_system_info(NOTE)
        return read()
    since = iso(utcnow())
    set_system_info(NOTE, json.dumps({"text": text, "by": user, "since": since}))
    return read()
