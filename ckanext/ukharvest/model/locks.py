"""Locks of the database: over many transactions, and of one source until the next commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import SourceState

# Of PostgreSQL's advisory locks: any numbers that nobody else takes.
SWEEPER, LINKS, MAILS = 7_310_577, 7_310_578, 7_310_579


@contextmanager
def alone(key: int) -> Iterator[bool]:
    """Hold a lock, on a connection of its own; False if another process holds it."""
    lock = {"key": key}
    # Without a transaction, which would stand idle for as long as the work takes.
    engine = model.meta.engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        got = connection.execute(sa.text("SELECT pg_try_advisory_lock(:key)"), lock).scalar()
        try:
            yield bool(got)
        finally:
            if got:
                connection.execute(sa.text("SELECT pg_advisory_unlock(:key)"), lock)


def source_state(source_id: str) -> SourceState | None:
    """Return what is kept of a source as it is now, locked; None if nothing is kept yet."""
    query = model.Session.query(SourceState).filter_by(source_id=source_id)
    return query.with_for_update().populate_existing().one_or_none()
