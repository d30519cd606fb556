"""What a run did, told by PostgreSQL, the publisher and the index, not by our own counters.

Triggers write each committed creation and change into a table of the tests' own. It is written in
the transaction of the dataset, so what was rolled back is not in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.common import config
from ckan.lib.search.common import make_connection

from ckanext.ukharvest import compat
from tests.publishing import catalogues

TRIGGERS = """
CREATE SCHEMA chaos;
CREATE TABLE chaos.log (number bigserial PRIMARY KEY, what text, id text, text text);
CREATE FUNCTION chaos.note_package() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.type != 'dataset' THEN RETURN NULL; END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO chaos.log (what, id, text) VALUES ('created', NEW.id, NEW.title);
  ELSIF OLD.notes IS DISTINCT FROM NEW.notes THEN
    INSERT INTO chaos.log (what, id, text) VALUES ('changed', NEW.id, NEW.title);
  ELSIF OLD.state IS DISTINCT FROM NEW.state AND NEW.state != 'active' THEN
    INSERT INTO chaos.log (what, id, text) VALUES ('deleted', NEW.id, NEW.title);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION chaos.note_resource() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO chaos.log (what, id, text) VALUES ('resource', NEW.id, NEW.url);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos AFTER INSERT OR UPDATE ON package
  FOR EACH ROW EXECUTE FUNCTION chaos.note_package();
CREATE TRIGGER chaos AFTER INSERT ON resource
  FOR EACH ROW EXECUTE FUNCTION chaos.note_resource();
"""
REMOVE = """
DROP TRIGGER IF EXISTS chaos ON package;
DROP TRIGGER IF EXISTS chaos ON resource;
DROP SCHEMA IF EXISTS chaos CASCADE;
"""
UNFINISHED = {
    "jobs that run": "SELECT count(*) FROM harvest_job WHERE status != 'Finished'",
    "objects not finished": (
        "SELECT count(*) FROM harvest_object WHERE state NOT IN ('COMPLETE', 'ERROR')"
    ),
    "errors of records": "SELECT count(*) FROM harvest_object_error",
    "errors of gathers": "SELECT count(*) FROM harvest_gather_error",
    "failed records": "SELECT count(*) FROM harvest_object WHERE report_status = 'errored'",
    "objects without result": "SELECT count(*) FROM harvest_object WHERE report_status IS NULL",
    "datasets that wait for the index": "SELECT count(*) FROM ukharvest_index_pending",
    "claims": "SELECT count(*) FROM ukharvest_claim",
    "records that wait again": "SELECT count(*) FROM ukharvest_retry",
}


class Evidence:
    """Queries, each over a connection of its own: the database may have been restarted."""

    def __init__(self) -> None:
        url = config["sqlalchemy.url"]
        self._engine = sa.create_engine(url, poolclass=sa.pool.NullPool)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Write into the table for the duration of the block; commits are as safe as a portal's."""
        name = self._engine.url.database
        self._do(REMOVE + TRIGGERS)
        # bin/test switches it off: then a killed PostgreSQL would lose what was committed.
        self._do(f'ALTER DATABASE "{name}" SET synchronous_commit = on')
        try:
            yield
        finally:
            self._do(f'ALTER DATABASE "{name}" SET synchronous_commit = off')
            self._do(REMOVE)

    def log(self, what: str, after: int = 0) -> Counter[str]:
        """Return title (or URL) → how often that was committed."""
        statement = "SELECT text FROM chaos.log WHERE what = :what AND number > :after"
        return Counter(row[0] for row in self.rows(statement, what=what, after=after))

    def last(self) -> int:
        """Return the number of the last line of the log."""
        return int(self.rows("SELECT coalesce(max(number), 0) FROM chaos.log")[0][0])

    def imported(self, what: str, after: int) -> int:
        """Return how many datasets were created or changed since a line of the log; -1: no idea."""
        statement = "SELECT count(*) FROM chaos.log WHERE what = :what AND number > :after"
        try:
            return int(self.rows(statement, what=what, after=after)[0][0])
        except sa.exc.DBAPIError:  # the database is away
            return -1

    def unfinished(self) -> dict[str, int]:
        """Return what a run may not leave behind, and its number; empty if all is well."""
        found = {name: int(self.rows(query)[0][0]) for name, query in UNFINISHED.items()}
        return {name: number for name, number in found.items() if number}

    def in_database(self) -> dict[str, str]:
        """Return guid → title of active datasets.

        Raises:
            AssertionError: a guid has several.
        """
        query = sa.select(compat.dataset_extra("guid"), model.Package.title).where(
            model.Package.state == "active", model.Package.type == "dataset"
        )
        with self._engine.connect() as connection:
            rows = [tuple(row) for row in connection.execute(query)]
        found = dict(rows)
        assert len(found) == len(rows), "a guid has several datasets"
        return found

    def ids_and_titles(self) -> set[tuple[str, str]]:
        query = "SELECT id, title FROM package WHERE type = 'dataset' AND state = 'active'"
        return {(row[0], row[1]) for row in self.rows(query)}

    def rows(self, statement: str, **values: Any) -> list[Any]:
        with self._engine.connect() as connection:
            return list(connection.execute(sa.text(statement), values))

    def _do(self, statements: str) -> None:
        model.Session.remove()  # this process's own transaction would stand in the way
        with self._engine.begin() as connection:
            connection.exec_driver_sql(statements)


def in_index() -> set[tuple[str, str]]:
    """Return id and title of all datasets that a search can find, as Solr has them."""
    solr = make_connection()
    solr.commit()
    found = solr.search("dataset_type:dataset", fl="id,title", rows=100_000)
    return {(each["id"], each["title"]) for each in found}


def published(name: str, count: int) -> dict[str, str]:
    """Return guid → title of a publisher's records."""
    return {each.guid: each.title for each in catalogues.records(name, count)}
