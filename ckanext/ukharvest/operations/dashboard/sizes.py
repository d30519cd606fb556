"""Sizes of the harvest tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from ckan import model

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


def tables() -> list[dict[str, Any]]:
    """Return ``name``, ``bytes`` and estimated ``rows`` of the tables, largest first."""
    found = model.Session.execute(_SIZES)
    return [{"name": name, "bytes": int(size), "rows": int(rows)} for name, size, rows in found]
