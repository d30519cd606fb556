"""Faults of the database, of Redis or of the index do not fail a record: it waits again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import redis
import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectError

from ckanext.ukharvest.harvest.batch import batch_transaction, import_stage
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.gather import gather_stage
from ckanext.ukharvest.harvest.model import Retry
from ckanext.ukharvest.patches import consumers
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import (
    Channel,
    Portal,
    figures,
    one_by_one,
    tick,
    to_import,
)
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"

Fault = Callable[[], None]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather_stage, "PAUSES", (0, 0, 0))
    monkeypatch.setattr(failures, "PATIENCE", (0, 0))


def close_connection() -> None:
    """Let PostgreSQL close the connection of this transaction, as its restart does."""
    close_connection_unnoticed()
    model.Session.execute(sa.text("SELECT 1"))


def close_connection_unnoticed() -> None:
    """Close it between the last statement and the end of the session."""
    (backend,) = model.Session.execute(sa.text("SELECT pg_backend_pid()")).one()
    with model.meta.engine.connect() as other:
        other.execute(sa.text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": backend})


def exceed_statement_timeout() -> None:
    model.Session.execute(sa.text("SET LOCAL statement_timeout = 50"))
    model.Session.execute(sa.text("SELECT pg_sleep(60)"))


def exceed_lock_timeout() -> None:
    with model.meta.engine.connect() as other, other.begin():
        other.execute(sa.text("SELECT pg_advisory_xact_lock(1, 1)"))
        model.Session.execute(sa.text("SET LOCAL lock_timeout = 50"))
        model.Session.execute(sa.text("SELECT pg_advisory_xact_lock(1, 1)"))


def meet_a_redis_that_is_away() -> None:
    redis.Redis(port=9).ping()


def meet_a_redis_that_refuses_to_write() -> None:
    raise redis.exceptions.ReadOnlyError("You can't write against a read only replica.")


def deadlock() -> None:
    """Wait for transactions that wait for this one until PostgreSQL ends this one for it.

    It ends the first to wait, as long as the other waits before a second has passed.
    """
    for _attempt in range(60):
        _wait_for_each_other()
        model.Session.rollback()
    raise AssertionError("PostgreSQL always ended the other transaction")


def _wait_for_each_other() -> None:
    model.Session.execute(sa.text("SELECT pg_advisory_xact_lock(2, 1)"))
    own = model.Session.execute(sa.text("SELECT pg_backend_pid()")).scalar()
    waits = sa.text("SELECT count(*) FROM pg_locks WHERE pid = :pid AND NOT granted")
    other = model.meta.engine.connect()
    other.execute(sa.text("SELECT pg_advisory_xact_lock(2, 2)"))

    def wait_too() -> None:
        with suppress(sa.exc.DBAPIError), other:
            while not other.execute(waits, {"pid": own}).scalar():
                time.sleep(0.01)
            other.execute(sa.text("SELECT pg_advisory_xact_lock(2, 1)"))

    thread = threading.Thread(target=wait_too)
    thread.start()
    try:
        model.Session.execute(sa.text("SELECT pg_advisory_xact_lock(2, 2)"))
    finally:
        model.Session.rollback()
        thread.join()


FAULTS = [
    close_connection,
    exceed_statement_timeout,
    exceed_lock_timeout,
    meet_a_redis_that_is_away,
    meet_a_redis_that_refuses_to_write,
]


@contextmanager
def faulty_writes(monkeypatch: pytest.MonkeyPatch, fault: Fault, times: int) -> Iterator[list[int]]:
    """Make this many writes of a record fail, after the dataset's own statements."""
    real, calls = batch_transaction.Transaction.write, [0]

    def remember(*args: Any) -> Any:
        written = real(*args)
        calls[0] += 1
        if calls[0] <= times:
            fault()
        return written

    with monkeypatch.context() as patch:
        patch.setattr(batch_transaction.Transaction, "write", remember)
        yield calls


def gathered(portal: Portal, source: str) -> tuple[str, list[str]]:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    return job_id, portal.waiting(job_id)


def state(object_id: str) -> tuple[str, str | None]:
    model.Session.remove()
    obj = HarvestObject.get(object_id)
    return obj.state, obj.report_status


def retry_of(object_id: str) -> Retry | None:
    model.Session.remove()
    return model.Session.get(Retry, object_id)


def end_pauses() -> None:
    """End the pause of everything that waits."""
    model.Session.query(Retry).update({"due": sa.func.now() - sa.text("interval '1 day'")})
    model.Session.commit()


def send_again() -> list[str]:
    """Do what a tick of cron does, and return the ids that consumers find then."""
    tick()
    return to_import()


