"""No message ends a consumer, and none is lost silently (decision 0020)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import redis
import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectError
from ckanext.harvest.plugin import Harvest
from pika.exceptions import AMQPConnectionError

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvesters import plugins
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Consumers, Portal, figures, one_by_one, write_ini
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


class Channel:
    """Records what is acknowledged."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def basic_ack(self, tag: str) -> None:
        self.done.append(tag)


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    return portal.source(publisher.url(PATH))


def gather(channel: Any, job_id: str) -> Any:
    job = HarvestJob.get(job_id)
    job.status = "Running"
    job.save()
    body = json.dumps({"harvest_job_id": job_id})
    return queue.gather_callback(channel, queue.FakeMethod(body), None, body)


def deliver(channel: Any, object_id: str) -> Any:
    body = json.dumps({"harvest_object_id": object_id})
    return queue.fetch_callback(channel, queue.FakeMethod(body), None, body)


def raises(*_: object) -> None:
    raise ZeroDivisionError("in somebody's harvester")


def raises_with_broken_session(*_: object) -> None:
    model.Session.add(HarvestObjectError(harvest_object_id="nobody", message="?"))
    model.Session.flush()


def errors_of(object_id: str) -> list[str]:
    query = model.Session.query(HarvestObjectError.message)
    return [row[0] for row in query.filter_by(harvest_object_id=object_id)]


def state_of(object_id: str) -> tuple[str, str | None]:
    model.Session.remove()
    obj = HarvestObject.get(object_id)
    return obj.state, obj.report_status


def test_the_patches_are_in_force() -> None:
    names = " ".join(compat.applied_patches)
    for name in ("gather-survives", "fetch-survives", "source-url", "source-options"):
        assert name in names


@one_by_one
@pytest.mark.parametrize("stage", ["fetch_stage", "import_stage"])
@pytest.mark.parametrize("fault", [raises, raises_with_broken_session])
def test_exception_in_a_stage_fails_one_record(
    stage: str, fault: Any, portal: Portal, source: str, monkeypatch: Any
) -> None:
    # ckanext-harvest#112, with any package's harvester
    job_id = portal.create_job(source)
    portal.gather(job_id)
    first, *others = portal.waiting(job_id)
    channel = Channel()
    with monkeypatch.context() as patched:
        patched.setattr(plugins.ukharvest_data_json, stage, fault)
        assert deliver(channel, first) is False
    assert len(channel.done) == 1
    assert state_of(first) == ("ERROR", "errored")
    assert "Internal error" in errors_of(first)[0]
    for object_id in others:
        deliver(channel, object_id)
    assert figures(portal.finish(job_id)) == {"added": 2, "errored": 1}


@pytest.mark.parametrize("fault", [raises, raises_with_broken_session])
def test_gather_that_raises_ends_its_job(
    fault: Any, portal: Portal, source: str, monkeypatch: Any
) -> None:
    # ckanext-harvest#112
    def half_done(_self: object, job: HarvestJob) -> None:
        HarvestObject(guid="half", job=job, state="WAITING").save()
        fault()

    job_id = portal.create_job(source)
    channel = Channel()
    with monkeypatch.context() as patched:
        patched.setattr(plugins.ukharvest_data_json, "gather_stage", half_done)
        assert gather(channel, job_id) is False
    assert len(channel.done) == 1
    assert portal.waiting(job_id) == []
    job = portal.finish(job_id)
    assert job["status"] == "Finished"
    assert "Internal error" in job["gather_error_summary"][0]["message"]
    assert figures(portal.run(source)) == {"added": 3}


@pytest.mark.parametrize("error", [redis.ConnectionError("gone"), AMQPConnectionError("gone")])
def test_queue_failure_after_gather_keeps_objects_waiting(
    portal: Portal, source: str, monkeypatch: Any, error: Exception
) -> None:
    def fails(*_: object) -> None:
        raise error

    job_id = portal.create_job(source)
    with monkeypatch.context() as patched:
        patched.setattr(queue.RedisPublisher, "send", fails)
        gather(Channel(), job_id)
    assert len(portal.waiting(job_id)) == 3
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 3}


@one_by_one
def test_object_deleted_under_a_consumer_does_not_end_it(
    portal: Portal, source: str, monkeypatch: Any
) -> None:
    # ckanext-harvest saves the object after each stage: StaleDataError, ObjectDeletedError
    def deletes(kind: type) -> Any:
        def stage(_self: object, each: Any) -> bool:
            statement = model.Session.query(kind).filter_by(id=each.id)
            statement.delete(synchronize_session=False)
            model.Session.commit()
            return True

        return stage

    job_id = portal.create_job(source)
    portal.gather(job_id)
    channel = Channel()
    with monkeypatch.context() as patched:
        patched.setattr(plugins.ukharvest_data_json, "fetch_stage", deletes(HarvestObject))
        for object_id in portal.waiting(job_id):
            assert not deliver(channel, object_id)
    assert len(channel.done) == 3
    portal.finish(job_id)
    job_id = portal.create_job(source)
    with monkeypatch.context() as patched:
        patched.setattr(plugins.ukharvest_data_json, "gather_stage", deletes(HarvestJob))
        assert gather(channel, job_id) is False
    assert len(channel.done) == 4


