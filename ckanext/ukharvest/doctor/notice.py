"""The sysadmin's notice to everybody who manages harvest sources; plain text."""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.model import notes, utcnow

LONGEST = 1000


def read() -> dict[str, Any]:
    """Return {"text", "by": user name, "since": ISO time in UTC}; "text" is "" without a notice."""
    return parse(notes.note(notes.NOTICE))


def parse(stored: str) -> dict[str, Any]:
    """Return a stored note as ``read`` does."""
    return dict(json.loads(stored)) if stored else {"text": "", "by": "", "since": ""}


def write(text: str, user: str) -> dict[str, Any]:
    """Set the notice, or remove it with ""; commit; return it as ``read`` does."""
    notice = {"text": text, "by": user, "since": iso(utcnow())}
    notes.set_note(notes.NOTICE, json.dumps(notice) if text else "")
    return read()
