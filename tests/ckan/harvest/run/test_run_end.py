"""A run ends with its last record, once, also if several processes look at it at one moment."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.logic.action import update as stock

from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.run import run_end
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, tick
from tests.ckan.inbox import Inbox
from tests.publisher import Publisher

PATH = "/data.json"
Session = model.Session


def ended(job_id: str, timeout: float = 60) -> dict[str, Any]:
    """Return a run as soon as it has ended; nothing but its consumers works meanwhile."""
    deadline = time.monotonic() + timeout
    while True:
        Session.remove()
        run: dict[str, Any] = act("ukharvest_run_show", id=job_id)
        if run["status"] == "Finished":
            return run
        assert time.monotonic() < deadline, run
        time.sleep(0.05)


def test_runs_end_without_cron(portal: Portal, publisher: Publisher, consumers: Consumers) -> None:
    """With datasets, with nothing changed, and with failed records; the next can start at once."""
    publisher.serve(PATH, catalogue([dataset(0), dataset(1), dataset(2, title="")]))
    source = portal.source(publisher.url(PATH))
    for figures in ({"added": 2, "lost": 1}, {"unchanged": 2, "lost": 1}):
        run = ended(act("ukharvest_run_create", source_id=source)["id"])
        assert figures.items() <= run["counts"].items()
        assert run["outcome"] == "errors"
    shown = act("harvest_source_show", id=source)
    assert shown["status"]["last_job"]["status"] == "Finished"
    assert shown["status"]["total_datasets"] == 2


@pytest.fixture
def done(portal: Portal, publisher: Publisher) -> str:
    """A run without anything left to import, which is not ended yet."""
    publisher.serve(PATH, catalogue(2))
    job_id = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job_id)
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    Session.remove()
    assert portal.job(job_id)["status"] == "Running"
    return job_id


def together(app: CKANTestApp, *calls: Any) -> list[Any]:
    """Call functions at the same moment, each with a session of its own; return their results."""
    barrier = threading.Barrier(len(calls))

    def call(function: Any) -> Any:
        with app.flask_app.test_request_context():  # as a command has it
            barrier.wait()
            try:
                return function()
            finally:
                Session.remove()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call, function) for function in calls]]


@pytest.mark.in_process
@pytest.mark.ckan_config("ckan.harvest.status_mail.all", "true")
def test_of_two_consumers_one_ends_the_run(
    app: CKANTestApp,
    portal: Portal,
    done: str,
    inbox: Inbox,
) -> None:
    source_id = portal.job(done)["source_id"]
    Session.remove()
    factories.Sysadmin(email="sysadmin@portal.example")
    results = together(app, *[lambda: run_end.end_if_done(done)] * 4)
    assert sorted(results) == [False, False, False, True]
    job = portal.job(done)
    assert job["status"] == "Finished"
    assert job["ukharvest"]["outcome"] == "finished"
    assert job["stats"]["added"] == 2
    assert inbox.new_mails() == []  # a mail server that hangs holds no consumer up
    together(app, tick, tick)
    to = [mail["To"] for mail in inbox.new_mails() if "Successful" in mail["Subject"]]
    assert len(to) == len(set(to)) > 0
    tick()
    assert inbox.new_mails() == []
    assert act("harvest_source_show", id=source_id)["status"]["total_datasets"] == 2


@pytest.mark.in_process
@pytest.mark.ckan_config("ckan.harvest.status_mail.all", "true")
def test_mail_that_fails_costs_no_other_runs_mail(
    portal: Portal, done: str, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id = portal.job(done)["source_id"]
    factories.Sysadmin(email="sysadmin@portal.example")
    run_end.end_if_done(done)
    portal.gather(other := portal.create_job(source_id))
    real, calls = stock.send_summary_email, list[str]()

    def fail_once(context: Any, source_id: str, status: Any) -> None:
        calls.append(status["last_job"]["id"])
        if len(calls) == 1:
            raise TimeoutError
        real(context, source_id, status)

    monkeypatch.setattr(stock, "send_summary_email", fail_once)
    for _ in range(2):
        tick()
    assert sorted(calls) == sorted([done, other])
    assert len(inbox.new_mails()) > 0


@pytest.mark.in_process
@pytest.mark.ckan_config("ckan.harvest.status_mail.errored", "true")
def test_what_failed_before_sends_no_second_mail(
    portal: Portal,
    publisher: Publisher,
    inbox: Inbox,
) -> None:
    factories.Sysadmin(email="sysadmin@portal.example")
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="")]))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    assert ["Error" in mail["Subject"] for mail in inbox.new_mails()].count(True) > 0
    job = portal.run(source)
    assert job["stats"]["errored"] == 1
    assert inbox.new_mails() == []


@pytest.mark.in_process
def test_a_run_with_a_record_under_way_does_not_end(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(2))
    job_id = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job_id)
    portal.deliver(portal.waiting(job_id)[0])
    assert run_end.end_if_done(job_id) is False
    assert portal.job(job_id)["status"] == "Running"
    portal.deliver(portal.waiting(job_id)[0])
    assert run_end.end_if_done(job_id) is True
    assert run_end.end_if_done(job_id) is False
    report = Session.query(JobReport).filter_by(job_id=job_id).one()
    assert report.figures["added"] == 2
