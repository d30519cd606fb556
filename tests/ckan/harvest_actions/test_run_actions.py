"""What a person starts while Redis is away: the answer says what is true, after one attempt."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import services as service_checks
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest_actions import run_actions
from ckanext.ukharvest.patches import polling
from tests.ckan.catalogues import catalogue
from tests.ckan.chaos.services import own_services
from tests.ckan.commands import invoke
from tests.ckan.harvesting import Portal, act, figures, look_for_all, tick, work_off
from tests.ckan.people import Person
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
WAITS = "queue cannot be reached. It starts by itself when the queue works again."


class Attempts:
    """Counts the connections to Redis that are tried."""

    number = 0


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Attempts:
    attempts = Attempts()
    connect = redis.Connection._connect

    def count(self: Any) -> socket.socket:
        attempts.number += 1
        return connect(self)

    monkeypatch.setattr(redis.Connection, "_connect", count)
    return attempts


@contextmanager
def redis_away() -> Iterator[None]:
    """Stop the portal's Redis; start it again after the block."""
    services, pool = own_services(), jobs.get_queue().connection.connection_pool
    pool.disconnect()
    with services.killed(services.redis):
        yield
    pool.disconnect()


def post(app: CKANTestApp, person: Person, action: str, **data: Any) -> Any:
    """Call an action as its API does; return the result."""
    url = f"/api/3/action/{action}"
    return app.post(url, json=data, headers=person["headers"], status=200).json["result"]


def finish(job_id: str) -> dict[str, Any]:
    """Do what cron and the consumers do an hour later; return the job."""
    job = model.Session.query(HarvestJob).filter_by(id=job_id)
    job.update({"created": HarvestJob.created.op("-")(sa.text("interval '1 hour'"))})
    model.Session.commit()
    tick()
    with Heart("fetch") as heart, polling.use_heart(heart):
        work_off()
    return Portal("").finish(job_id)


def the_job() -> str:
    """Return the id of the only job."""
    model.Session.remove()
    return str(model.Session.query(HarvestJob).one().id)


def test_run_is_worked_off_without_redis(
    app: CKANTestApp, source: str, editor: Person, attempts: Attempts
) -> None:
    with redis_away():
        run = post(app, editor, "ukharvest_run_create", source_id=source)
        assert (run["id"], run["queued"]) == (the_job(), True)
        assert attempts.number == 1
        look_for_all()
    job = Portal("").job(run["id"])
    assert (job["status"], figures(job)) == ("Finished", {"added": 3})


def test_run_of_a_queue_that_answers_is_queued(source: str) -> None:
    assert act("ukharvest_run_create", source_id=source)["queued"] is True


