"""A stopped run: imported records stay, and the next run imports the rest."""

from __future__ import annotations

import datetime as dt
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.harvest.gather import gather_state, objects
from ckanext.ukharvest.harvest.model import JobReport, Record, SourceState, utcnow
from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures, one_by_one, tick, work_off
from tests.ckan.people import member
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Session = model.Session


@pytest.fixture
def editor(organization: dict[str, str]) -> str:
    return str(member(organization, name="ed")["name"])


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(5), etag='"v1"')
    return portal.source(publisher.url(PATH), name="parking")


@pytest.fixture
def harvested(publisher: Publisher, ready_source: SourceMaker) -> str:
    """The same source, after one run."""
    publisher.serve(PATH, catalogue(5), etag='"v1"')
    return ready_source(PATH, name="parking")


def stop(job_id: str, user: str) -> dict[str, Any]:
    answer: dict[str, Any] = tk.get_action("ukharvest_run_stop")({"user": user}, {"id": job_id})
    Session.remove()
    return answer


def report_of(job_id: str) -> JobReport:
    Session.remove()
    return Session.query(JobReport).filter_by(job_id=job_id).one()


@one_by_one
def test_stop_leaves_waiting_records_for_the_next_run(
    portal: Portal, publisher: Publisher, source: str, editor: str
) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    first, *others = portal.waiting(job_id)
    portal.deliver(first)

    assert stop(job_id, editor) == {"id": job_id, "ended": True}

    job, report = HarvestJob.get(job_id), report_of(job_id)
    assert (job.status, report.outcome, report.stopped_by) == ("Finished", "stopped", "ed")
    assert report.reason == "stopped by ed"
    for object_id in others:  # their messages are still queued
        portal.deliver(object_id)
    assert len(portal.datasets()) == 1
    assert Session.query(Record).count() == 1
    assert figures(portal.job(job_id)) == {"added": 1}

    # The publisher would say "not modified", so no validators are sent.
    assert figures(portal.run(source)) == {"added": 4, "not modified": 1}
    assert len(portal.datasets()) == 5


def test_stop_keeps_fingerprints_of_changed_records(
    portal: Portal, publisher: Publisher, harvested: str, editor: str
) -> None:
    before = {row.guid: row.fingerprint for row in Session.query(Record)}
    publisher.serve(
        PATH, catalogue([dataset(number, title=f"Changed {number}") for number in range(5)])
    )
    job_id = portal.create_job(harvested)
    portal.gather(job_id)
    stop(job_id, editor)

    rows = Session.query(Record).all()
    assert {row.guid: row.fingerprint for row in rows} == before
    assert {row.missed_runs for row in rows} == {0}
    assert {row.outcome for row in rows} == {"added"}
    assert figures(portal.run(harvested)) == {"updated": 5}


def test_deletions_are_not_carried_out(
    portal: Portal, publisher: Publisher, harvested: str, editor: str
) -> None:
    publisher.serve(PATH, catalogue(4))
    portal.run(harvested)
    job_id = portal.create_job(harvested)
    assert len(portal.gather(job_id)) == 1
    stop(job_id, editor)

    assert len(portal.datasets()) == 5
    job_id = portal.create_job(harvested)
    (deletion,) = portal.gather(job_id)
    row = Session.query(Record).filter(Record.missed_runs > 0).one()
    act("package_delete", id=row.package_id)  # a person is first
    portal.deliver(deletion)
    assert figures(portal.finish(job_id)) == {"not modified": 5}
    assert len(portal.datasets()) == 4


def test_a_run_that_waits_never_begins(
    portal: Portal, publisher: Publisher, source: str, editor: str
) -> None:
    user = {"user": editor}
    job_id = call_action("ukharvest_run_create", user, source_id=source)["id"]
    assert report_of(job_id).asked_by == editor
    assert stop(job_id, editor)["ended"]
    work_off()

    assert publisher.requests == []
    assert HarvestJob.get(job_id).status == "Finished"
    assert report_of(job_id).outcome == "stopped"
    assert source_status.load_statuses([source])[source].value == "new"


