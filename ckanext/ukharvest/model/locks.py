"""Locks of the database that one process holds over many transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from ckan import model

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
