"""Run a portal's harvesting: in this process for most tests, by real consumers for some."""

from __future__ import annotations

import configparser
import gc
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.consumers import claims, workers
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.run import outcomes
from ckanext.ukharvest.patches import polling
from tests.ckan.processes import PROGRAM, Process


def act(action: str, **fields: Any) -> Any:
    """Call an action as a sysadmin."""
    user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    context = {"user": user, "model": model, "session": model.Session}
    result = tk.get_action(action)(context, fields)
    model.Session.remove()
    return result


@contextmanager
def statements(word: str = "") -> Iterator[list[str]]:
    """Collect the SQL statements of this thread that contain a word, while the block runs.

    The garbage collector waits meanwhile: what it takes from the session is asked for again.
    """
    sent: list[str] = []
    collects = gc.isenabled()
    thread = threading.get_ident()  # heartbeats have one of their own

    def record(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if word in statement and threading.get_ident() == thread:
            sent.append(statement)

    sa.event.listen(model.meta.engine, "before_cursor_execute", record)
    gc.disable()
    try:
        yield sent
    finally:
        if collects:
            gc.enable()
        sa.event.remove(model.meta.engine, "before_cursor_execute", record)


@contextmanager
def commits() -> Iterator[list[str]]:
    """Collect what was written first before each commit that waits for the disk.

    None waits whose transaction changed no row, or does without (``synchronous_commit`` off).
    """
    done: list[str] = []
    written: dict[int, str] = {}  # by connection; "" does not wait

    def record(connection: Any, cursor: Any, statement: str, *_more: Any) -> None:
        if "synchronous_commit TO off" in statement:
            written[id(connection)] = ""
        elif statement.lstrip().startswith(("INSERT", "UPDATE", "DELETE")) and cursor.rowcount:
            written.setdefault(id(connection), statement)

    def commit(connection: Any) -> None:
        if statement := written.pop(id(connection), ""):
            done.append(statement)

    def rollback(connection: Any) -> None:
        written.pop(id(connection), None)

    listeners = {"after_cursor_execute": record, "commit": commit, "rollback": rollback}
    for event, listener in listeners.items():
        sa.event.listen(model.meta.engine, event, listener)
    try:
        yield done
    finally:
        for event, listener in listeners.items():
            sa.event.remove(model.meta.engine, event, listener)


def until(condition: Callable[[], object], seconds: float = 180) -> None:
    """Wait until a condition is true, which may be asked of the database; fail after a time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so within {seconds} s"
        model.Session.remove()
        time.sleep(0.05)


# A test that follows one message: with batches, the first one imports all that waits.
one_by_one = pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1")


# Asked often: by models it took a tenth of pytest's processor time in tests with consumers.
_WORKED_OFF = sa.text(
    "SELECT gather_finished IS NOT NULL AND NOT EXISTS (SELECT 1 FROM harvest_object"
    " WHERE harvest_job_id = :id AND state NOT IN ('COMPLETE', 'ERROR'))"
    " FROM harvest_job WHERE id = :id"
)


def tick() -> None:
    """Do what ``ckan harvester run`` does in cron."""
    act("harvest_jobs_run")


def end_runs() -> None:
    """Store the results of runs that a test has ended by SQL, as a tick does; commit."""
    model.Session.flush()
    outcomes.store_left()
    model.Session.commit()


class Channel:
    """A message queue for the callbacks of ckanext.harvest.queue."""

    def basic_ack(self, _tag: str) -> None:
        """Do nothing: the test is the queue."""


def look_for_all() -> None:
    """Do all that waits, as consumers do between messages."""
    for kind, key in (("gather", workers.GATHER), ("fetch", workers.FETCH)):
        with Heart(kind) as heart, polling.use_heart(heart):
            while polling.look(key):
                pass
    model.Session.remove()


def to_gather() -> list[str]:
    """Return the id of the run that a gather consumer would take next."""
    job_id = model.Session.scalar(claims._unread(config.our_type_names()))
    return [job_id] if job_id else []


def to_import() -> list[str]:
    """Return the ids of the objects that fetch consumers would take."""
    jobs = [row[2] for row in model.Session.execute(claims._runs(config.our_type_names()))]
    waiting = (claims._waiting(job_id, HarvestObject.id) for job_id in jobs)
    return [id_ for query in waiting for id_ in model.Session.scalars(query)]


def work_off() -> None:
    """Process all that waits, as a gather and a fetch consumer do."""
    for kind, key in (("gather", workers.GATHER), ("fetch", workers.FETCH)):
        consumer = getattr(queue, f"get_{kind}_consumer")()
        with Heart(kind) as heart, polling.use_heart(heart):
            while polling.look(key):
                pass
            while body := consumer.redis.lpop(consumer.routing_key):
                callback = getattr(queue, f"{kind}_callback")
                callback(Channel(), queue.FakeMethod(body), None, body)
    model.Session.remove()


class Portal:
    """Makes sources and runs them; reads results back through the API's actions.

    Args:
        consumers: the real ones that process the runs; None: the stages are called in this process,
            by the queue's own callbacks.
    """

    def __init__(self, organization_id: str, consumers: Consumers | None = None) -> None:
        self.organization_id = organization_id
        self.consumers = consumers
        self.number = 0

    def source(self, url: str, type_: str = "data_json", **fields: Any) -> str:
        """Create a harvest source and return its id."""
        self.number += 1
        config = fields.pop("config", {})
        source = act(
            "harvest_source_create",
            name=fields.pop("name", f"source-{self.number}"),
            title=f"Source {self.number}",
            url=url,
            source_type=type_,
            owner_org=fields.pop("owner_org", self.organization_id),
            config=json.dumps(config) if config else "",
            **fields,
        )
        return str(source["id"])

    def run(self, source_id: str, *, twice: bool = False, force: bool = False) -> dict[str, Any]:
        """Run a source to its end and return harvest_job_show.

        Args:
            twice: deliver each object's message two times.
        """
        if self.consumers and not twice:
            return self.consumers.run(source_id, force=force)
        job_id = self.create_job(source_id)
        self.gather(job_id, force=force)
        ids = self.waiting(job_id) * (2 if twice else 1)
        if self.consumers:
            self.send(ids)
            self.consumers.wait(job_id)
            self.consumers.wait_for_messages(ids)
        else:
            for object_id in ids:
                self.deliver(object_id)
        return self.finish(job_id)

    def create_job(self, source_id: str) -> str:
        context = {"ignore_auth": True, "session": model.Session, "model": model}
        job = call_action("harvest_job_create", context, source_id=source_id, run=False)
        return str(job["id"])

    def gather(self, job_id: str, *, force: bool = False) -> list[str]:
        job = HarvestJob.get(job_id)
        job.status, job.gather_started = "Running", utcnow()  # no consumer takes it meanwhile
        job.save()
        if force:
            job.force_import = True
        harvester = queue.get_harvester(job.source.type)
        ids = queue.gather_stage(harvester, job)
        assert isinstance(ids, list)
        return ids

    def waiting(self, job_id: str) -> list[str]:
        query = model.Session.query(HarvestObject.id).filter_by(
            harvest_job_id=job_id, state="WAITING"
        )
        return [row[0] for row in query.order_by(HarvestObject.gathered)]

    def deliver(self, object_id: str) -> None:
        method = queue.FakeMethod(object_id)
        body = json.dumps({"harvest_object_id": object_id})
        queue.fetch_callback(Channel(), method, None, body)

    def objects(self, job_id: str) -> list[str]:
        """Return the ids of all harvest objects of a job."""
        query = model.Session.query(HarvestObject.id).filter_by(harvest_job_id=job_id)
        return [row[0] for row in query]

    def send(self, ids: list[str]) -> None:
        """Put messages on the fetch queue, for real consumers."""
        publisher = queue.get_fetch_publisher()
        for object_id in ids:
            publisher.send({"harvest_object_id": object_id})

    def finish(self, job_id: str) -> dict[str, Any]:
        """Close a finished job, as cron's tick does, and return it."""
        tick()
        return self.job(job_id)

    def job(self, job_id: str) -> dict[str, Any]:
        context = {"ignore_auth": True, "session": model.Session, "model": model}
        return dict(call_action("harvest_job_show", context, id=job_id))

    def datasets(self) -> list[dict[str, Any]]:
        """Return all active datasets as package_show gives them, by title and name."""
        model.Session.remove()
        query = model.Session.query(model.Package.id).filter_by(type="dataset", state="active")
        context = {"ignore_auth": True, "use_cache": False}
        shown = [tk.get_action("package_show")(dict(context), {"id": row[0]}) for row in query]
        return sorted(shown, key=lambda dataset: (str(dataset["title"]), dataset["name"]))

    def search_names(self) -> list[str]:
        """Return the names of all datasets that a search finds."""
        result = call_action("package_search", q="*:*", rows=1000)
        return sorted(dataset["name"] for dataset in result["results"])


FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")


def figures(job: dict[str, Any]) -> dict[str, int]:
    """Return the figures of a job without the zeros."""
    found = {key: job["stats"].get(key, 0) for key in FIGURES}
    return {key: number for key, number in found.items() if number}


def extras(dataset: dict[str, Any]) -> dict[str, str]:
    return {extra["key"]: extra["value"] for extra in dataset["extras"]}


def write_ini(ini: str, settings: dict[str, str], path: Path) -> str:
    """Write a copy of an ini with other settings; return its path.

    A whole ini: CKAN 2.11 reads its logging only from the given file.
    """
    copy = configparser.RawConfigParser()
    copy.optionxform = str  # type: ignore[assignment,method-assign]
    copy.read(ini, "utf-8")
    copy["app:main"].update(settings)
    with path.open("w", encoding="utf-8") as file:
        copy.write(file)
    return str(path)


class Consumers:
    """``ckan harvester gather-consumer`` and ``fetch-consumer`` as processes.

    Args:
        fetchers: number of fetch consumers.
        program: Python code that runs ``ckan``.
        log: file for the processes' output; "" discards it.
    """

    def __init__(
        self,
        ini: str,
        fetchers: int = 1,
        *,
        program: str = PROGRAM,
        log: Path | None = None,
    ) -> None:
        self._ini = ini
        self._program = program
        self._log = log
        self._names = ["gather-consumer"] + ["fetch-consumer"] * fetchers
        self.processes: list[Process] = []

    def __enter__(self) -> Consumers:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def start(self) -> None:
        self.start_named(self._names)

    def start_named(self, names: list[str]) -> None:
        """Start consumers by the names of their commands, behind those that run."""
        for name in names:
            words = ["-c", self._ini, "harvester", name]
            self.processes.append(
                Process(words, program=self._program, output=self._log or os.devnull)
            )

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)
        self.processes.clear()

    @property
    def are_alive(self) -> bool:
        return all(process.poll() is None for process in self.processes)

    def check(self) -> None:
        """Fail if a consumer has ended, with the last lines of their output."""
        if not self.are_alive:
            lines = self._log.read_text("utf-8", "replace").splitlines() if self._log else []
            codes = [process.poll() for process in self.processes]
            pytest.fail("\n".join([f"a consumer has ended; exit codes: {codes}", *lines[-100:]]))

    def run(self, source_id: str, timeout: float = 300, *, force: bool = False) -> dict[str, Any]:
        """Start a job through the real queue, wait until it is processed, return the job."""
        mode = "force" if force else "normal"
        job_id = act("ukharvest_run_create", source_id=source_id, mode=mode)["id"]
        self.wait(job_id, timeout)
        return Portal("").finish(job_id)

    def wait(self, job_id: str, timeout: float = 300) -> None:
        """Wait until all of a job is processed."""
        deadline = time.monotonic() + timeout
        pause = 0.03
        while not self._is_worked_off(job_id):
            self.check()
            assert time.monotonic() < deadline, f"job not worked off in {timeout} s"
            # A long run is polled seldom: each request takes time from the consumers.
            time.sleep(pause)
            pause = min(pause * 1.1, 0.5)

    def wait_for_messages(self, ids: list[str], timeout: float = 300) -> None:
        """Wait until the consumers have taken and acknowledged every message of these objects."""
        consumer = queue.get_fetch_consumer()
        # A key stands for each message under way; killed consumers of other tests leave theirs.
        keys = [f"{consumer.routing_key}:{object_id}" for object_id in ids]
        deadline = time.monotonic() + timeout
        while consumer.redis.llen(consumer.routing_key) or (keys and consumer.redis.exists(*keys)):
            self.check()
            assert time.monotonic() < deadline, f"messages left after {timeout} s"
            time.sleep(0.05)

    def _is_worked_off(self, job_id: str) -> bool:
        model.Session.remove()
        return bool(model.Session.execute(_WORKED_OFF, {"id": job_id}).scalar())


class Workers:
    """The consumers that tests share: processes that stay up from test to test, as on a portal.

    They are restarted for a test with its own settings, and stopped for one that needs the queue
    for itself.
    """

    def __init__(self, ini: str, folder: Path) -> None:
        self._ini = ini
        self._folder = folder
        self._settings: dict[str, str] = {}
        self._running: Consumers | None = None

    def running(self, settings: dict[str, str]) -> Consumers:
        if self._running and (settings != self._settings or not self._running.are_alive):
            self.stop()
        if not self._running:
            self._settings = settings
            log = self._folder / "consumers.log"
            self._running = Consumers(self._ini_with(settings), log=log)
            self._running.start()
        return self._running

    def stop(self) -> None:
        if self._running:
            self._running.stop()
            self._running = None

    def _ini_with(self, settings: dict[str, str]) -> str:
        if not settings:
            return self._ini
        return write_ini(self._ini, settings, self._folder / "consumers.ini")
