"""Signs of life of the processes that harvest, so that the sweeper knows whose work is orphaned.

A heartbeat uses a connection of its own, for a moment each time: it neither sees nor ends a
transaction of the work, and a database that is away only leaves it late.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import platform
import threading

import sqlalchemy as sa
from ckan import model as ckan_model
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest import model as tables

log = logging.getLogger(__name__)


class Heart:
    """Tells, every few seconds, that this process lives and what it works on; never raises.

    Args:
        kind: "gather" or "fetch" for a consumer, "command" for a run in the foreground.
        interval: seconds between two beats.
    """

    def __init__(self, kind: str, interval: float = 10.0) -> None:
        self.kind = kind
        self.interval = interval
        self.started = tables.utcnow()
        self.id = f"{platform.node()}:{os.getpid()}:{self.started.isoformat()}"
        self._busy_with = ""
        self._busy_since: dt.datetime | None = None
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ukharvest-heart", daemon=True)

    def __enter__(self) -> Heart:
        self._beat()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(timeout=5)
        self._execute(sa.delete(tables.Worker).where(tables.Worker.id == self.id))

    def work_on(self, id_: str) -> None:
        """Note, before the work begins, the id of the job or harvest object; "" when it ended."""
        self._busy_with = id_
        self._busy_since = tables.utcnow() if id_ else None
        self._beat()

    def _run(self) -> None:
        while not self._end.wait(self.interval):
            self._beat()

    def _beat(self) -> None:
        with self._lock:  # a beat that waited for the database must not overwrite a newer one
            now = {
                "heartbeat": tables.utcnow(),
                "busy_with": self._busy_with,
                "busy_since": self._busy_since,
            }
            row = {"id": self.id, "kind": self.kind, "started": self.started, **now}
            statement = insert(tables.Worker).values(row)
            self._execute(statement.on_conflict_do_update(index_elements=["id"], set_=now))

    def _execute(self, statement: sa.sql.Executable) -> None:
        try:
            with ckan_model.meta.engine.begin() as connection:
                connection.execute(statement)
        except Exception as exc:  # noqa: BLE001 - the work matters more than its sign of life
            log.warning("No heartbeat of %s could be written: %s", self.id, exc)


def busy(timeout: float) -> set[str]:
    """Return the ids of the jobs and harvest objects that a live process works on.

    Args:
        timeout: seconds after its last heartbeat that a process is taken for gone.
    """
    alive = tables.utcnow() - dt.timedelta(seconds=timeout)
    query = ckan_model.Session.query(tables.Worker.busy_with).filter(
        tables.Worker.heartbeat > alive, tables.Worker.busy_with != ""
    )
    return {row[0] for row in query}


def forget_dead(age: dt.timedelta) -> int:
    """Remove rows of processes that ended without a word so long ago; the caller commits."""
    statement = sa.delete(tables.Worker).where(tables.Worker.heartbeat < tables.utcnow() - age)
    result = ckan_model.Session.execute(statement.execution_options(synchronize_session=False))
    return int(result.rowcount)
