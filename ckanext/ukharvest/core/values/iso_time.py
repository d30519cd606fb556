"""Database times in the format of the API."""

from __future__ import annotations

import datetime as dt


def iso(moment: dt.datetime | None) -> str | None:
    """Return ISO 8601 with a time zone: the database's times are naive UTC."""
    if moment is None:
        return None
    return moment.replace(tzinfo=dt.timezone.utc, microsecond=0).isoformat()