def test_run_is_worked_off_without_rabbitmq(
    source: str, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        for name, value in (("type", "amqp"), ("hostname", "127.0.0.1"), ("port", "9")):
            patch.setitem(ckan_config, f"ckan.harvest.mq.{name}", value)
        run = act("ukharvest_run_create", source_id=source)
        assert run["queued"] is True
        look_for_all()
    assert figures(Portal("").job(run["id"])) == {"added": 3}


def test_pages_say_that_a_run_of_another_harvester_waits_for_the_queue(
    app: CKANTestApp,
    ready_source: SourceMaker,
    editor: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_actions, "_show_to_consumers", lambda _job_id: False)
    ready_source(PATH, catalogue(3))
    (record_id,) = model.Session.execute(sa.select(Record.id).limit(1)).one()
    pages = ("/harvest/refresh/source-1", f"/harvest/source-1/record/{record_id}")
    for page in pages:
        with redis_away():
            assert WAITS in app.post(page, headers=editor["headers"]).body, page
        assert WAITS not in app.get("/harvest/source-1", headers=editor["headers"]).body
        act("ukharvest_run_stop", id=newest_job())


def newest_job() -> str:
    model.Session.remove()
    return str(model.Session.query(HarvestJob).order_by(HarvestJob.created.desc()).first().id)


def test_stock_action_and_command_create_the_run_all_the_same(
    app: CKANTestApp, portal: Portal, source: str, editor: Person, attempts: Attempts
) -> None:
    other = portal.source(HarvestSource.get(source).url + "?other")
    with redis_away():
        job = post(app, editor, "harvest_job_create", source_id=source)
        assert attempts.number == 1
        created = invoke(app, "harvester", "job", other)
    assert (created.exit_code, created.exception) == (0, None)
    assert created.output.startswith("\tJob id: ")
    assert figures(finish(job["id"])) == {"added": 3}


def test_cron_creates_due_runs_without_redis(source: str) -> None:
    model.Session.query(HarvestSource).update({"frequency": "ALWAYS", "next_run": None})
    model.Session.commit()
    with redis_away():
        tick()
    assert figures(finish(the_job())) == {"added": 3}


def test_run_in_the_foreground_needs_no_redis(app: CKANTestApp, source: str) -> None:
    with redis_away():
        done = invoke(app, "ukharvest", "run", source)
    assert done.exit_code == 0, done.output
    assert "added                 3" in done.output


def test_links_asked_for_without_redis_are_checked_later(
    app: CKANTestApp, ready_source: SourceMaker, editor: Person, attempts: Attempts
) -> None:
    ready_source(PATH, catalogue(1))
    call_action("job_clear")
    with redis_away():
        asked = post(app, editor, "ukharvest_link_check", id="dataset-00000")
    assert asked == {"links": 1, "queued": False}
    assert attempts.number == 1
    tick()
    assert [job["title"] for job in call_action("job_list")] == [
        "Check links of harvested resources"
    ]


def test_a_test_ends_at_once_without_redis(
    app: CKANTestApp, publisher: Publisher, editor: Person, attempts: Attempts
) -> None:
    publisher.serve(PATH, catalogue(1))
    asked = {"source_type": "data_json", "url": publisher.url(PATH)}
    with redis_away():
        url = "/api/3/action/ukharvest_source_preview_create"
        answer = app.post(url, json=asked, headers=editor["headers"], status=409)
    (text,) = answer.json["error"]["test"]
    assert text == "No background worker finished the test. Try again, or tell a sysadmin."
    assert attempts.number == 1


def test_a_waiting_test_is_shown_without_redis(
    app: CKANTestApp, publisher: Publisher, editor: Person
) -> None:
    publisher.serve(PATH, catalogue(1))
    asked = {"source_type": "data_json", "url": publisher.url(PATH)}
    begun = post(app, editor, "ukharvest_source_preview_create", **asked)
    with redis_away():
        shown = post(app, editor, "ukharvest_source_preview_show", id=begun["id"])
    assert (shown["state"], shown["seconds"]) == ("waiting", None)
    assert shown["text"] == ["Waiting for a background worker"]


def test_deletions_approved_without_redis_are_carried_out_later(
    app: CKANTestApp, ready_source: SourceMaker, sysadmin: Person, attempts: Attempts
) -> None:
    source = ready_source(PATH, catalogue(10), then=[catalogue(4)] * 2)
    decision = {"source_id": source, "decision": "approve", "background": True}
    with redis_away():
        done = post(app, sysadmin, "ukharvest_pending_decide", **decision)
        look_for_all()
    assert done["deleted"] == 6
    assert figures(Portal("").job(done["job_id"])) == {"deleted": 6}


def test_doctor_asks_a_redis_that_is_away_once(attempts: Attempts) -> None:
    with redis_away():
        (finding,) = service_checks.redis_queue()
    assert finding.message.startswith("Redis does not answer")
    assert attempts.number == 1


def test_only_consumers_wait_long_for_redis() -> None:
    """As when it accepts connections and does not answer."""
    settings = queue.get_connection_redis().connection_pool.connection_kwargs
    assert settings["socket_timeout"] == settings["socket_connect_timeout"] == 4
    with Heart("fetch") as heart, polling.use_heart(heart):
        of_consumer = queue.get_fetch_publisher().redis.connection_pool.connection_kwargs
    for patient in (
        of_consumer,
        queue.get_gather_consumer().redis.connection_pool.connection_kwargs,
    ):
        assert patient["socket_timeout"] > config.BLOCK_SECONDS
    assert of_consumer["retry"]._retries == 8  # its public name is newer than CKAN 2.11