@one_by_one
@pytest.mark.parametrize("fault", FAULTS)
def test_a_record_waits_again_when_a_service_fails_under_it(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    job_id, (first, *others) = gathered(portal, source)
    with faulty_writes(monkeypatch, fault, times=1):
        portal.deliver(first)
    assert state(first) == ("WAITING", None)
    retry = retry_of(first)
    assert retry is not None
    assert retry.attempts == 1
    assert not model.Session.query(HarvestObjectError).count()
    for each in others:
        portal.deliver(each)
    assert portal.finish(job_id)["status"] == "Running"
    assert send_again() == []  # its pause is not over
    end_pauses()
    assert send_again() == [first]
    portal.deliver(first)
    assert figures(portal.finish(job_id)) == {"added": 3}
    assert len(portal.datasets()) == 3
    tick()
    assert retry_of(first) is None


def test_a_deadlock_is_tried_again_at_once(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id, (first, *_others) = gathered(portal, source)
    with faulty_writes(monkeypatch, deadlock, times=1):
        portal.deliver(first)
    assert state(first) == ("COMPLETE", "added")


@one_by_one
def test_last_attempt_names_the_failed_service(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal.run(source)
    before = portal.datasets()
    changed = [dict(each, title=f"New {n}") for n, each in enumerate(_records())]
    publisher.serve(PATH, catalogue(changed))
    job_id, (first, *others) = gathered(portal, source)
    pauses = []
    with faulty_writes(monkeypatch, exceed_statement_timeout, times=99):
        for _ in failures.PAUSES:
            portal.deliver(first)
            retry = retry_of(first)
            assert retry is not None
            pauses.append(retry.due)
            end_pauses()
        portal.deliver(first)
    assert pauses == sorted(pauses)
    assert state(first) == ("ERROR", "errored")
    for each in others:
        portal.deliver(each)
    job = portal.finish(job_id)
    assert figures(job) == {"updated": 2, "errored": 1}
    message = job["object_error_summary"][0]["message"]
    assert message.startswith("The database of this portal failed at each of 6 attempts")
    assert "statement timeout" in message
    assert len(portal.datasets()) == len(before) == 3
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 2}


def _records() -> list[dict[str, Any]]:
    from tests.ckan.catalogues import dataset

    return [dataset(n) for n in range(3)]


def test_connection_closed_after_commit_keeps_the_import(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id, (first, *others) = gathered(portal, source)
    real = import_stage.write_some

    def close_afterwards(*args: Any) -> Any:
        results = real(*args)
        close_connection_quietly()
        return results

    with monkeypatch.context() as patch:
        patch.setattr(import_stage, "write_some", close_afterwards)
        portal.deliver(first)
    assert state(first) == ("COMPLETE", "added")
    for each in others:
        portal.deliver(each)
    assert figures(portal.finish(job_id)) == {"added": 3}


def close_connection_quietly() -> None:
    try:
        close_connection()
    except sa.exc.DBAPIError:
        return


def test_a_gather_begins_again_when_the_database_fails_under_it(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = gather_stage.finish_gather, []

    def finish(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 1:
            close_connection()
        real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(gather_stage, "finish_gather", finish)
        job = portal.run(source)
    assert len(calls) == 2
    assert figures(job) == {"added": 3}


def test_gather_with_lasting_fault_names_the_service(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal.run(source)
    with monkeypatch.context() as patch:
        patch.setattr(gather_stage, "finish_gather", lambda *_: close_connection())
        job = portal.run(source)
    (error,) = job["gather_error_summary"]
    assert "The database of this portal failed while the source was read" in error["message"]
    assert len(portal.datasets()) == 3


def test_sweeper_ends_a_gather_whose_end_was_not_stored(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = portal.create_job(source)
    job = HarvestJob.get(job_id)
    job.status = "Running"
    job.save()
    body = f'{{"harvest_job_id": "{job_id}"}}'
    real = queue.gather_stage

    def close_afterwards(*args: Any) -> Any:
        real(*args)
        close_connection()

    with monkeypatch.context() as patch:
        patch.setattr(queue, "gather_stage", close_afterwards)
        queue.gather_callback(Channel(), queue.FakeMethod(body), None, body)
    waiting = portal.waiting(job_id)
    assert len(waiting) == 3
    assert len(send_again()) == 3
    for object_id in waiting:
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 3}


@pytest.mark.parametrize("name", ["gather", "fetch"])
def test_consumer_survives_a_closed_idle_connection(portal: Portal, name: str) -> None:
    consumer = getattr(queue, f"get_{name}_consumer")()
    callback = getattr(queue, f"{name}_callback")
    bodies = [f'{{"{consumer.message_key}": "{id_}"}}' for id_ in ("first", "second")]
    consumer.redis.rpush(consumer.routing_key, *bodies)
    with closing(consumer.consume(queue="any")) as messages:
        method, header, body = next(messages)
        callback(consumer, method, header, body)
        close_connection_unnoticed()
        assert next(messages)[2] == bodies[1]


def read_only(server: redis.Redis) -> None:
    server.replicaof("127.0.0.1", 9)


def full(server: redis.Redis) -> None:
    server.config_set("maxmemory", 1)


@pytest.mark.parametrize("refuse", [read_only, full])
@pytest.mark.parametrize("name", ["gather", "fetch"])
def test_consumer_waits_while_redis_refuses_to_write(
    portal: Portal, monkeypatch: pytest.MonkeyPatch, name: str, refuse: Callable[[Any], None]
) -> None:
    """As it does while another server takes over, or when it has no memory left."""
    consumer = getattr(queue, f"get_{name}_consumer")()
    bodies = [f'{{"{consumer.message_key}": "{id_}"}}' for id_ in ("first", "second")]
    pauses = []

    def accept_again(seconds: float = 0) -> None:
        pauses.append(seconds)
        consumer.redis.replicaof("NO", "ONE")
        consumer.redis.config_set("maxmemory", 0)
        consumer.redis.rpush(consumer.routing_key, bodies[1])

    clock = SimpleNamespace(sleep=accept_again, monotonic=lambda: float(len(pauses)))
    monkeypatch.setattr(consumers, "time", clock)
    consumer.redis.rpush(consumer.routing_key, bodies[0])
    refuse(consumer.redis)
    try:
        with closing(consumer.consume(queue="any")) as messages:
            assert next(messages)[2] in bodies
        assert pauses == [1.0]
    finally:
        accept_again()


def test_a_record_waits_again_after_its_connection_was_closed(portal: Portal, source: str) -> None:
    _job_id, (first, *_others) = gathered(portal, source)
    close_connection_unnoticed()
    failures.postpone_attempt(first, "database", "gone")
    assert retry_of(first) is not None
    # The session after it is closed again while the work goes on.
    failures.call_patiently(close_connection_unnoticed)
    assert state(first) == ("WAITING", None)