@one_by_one
def test_an_object_that_is_given_up_says_so(portal: Portal, source: str) -> None:
    # Stock: state ERROR, report_status NULL and no message
    job_id = portal.create_job(source)
    portal.gather(job_id)
    first, *others = portal.waiting(job_id)
    HarvestObject.get(first).retry_times = 4
    model.Session.commit()
    deliver(Channel(), first)
    assert state_of(first) == ("ERROR", "errored")
    assert "5 attempts" in errors_of(first)[0]
    for object_id in others:
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 2, "errored": 1}


def test_an_object_of_a_stopped_job_says_so(portal: Portal, source: str) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    job = HarvestJob.get(job_id)
    job.status = "Finished"
    job.save()
    [first, *_others] = portal.waiting(job_id)
    deliver(Channel(), first)
    assert state_of(first) == ("ERROR", "errored")
    assert "stopped" in errors_of(first)[0]


def test_an_object_delivered_after_its_job_ended_stays_as_it_was(
    portal: Portal, source: str
) -> None:
    # Stock: the second delivery turned 10 of 10 good imports into errors
    job_id = portal.create_job(source)
    portal.gather(job_id)
    ids = portal.waiting(job_id)
    for object_id in ids:
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 3}
    channel = Channel()
    for object_id in ids:
        deliver(channel, object_id)
    assert len(channel.done) == 3
    assert figures(portal.job(job_id)) == {"added": 3}


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1")
def test_harvester_run_during_a_gather_sends_nothing_twice(
    portal: Portal, source: str, monkeypatch: Any
) -> None:
    # ckanext-harvest#446: ``harvest_jobs_run`` in the middle of a gather
    from ckanext.ukharvest.harvest.gather import gather_stage as harvest_gather
    from ckanext.ukharvest.harvest.gather import gather_state

    sent: list[list[str]] = []
    finish = harvest_gather.finish_gather

    def in_the_middle(state: Any, *args: Any) -> None:
        gather_state.flush_batch(state)
        portal.finish(state.job_id)
        sent.append(messages())
        state.source = model.Session.merge(state.source)
        finish(state, *args)

    monkeypatch.setattr(harvest_gather, "BATCH", 1)
    monkeypatch.setattr(harvest_gather, "finish_gather", in_the_middle)
    job_id = portal.create_job(source)
    gather(Channel(), job_id)
    assert sent == [[]]
    assert sorted(messages()) == sorted(portal.waiting(job_id))
    portal.finish(job_id)
    assert sorted(messages()) == sorted(portal.waiting(job_id))


def messages() -> list[str]:
    connection = queue.get_connection()
    found = connection.lrange(queue.get_fetch_routing_key(), 0, -1)
    return [json.loads(each)["harvest_object_id"] for each in found]


@one_by_one
def test_a_consumer_that_waits_has_no_transaction_open(
    portal: Portal, source: str, ini: str, tmp_path: Path
) -> None:
    """Else it holds up migrations, and vacuum, for as long as no message comes."""
    settings = {"ckanext.ukharvest.batch_size": "1"}
    with Consumers(write_ini(ini, settings, tmp_path / "one.ini")) as consumers:
        job = consumers.run(source)
        finished = portal.objects(job["id"])
        portal.send(finished)  # late, and once more
        consumers.wait_for_messages(finished)
        wait_until_idle()
        # An object that is gone, and a job that is.
        portal.send(["gone"])
        queue.get_gather_publisher().send({"harvest_job_id": "gone"})
        consumers.wait_for_messages(["gone"])
        wait_until_idle()


def wait_until_idle() -> None:
    """Wait until both consumers wait for a message, and none has a transaction open meanwhile.

    A transaction that a waiting consumer left open would stay open; those of its heart are short.
    """
    query = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
        " AND datname = current_database() AND state LIKE 'idle in transaction%'"
    )
    deadline = time.monotonic() + 120
    while True:
        waiting = [each for each in queue.get_connection().client_list() if each["cmd"] == "blpop"]
        model.Session.remove()
        is_open = bool(model.Session.execute(query).scalar())
        model.Session.remove()
        if len(waiting) == 2 and not is_open:
            return
        assert time.monotonic() < deadline, "a consumer waits with a transaction open"
        time.sleep(0.1)


def test_foreign_message_does_not_end_a_consumer() -> None:
    consumer = queue.get_fetch_consumer()
    consumer.redis.rpush(consumer.routing_key, "no JSON", '{"other": 1}')
    consumer.redis.rpush(consumer.routing_key, '{"harvest_object_id": "gone"}')
    method, header, body = next(consumer.consume(queue="any"))
    assert "gone" in body
    assert queue.fetch_callback(consumer, method, header, body) is False
    assert not consumer.redis.exists(f"{consumer.routing_key}:gone")
    for other in ("no JSON", "[1]"):
        assert queue.fetch_callback(Channel(), queue.FakeMethod(other), None, other) is False


def test_the_stock_plugin_is_the_one_that_was_patched() -> None:
    assert Harvest.after_dataset_create.__globals__["_create_harvest_source_object"].__module__ == (
        "ckanext.ukharvest.patches.forms_and_commands"
    )
