"""Sizes of the harvest tables and their growth."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import set_system_info

from ckanext.ukharvest.model import utcnow

NOTE = "ukharvest.sizes"  # key in system_info: {day: {table: bytes}} of the last days
DAYS = 7

_SIZES = sa.text(
    """
    SELECT relname, pg_total_relation_size(oid), greatest(reltuples, 0)::bigint
    FROM pg_class
    WHERE relkind = 'r' AND pg_table_is_visible(oid)
    AND (relname LIKE 'harvest\\_%' OR relname LIKE 'ukharvest\\_%')
    AND relname NOT LIKE '%alembic\\_version'
    ORDER BY 2 DESC, 1
    """
)


def save_today() -> None:
    """Save today's sizes, once a day, for as long as growth is reported; commit."""
    known, today = _known(), utcnow().date()
    if today.isoformat() in known:
        return
    oldest = (today - dt.timedelta(days=DAYS)).isoformat()
    kept = {day: sizes for day, sizes in known.items() if day >= oldest}
    kept[today.isoformat()] = {row["name"]: row["bytes"] for row in _tables()}
    set_system_info(NOTE, json.dumps(kept))


def tables() -> list[dict[str, Any]]:
    """Return the tables, largest first.

    Returns:
        Dicts with ``name``, ``bytes``, ``rows`` (PostgreSQL's estimate), ``grown`` (bytes since the
            oldest saved sizes of the last seven days, None without any) and ``since``, the day of
            those sizes.
    """
    known = _known()
    since = min((day for day in known if day < utcnow().date().isoformat()), default="")
    before = known.get(since, {})
    rows = _tables()
    for row in rows:
        row["grown"] = row["bytes"] - before[row["name"]] if row["name"] in before else None
        row["since"] = since
    return rows


def _tables() -> list[dict[str, Any]]:
    found = model.Session.execute(_SIZES)
    return [{"name": name, "bytes": int(size), "rows": int(rows)} for name, size, rows in found]


def _known() -> dict[str, dict[str, int]]:
    text = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == NOTE)
    )
    return dict(json.loads(text)) if text else {}
