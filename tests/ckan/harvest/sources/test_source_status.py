"""Health and last runs of sources, computed from the tables."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import (
    HarvestGatherError,
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
    HarvestSource,
)

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import JobReport, SourceState, Worker, utcnow
from ckanext.ukharvest.harvest.run import outcomes, runs
from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.harvesting import Portal, end_runs, statements
from tests.ckan.migrations import Ckan, tables_before

pytestmark = pytest.mark.in_process

Session = model.Session
URL = "http://127.0.0.1:9/data.json"


def run_of(
    source_id: str, *, hours_ago: float = 1, outcome: str = "finished", **more: Any
) -> HarvestJob:
    """Write an ended run without any records."""
    moment = utcnow() - dt.timedelta(hours=hours_ago)
    job = HarvestJob(source_id=source_id, status=more.pop("status", "Finished"))
    job.created = job.gather_started = job.gather_finished = job.finished = moment
    Session.add(job)
    Session.flush()
    report = JobReport(job_id=job.id, source_id=source_id, outcome=outcome, counts={})
    report.started = report.heartbeat = report.finished = moment
    for key, value in more.items():
        setattr(report, key, value)
    Session.add(report)
    end_runs()
    return job


def lose(job: HarvestJob, status: str = "errored") -> None:
    Session.add(
        HarvestObject(guid="a", job=job, source=job.source, state="ERROR", report_status=status)
    )
    Session.flush()
    outcomes.store_run_results([job.id])
    Session.commit()


def test_a_source_without_runs(portal: Portal) -> None:
    source_id = portal.source(URL)

    found = source_status.load_statuses([source_id])[source_id]

    assert (found.value, found.reason, found.state) == ("new", "no-run", "new")
    assert found.last_id is None
    assert found.good_id is None
    assert found.next_run is None
    assert (found.datasets, found.held) == (0, 0)


def test_failures_in_a_row(portal: Portal) -> None:
    source_id = portal.source(URL)
    good = run_of(source_id, hours_ago=9).id
    first = run_of(source_id, hours_ago=8, outcome="failed", error={"passes": True}).finished
    run_of(source_id, hours_ago=7, stopped_by="someone")
    last = run_of(source_id, hours_ago=6, outcome="failed", error={"passes": True}).id

    found = source_status.load_statuses([source_id])[source_id]

    assert (found.value, found.state, found.since) == ("hiccup", "idle", first)
    assert (found.last_id, found.last_outcome) == (last, "failed")
    assert found.good_id == good

    run_of(source_id, hours_ago=5, outcome="failed", error={"passes": True})
    assert source_status.load_statuses([source_id])[source_id].reason == "failed-often"

    run_of(source_id, hours_ago=4)
    assert source_status.load_statuses([source_id])[source_id].value == "healthy"


def test_a_stopped_run_says_nothing_of_health(portal: Portal) -> None:
    source_id = portal.source(URL)
    failed = run_of(source_id, hours_ago=3, outcome="failed", error={"passes": False}).id
    run_of(source_id, hours_ago=2, stopped_by="someone")

    found = source_status.load_statuses([source_id])[source_id]

    assert found.value == "failing"
    assert found.last_outcome == "stopped"
    assert found.judged_id == failed
    (group,) = call_action("ukharvest_problem_group_list", source_id=source_id)
    assert (group["severity"], group["records"], group["occurrences"]) == ("stop", 0, 1)
    run_of(source_id, hours_ago=1)
    assert call_action("ukharvest_problem_group_list", source_id=source_id) == []


def test_lost_records(portal: Portal) -> None:
    source_id = portal.source(URL)
    lose(run_of(source_id))

    found = source_status.load_statuses([source_id])[source_id]

    assert found.value == "errors"
    assert (found.last_outcome, found.last_lost) == ("errors", 1)


@pytest.mark.parametrize(("status", "expected"), [("added", "finished"), ("", "unchanged")])
def test_a_run_that_changed_nothing_is_called_so(
    portal: Portal, status: str, expected: str
) -> None:
    source_id = portal.source(URL)
    job = run_of(source_id)
    if status:
        lose(job, status)

    last = source_status.load_statuses([source_id])[source_id]
    assert last.last_outcome == expected


def test_figures_of_pruned_runs(portal: Portal) -> None:
    source_id = portal.source(URL)
    job = run_of(source_id, counts={"skipped": 3})
    lose(job)
    Session.query(HarvestObject).delete()
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].value == "errors"
    figures = runs.runs_by_id([job.id])[job.id]
    counts = figures["counts"]
    assert (figures["outcome"], counts["lost"], counts["skipped"]) == ("errors", 1, 3)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param({"seen": 0}, "empty", id="no-records"),
        pytest.param({"seen": 0, "not_asked": 4}, "healthy", id="only-changes-asked-for"),
        pytest.param({}, "healthy", id="nobody-counted"),
        pytest.param({"seen": 2}, "healthy", id="records"),
        pytest.param(
            {"seen": 2, "shortfall": {"records": 9, "of": 11, "asks_after": 1}},
            "shrunk",
            id="nearly-none",
        ),
    ],
)
def test_runs_that_listed_no_records_or_few(
    portal: Portal, counts: dict[str, Any], expected: str
) -> None:
    source_id = portal.source(URL)
    failed = run_of(source_id, hours_ago=3, outcome="failed", error={"passes": True})
    job = run_of(source_id, counts=counts)

    found = source_status.load_statuses([source_id])[source_id]

    assert found.value == expected
    figures = runs.runs_by_id([job.id])[job.id]
    assert found.last_outcome == figures["outcome"]
    assert (figures["outcome"] in ("empty", "shrunk")) == (expected != "healthy")
    assert (found.good_id is None) == (expected == "empty")
    if expected == "empty":  # it does not count against the failures before it
        run_of(source_id, hours_ago=0.5, outcome="failed", error={"passes": True})
        found = source_status.load_statuses([source_id])[source_id]
        assert (found.failures, found.since) == (2, failed.finished)


def test_runs_of_other_harvesters(portal: Portal) -> None:
    source_id = portal.source(URL)
    job = HarvestJob(source_id=source_id, status="Finished")
    Session.add(job)
    Session.flush()
    Session.add(HarvestGatherError(harvest_job_id=job.id, message="no answer"))
    end_runs()
    assert source_status.load_statuses([source_id])[source_id].value == "failing"

    # Which save errors of records that they import all the same.
    job = HarvestJob(source=HarvestSource.get(source_id), status="Finished")
    imported = HarvestObject(guid="a", job=job, source=job.source, report_status="added")
    Session.add(HarvestObjectError(object=imported, message="no date"))
    end_runs()
    figures = runs.runs_by_id([job.id])[job.id]
    last = source_status.load_statuses([source_id])[source_id]
    assert (figures["outcome"], last.last_outcome) == ("finished", "finished")
    assert (figures["counts"]["lost"], figures["stats"]["errored"]) == (0, 1)

    # And whose jobs older versions of ckanext-harvest ended as aborted.
    job.status = "Aborted"
    Session.commit()
    last = source_status.load_statuses([source_id])[source_id]
    assert (runs.runs_by_id([job.id])[job.id]["outcome"], last.last_outcome) == (
        "stopped",
        "stopped",
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"status": "New", "gather_started": None}, "queued", id="queued"),
        pytest.param({"status": "Running", "gather_started": None}, "queued", id="sent"),
        pytest.param({"status": "Running", "gather_finished": None}, "gathering", id="reading"),
        pytest.param({"status": "Running"}, "finishing", id="all-in"),
    ],
)
def test_states_of_a_run(portal: Portal, fields: dict[str, Any], expected: str) -> None:
    source_id = portal.source(URL)
    job = run_of(source_id, hours_ago=0.01, outcome="")
    for key, value in fields.items():
        setattr(job, key, value)
    Session.commit()

    assert source_status.load_statuses([source_id])[source_id].state == expected


def test_importing_stopping_and_stuck(portal: Portal) -> None:
    source_id = portal.source(URL)
    job = run_of(source_id, hours_ago=0.01, status="Running")
    waiting = HarvestObject(guid="a", job=job, source=job.source)
    waiting.state = "WAITING"
    Session.add(waiting)
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "importing"

    Session.query(JobReport).one().mode = "approval"
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "deleting"

    report = Session.query(JobReport).one()
    report.stopped_by = "someone"
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "stopping"

    job.created = job.gather_started = job.gather_finished = utcnow() - dt.timedelta(hours=1)
    report.heartbeat = job.created
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "stuck"

    # Its records are queued after those of another run.
    report.stopped_by = ""
    worker = {"kind": "fetch", "started": utcnow(), "heartbeat": utcnow(), "busy_with": "other"}
    Session.add(Worker(id="w", **worker))
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "deleting"


def test_late_since_the_clock_did_not_start_it(portal: Portal) -> None:
    source_id = portal.source(URL, frequency="WEEKLY")
    run_of(source_id, hours_ago=24 * 90)
    source, package = HarvestSource.get(source_id), model.Package.get(source_id)
    source.next_run = due = utcnow() - dt.timedelta(hours=2)
    package.metadata_modified = utcnow() - dt.timedelta(days=90)
    Session.commit()
    found = source_status.load_statuses([source_id])[source_id]
    assert (found.value, found.since) == ("late", due)

    package.metadata_modified = utcnow()  # it was switched on, or got a schedule
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].value == "healthy"


def test_switched_off_and_checked(portal: Portal) -> None:
    source_id = portal.source(URL)
    Session.add(SourcePreview(id="t", user_name="someone", source_id=source_id, state="running"))
    Session.commit()
    assert source_status.load_statuses([source_id])[source_id].state == "checking"

    HarvestSource.get(source_id).active = False
    Session.commit()
    found = source_status.load_statuses([source_id])[source_id]
    assert (found.state, found.value) == ("off", "off")


def test_four_statements_however_many(portal: Portal) -> None:
    ids = [portal.source(f"{URL}?{number}") for number in range(3)]
    for source_id in ids:
        lose(run_of(source_id))
    Session.remove()

    with statements() as sent:
        found = source_status.load_statuses()

    assert sorted(found) == sorted(ids)
    assert len(sent) <= 4
    assert source_status.load_statuses([]) == {}


def test_sources_have_the_same_status_after_the_migration(portal: Portal, ckan: Ckan) -> None:
    shortfall = {"records": 9, "of": 11, "asks_after": 1}
    ids = [portal.source(f"{URL}?{number}") for number in range(4)]
    run_of(ids[0], hours_ago=9)
    run_of(ids[0], hours_ago=8, outcome="failed", error={"passes": True})
    run_of(ids[0], hours_ago=7, stopped_by="someone")
    run_of(ids[1], counts={"seen": 2, "shortfall": shortfall})
    lose(run_of(ids[2]))

    def stored() -> dict[str, Any]:
        Session.remove()
        return dict(Session.execute(sa.select(SourceState.source_id, SourceState.runs)).all())

    before = stored()
    assert [source_status.load_statuses([id_])[id_].value for id_ in ids] == [
        *("hiccup", "shrunk", "errors", "new")
    ]
    with tables_before("0208", ckan):
        pass
    assert {id_: runs for id_, runs in stored().items() if runs} == {
        id_: runs for id_, runs in before.items() if runs
    }
