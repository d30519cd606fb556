"""Count how many pages of 8 kB PostgreSQL reads for our pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import CKANTestApp

# Of 10,000 records with their problems; the run's page reads 11,100. Joining each row with all
# others takes millions.
MOST = 20_000


def check(
    app: CKANTestApp, pages: Sequence[str], headers: Mapping[str, str], most: int = MOST
) -> None:
    """Fail if a page of the site reads more pages of the database than it may.

    Newly filled tables have the statistics of empty ones, and PostgreSQL's plans for those read a
    table once for each row of another; and what other tests deleted still fills pages. Autovacuum
    mends both within a minute on a portal, here it is done at once.
    """
    model.Session.commit()
    engine = model.meta.engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text("VACUUM ANALYZE"))
    read = {address: count_reads(app, address, headers) for address in pages}
    print(read)
    assert max(read.values()) <= most, read


def count_reads(app: CKANTestApp, address: str, headers: Mapping[str, str]) -> int:
    """Return how many pages of the database the queries for a page of the site read."""
    asked: list[tuple[str, Any]] = []

    def record(
        _connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any
    ) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            asked.append((statement, parameters))

    engine = model.meta.engine
    sa.event.listen(engine, "before_cursor_execute", record)
    try:
        app.get(address, headers=headers)
    finally:
        sa.event.remove(engine, "before_cursor_execute", record)
    with engine.connect() as connection:
        cursor = connection.connection.cursor()
        return sum(_explain(cursor, *each) for each in asked)


def _explain(cursor: Any, statement: str, parameters: Any) -> int:
    cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
    [[[found]]] = cursor.fetchall()
    plan = found["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