def test_a_failure_of_a_source_that_was_to_be_stopped_is_none(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(_state: Any, _record: Any) -> None:
        with model.meta.engine.begin() as connection:
            connection.execute(JobReport.__table__.update().values(stopped_by="ed"))
        raise SourceError("The server failed.")

    monkeypatch.setattr(gather_state, "take_in", take)
    job_id = portal.create_job(source)
    assert portal.gather(job_id) == []

    assert (report_of(job_id).outcome, report_of(job_id).error) == ("stopped", None)
    assert figures(portal.finish(job_id)) == {}


@pytest.fixture
def busy_gather(source: str, editor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a gather check for a stop after each record; stop it while it reads the third."""
    monkeypatch.setattr(gather_state, "HEARTBEAT_SECONDS", 0.0)
    stock = gather_state.take_in

    def take(state: Any, record: Any) -> None:
        stock(state, record)
        if state.counts["seen"] == 3:
            with model.meta.engine.begin() as connection:
                statement = JobReport.__table__.update().values(stopped_by="ed")
                connection.execute(statement)

    monkeypatch.setattr(gather_state, "take_in", take)


def test_a_gather_ends_at_its_next_sign_of_life(
    portal: Portal, source: str, busy_gather: None
) -> None:
    job_id = portal.create_job(source)
    assert portal.gather(job_id) == []

    report = report_of(job_id)
    assert (report.outcome, report.counts["seen"]) == ("stopped", 3)
    assert report.reason.startswith("stopped by ed; nothing was imported")
    assert HarvestJob.get(job_id).status == "Finished"
    assert Session.query(HarvestObject).count() == 0
    assert figures(portal.job(job_id)) == {}


def test_gather_ends_itself_on_request(portal: Portal, source: str, editor: str) -> None:
    job = HarvestJob.get(portal.create_job(source))
    job.status = "Running"
    job.gather_started = utcnow()
    Session.commit()

    assert stop(job.id, editor) == {"id": job.id, "ended": False}
    assert source_status.load_statuses([source])[source].state == "stopping"

    harvester = queue.get_harvester("data_json")
    assert queue.gather_stage(harvester, HarvestJob.get(job.id)) == []
    assert report_of(job.id).outcome == "stopped"


def test_a_gather_whose_worker_is_gone_is_ended_at_once(
    portal: Portal, source: str, editor: str
) -> None:
    job = HarvestJob.get(portal.create_job(source))
    job.status = "Running"
    job.created = job.gather_started = utcnow() - dt.timedelta(hours=1)
    lost = objects.StagedObject(guid="lost", status="errored", error="It cannot be read.")
    objects.add_staged([lost], job.id, source)
    Session.commit()

    assert stop(job.id, editor)["ended"]
    tick()
    assert report_of(job.id).outcome == "stopped"
    assert figures(portal.job(job.id)) == {}


def test_a_record_that_was_taken_up_meanwhile_is_not_imported(
    portal: Portal, source: str, editor: str
) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    first = HarvestObject.get(portal.waiting(job_id)[0])
    with model.meta.engine.begin() as connection:
        connection.execute(JobReport.__table__.update().values(stopped_by="ed"))

    queue.fetch_and_import_stages(queue.get_harvester("data_json"), first)

    assert (first.state, first.report_status) == ("ERROR", "stopped")
    assert portal.datasets() == []


def test_stop_waits_for_the_running_import(portal: Portal, source: str, editor: str) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    under_way = HarvestObject.get(portal.waiting(job_id)[0])
    under_way.state, under_way.import_started = "IMPORT", utcnow()
    Session.commit()

    assert stop(job_id, editor) == {"id": job_id, "ended": False}
    assert HarvestJob.get(job_id).status == "Running"
    HarvestObject.get(under_way.id).state = "COMPLETE"
    Session.commit()
    tick()
    assert HarvestJob.get(job_id).status == "Finished"
    assert report_of(job_id).outcome == "stopped"


def test_stop_refuses_ended_unknown_and_foreign_runs(
    harvested: str, ready_source: SourceMaker, editor: str
) -> None:
    job_id = ready_source.job_id
    with pytest.raises(tk.ValidationError):
        stop(job_id, editor)
    with pytest.raises(tk.ObjectNotFound):
        stop("nothing", editor)
    with pytest.raises(tk.NotAuthorized):
        stop(job_id, factories.User()["name"])


def test_stop_works_for_other_harvesters_too(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = portal.create_job(source)
    assert act("harvest_job_abort", id="parking")["status"] == "Finished"
    assert report_of(first).outcome == "stopped"
    assert act("harvest_job_abort", id=first)["id"] == first
    with pytest.raises(tk.ObjectNotFound):
        act("harvest_job_abort", id="nothing")

    second = portal.create_job(source)
    portal.gather(second)
    done, taken_up, *others = portal.waiting(second)
    HarvestObject.get(taken_up).state = "FETCH"
    Session.commit()
    portal.deliver(done)
    Session.execute(JobReport.__table__.delete())  # other harvesters do not write it
    Session.commit()
    monkeypatch.setattr(config, "our_type_names", frozenset)
    assert stop(second, factories.Sysadmin(name="chief")["name"]) == {"id": second, "ended": True}
    HarvestObject.get(others[0]).state = "WAITING"  # of a gather that continued
    HarvestObject.get(others[0]).report_status = None
    Session.commit()
    for object_id in others:
        portal.deliver(object_id)

    (run,) = act("ukharvest_run_list", source=source, limit=1)["results"]
    assert (run["outcome"], run["stopped_by"], run["counts"]["lost"]) == ("stopped", "chief", 0)
    assert run["seconds"] >= 0
    assert source_status.load_statuses([source])[source].last_outcome == "stopped"
    assert {row.report_status for row in HarvestJob.get(second).objects} == {"added", "stopped"}


def test_documents_are_asked_for_again(portal: Portal, source: str, editor: str) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    assert Session.get(SourceState, source).sync_state["documents"]
    stop(job_id, editor)

    kept = Session.get(SourceState, source).sync_state
    assert (kept["job_id"], kept["documents"]) == (None, {})


def test_stop_after_the_last_record_finishes_the_run(
    portal: Portal, source: str, editor: str
) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)

    if portal.job(job_id)["status"] == "Running":  # a consumer that takes batches has ended it
        assert stop(job_id, editor) == {"id": job_id, "ended": True}

    report = report_of(job_id)
    assert (report.outcome, report.stopped_by, report.reason) == ("finished", "", "")


def test_run_stopped_before_its_message_is_not_read(
    portal: Portal, publisher: Publisher, source: str, editor: str
) -> None:
    job_id = portal.create_job(source)
    stop(job_id, editor)
    ended = HarvestJob.get(job_id).finished
    asked = len(publisher.paths)
    work_off()
    Session.remove()
    assert HarvestJob.get(job_id).gather_finished <= ended
    assert len(publisher.paths) == asked
