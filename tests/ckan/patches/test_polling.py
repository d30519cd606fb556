"""Consumers find work of ours in the tables; messages serve other harvesters."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.consumers import claims
from ckanext.ukharvest.harvest.consumers.workers import FETCH, GATHER, Heart
from ckanext.ukharvest.patches import consumers, polling
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures, look_for_all, statements, to_gather
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Session = model.Session
OLD_JOBS = """
    INSERT INTO harvest_job (id, source_id, created, gather_started, gather_finished, finished,
                             status)
    SELECT 'old-' || n, :source, now() - interval '1 year', now(), now(), now(), 'Finished'
      FROM generate_series(1, 100000) AS n
"""


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(5))
    return portal.source(publisher.url(PATH))


@pytest.fixture(params=[GATHER, FETCH])
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """The key of the messages of a consumer, which this process is."""
    name = "gather" if request.param == GATHER else "fetch"
    with Heart(name) as heart, polling.use_heart(heart):
        yield request.param


def consumer_of(kind: str) -> Any:
    return queue.get_gather_consumer() if kind == GATHER else queue.get_fetch_consumer()


def begin(source: str) -> str:
    return str(act("ukharvest_run_create", source_id=source)["id"])


def test_run_is_worked_off_without_reading_a_message(portal: Portal, source: str) -> None:
    job_id = begin(source)
    queue.purge_queues()
    look_for_all()
    job = portal.job(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"added": 5})
    # The gather's own, which makes a fetch consumer look at once.
    assert queue.get_connection().llen(queue.get_fetch_routing_key()) == 1


def test_idle_consumer_asks_one_cheap_statement(source: str, kind: str) -> None:
    Session.execute(sa.text(OLD_JOBS), {"source": source})
    Session.execute(sa.text("ANALYZE harvest_job"))
    Session.commit()
    assert not polling.look(kind)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        with statements() as sent:
            assert not polling.look(kind)
        took.append(time.perf_counter() - began)
        assert len(sent) == 1, sent
    assert min(took) < 0.02, "seconds, with 100,000 old jobs"


def test_two_gather_consumers_take_a_run_once(source: str) -> None:
    job_id, types = begin(source), config.our_type_names()
    with Heart("gather") as first, Heart("gather") as second:
        held = sa.text("SELECT id FROM harvest_job WHERE id = :id FOR UPDATE")
        with model.meta.engine.connect() as other, other.begin():
            other.execute(held, {"id": job_id})  # as one that claims it at this moment
            assert claims.claim_run(first.id, types) == ""
        assert claims.claim_run(first.id, types) == job_id
        assert claims.claim_run(second.id, types) == ""


def test_run_that_an_older_consumer_reads_is_left_to_it(source: str) -> None:
    job_id = begin(source)
    with Heart("gather") as older:
        older.work_on(job_id)  # when its message came, before it stores that it began
        assert to_gather() == []
    assert to_gather() == [job_id]


def next_message(kind: str, monkeypatch: pytest.MonkeyPatch, look: Callable[[str], bool]) -> Any:
    """Return the body of the first message that a consumer yields."""
    monkeypatch.setattr(polling, "look", look)
    monkeypatch.setattr(config, "BLOCK_SECONDS", 0.01)
    messages = consumer_of(kind).consume("any")
    found = next(messages)[2]
    messages.close()
    return json.loads(found)[kind]


def test_message_of_another_harvester_comes_between_batches(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although work of ours would last for hours."""
    queue.purge_queues()
    consumer = consumer_of(kind)
    consumer.redis.rpush(consumer.routing_key, json.dumps({kind: "theirs"}))
    looks = itertools.count()
    assert next_message(kind, monkeypatch, lambda _kind: next(looks) < 1000) == "theirs"
    assert next(looks) == 1


def test_message_about_ours_makes_its_consumer_look_and_no_more(
    portal: Portal, source: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = begin(source)
    body = json.dumps({kind: job_id})
    if kind == FETCH:
        with Heart("gather") as heart, polling.use_heart(heart):
            polling.look(GATHER)
        body = json.dumps({kind: portal.waiting(job_id)[0]})
    looked: list[str] = []
    monkeypatch.setattr(polling, "look", lambda kind: bool(looked.append(kind)))
    stages = ("gather_stage", "fetch_and_import_stages")
    for stage in stages:
        monkeypatch.setattr(queue, stage, lambda *_args: pytest.fail("it was worked on"))
    callback = queue.gather_callback if kind == GATHER else queue.fetch_callback
    callback(consumer_of(kind), queue.FakeMethod(body), None, body)
    assert looked == [kind]
    assert HarvestJob.get(job_id).status == "Running"


def test_message_about_a_run_stops_no_consumer_that_claims_it(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message comes to a second consumer, a moment before the first one claims the run."""
    job_id, body = begin(source), ""
    with Heart("gather") as second, polling.use_heart(second):
        queue.purge_queues()
        consumer = consumer_of(GATHER)
        consumer.redis.rpush(consumer.routing_key, json.dumps({GATHER: job_id}))
        with monkeypatch.context() as patch:
            patch.setattr(polling, "look", lambda _kind: False)
            messages = consumer.consume("any")
            body = next(messages)[2]
        with Heart("gather") as first, polling.use_heart(first):
            assert polling.look(GATHER)
        queue.gather_callback(consumer, queue.FakeMethod(body), None, body)
        messages.close()
    look_for_all()
    assert figures(portal.job(job_id)) == {"added": 5}


def test_consumer_goes_on_with_ours_while_its_queue_fails(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    class Dead:
        def next(self, seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 4:
                raise StopIteration

    answers = iter([True, True, False, True])
    monkeypatch.setattr(polling, "look", lambda _kind: next(answers))
    with pytest.raises(RuntimeError):
        next(consumers._consume(kind, Dead()))
    assert waits == [0, 0, config.BLOCK_SECONDS, 0]
