"""Times of the database as the actions write them."""

from __future__ import annotations

import datetime as dt


def iso(moment: dt.datetime | None) -> str | None:
    """ISO 8601 with its time zone: the database's times are UTC without one."""
    if moment is None:
        return None
    return moment.replace(tzinfo=dt.timezone.utc, microsecond=0).isoformat()
