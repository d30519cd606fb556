"""Pages that no other browser test covers: empty, ten thousand rows, hostile texts, all states."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.doctor import dashboard
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import JobReport, Pending, Record, Worker, utcnow
from tests.ckan import crowd, looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal, act, end_runs
from tests.ckan.sources.many_sources import many as many_sources
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PAGE = "/harvest/parking"
Session = model.Session


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    return portal.source(publisher.url(PATH), name="parking", frequency="DAILY")


@pytest.mark.giant
def test_ten_thousand_of_everything(
    manager: Visitor, portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(25))  # more than a page of datasets
    portal.run(source)
    run = crowd.fill(source, portal.organization_id)
    many_sources(2000, portal.organization_id)
    seen = act("ukharvest_pending_list", source_id=source)["version"]
    record = crowd.first_record(source)
    name = Session.get(Record, record).package_id
    pages = {
        "source": PAGE,
        "datasets": f"{PAGE}/datasets",
        "runs": f"{PAGE}/job?page=200",
        "run": f"{PAGE}/job/{run}",
        "run-code": f"{PAGE}/job/{run}?code=bad-date&page=20",
        "problems": f"{PAGE}/problems",
        "deletions": f"{PAGE}/deletions?page=100",
        "deletions-delete": f"{PAGE}/deletions/delete?version={seen}",
        "record": f"{PAGE}/record/{record}",
        "changes": f"/dataset/{name}/harvest-changes",
        "list": "/harvest/?page=50",
        "dashboard": "/ckan-admin/ukharvest",
    }
    looks.check_all(manager, "many", pages)


def test_nothing_there(manager: Visitor, portal: Portal, source: str) -> None:
    run = act("harvest_job_create", source_id=source, run=False)["id"]
    looks.check(manager, "none-run-waits", f"{PAGE}/job/{run}")
    Session.query(HarvestJob).update({"status": "Finished", "finished": utcnow()})
    Session.commit()
    pages = {
        "run": f"{PAGE}/job/{run}",
        "run-filter": f"{PAGE}/job/{run}?outcome=lost",
        "datasets": f"{PAGE}/datasets",
        "problems": f"{PAGE}/problems",
        "deletions": f"{PAGE}/deletions",
    }
    looks.check_all(manager, "none", pages)
    Session.query(HarvestJob).delete()
    Session.commit()
    looks.check(manager, "none-runs", f"{PAGE}/job")
    looks.check(manager, "none-stars", "/harvest/stars")
    asked = {
        "refresh": "/harvest/refresh/parking",
        "force": "/harvest/refresh/parking?mode=force",
        "switch-off": f"{PAGE}/switch-off",
        "delete-and-clear": "/harvest/delete/parking?clear=True",
    }
    looks.check_all(manager, "ask", asked)
    manager.page.context.set_extra_http_headers({})
    looks.check(manager, "none-public", PAGE)


def run_of(source: str, status: str, minutes: float, **report: Any) -> HarvestJob:
    """Make the only run of a source, as it was left so many minutes ago."""
    Session.query(HarvestObject).delete()
    Session.query(JobReport).delete()
    Session.query(HarvestJob).filter_by(source_id=source).delete()
    then = utcnow() - dt.timedelta(minutes=minutes)
    job = HarvestJob(source_id=source, status=status, created=then)
    if status != "New":
        job.gather_started = then
    if status == "Finished":
        job.gather_finished = job.finished = then
    Session.add(job)
    Session.flush()
    Session.add(JobReport(job_id=job.id, source_id=source, started=then, **report))
    end_runs()
    return job


# tests/ckan/sources: test_pages.py has the headings, test_source_browser.py the looks.
@pytest.mark.giant
def test_every_state_of_a_source(manager: Visitor, portal: Portal, source: str) -> None:
    def check_state(name: str, heading: str) -> None:
        looks.check(manager, f"state-{name}", PAGE)
        assert heading in manager.page.locator(".ukharvest-card h2").first.inner_text()

    error = {"code": "http-status", "message": "The server answered 503", "passes": True}
    before = HarvestJob(source_id=portal.source("https://other.example/"), status="New")
    before.created = utcnow() - dt.timedelta(minutes=2)
    Session.add(before)
    run_of(source, "New", 1, asked_by="somebody")
    check_state("queued", "Scheduled")
    run_of(source, "Running", 3, counts={"seen": 1234})
    check_state("gathering", "Reading the list")
    run_of(source, "Running", 3, stopped_by="somebody")
    check_state("stopping", "Stopping")
    run_of(source, "Running", 90)
    check_state("stuck", "Stuck")
    run_of(source, "Finished", 90, outcome="failed", error=error)
    check_state("hiccup", "Last run failed")
    run_of(source, "Finished", 90, outcome="failed", error={**error, "passes": False})
    check_state("failing", "Failing")
    run_of(source, "Finished", 4 * 24 * 60, outcome="finished", complete=True)
    due = utcnow() - dt.timedelta(days=3)
    HarvestSource.get(source).next_run = Session.get(model.Package, source).metadata_modified = due
    Session.commit()
    check_state("late", "Late: was due")
    Session.add(SourcePreview(id="t", user_name="x", source_id=source, state="running", done=1234))
    Session.commit()
    check_state("checking", "Test in progress")
    HarvestSource.get(source).active = False
    Session.commit()
    check_state("off", "Switched off")


def spoil(source: str, organization_id: str) -> str:
    """Put hostile texts wherever a page shows a text; return the source's last run."""
    texts, long = looks.HOSTILE, " ".join(looks.HOSTILE)
    organization = Session.get(model.Group, organization_id)
    organization.title = texts[0] + texts[2]
    package = Session.get(model.Package, source)
    package.title, package.notes = texts[0] + texts[4], texts[3]
    HarvestSource.get(source).url = package.url = texts[1]
    report = Session.query(JobReport).order_by(JobReport.id.desc()).first()
    report.outcome, report.reason, report.error = "failed", long, {"code": "x", "message": long}
    report.asked_by, report.stopped_by = texts[2], ""
    other = Session.query(JobReport).order_by(JobReport.id).first()
    other.stopped_by = texts[0]
    guids = [guid for (guid,) in Session.query(Record.guid).limit(3)]
    Session.query(Record).filter(Record.guid.in_(guids)).update({"missed_runs": 2})
    report.waits = {"reason": long}
    waits = {"source_id": source, "kind": "deletion", "job_id": report.job_id}
    Session.add_all(Pending(guid=guid, **waits) for guid in guids)
    asked = {"method": "GET", "url": texts[1], "status": 200, "media_type": texts[0]}
    asked |= {"to": texts[2], "size": 1, "seconds": 2}
    problem = {"code": "x", "severity": "problem", "title": texts[0], "records": 2, "tip": ""}
    problem["examples"] = [{"guid": texts[2], "title": "", "message": long}]
    Session.add(Worker(id=f"{texts[0]}:12:1", kind="fetch", busy_with=texts[2]))
    http_client.delete_from_redis(dashboard.SNAPSHOT)
    check = Session.query(SourcePreview).order_by(SourcePreview.created).first()  # not the move's
    check.user_name = texts[0]
    check.result = {**check.result, "asked": [asked], "excerpt": long} | {
        "problems": [problem],
        "detected_label": texts[0],
        "suggested_url": texts[1],
    }
    Session.commit()
    return str(report.job_id)


def test_a_dataset_whose_record_or_source_is_gone(
    manager: Visitor, portal: Portal, publisher: Publisher
) -> None:
    publisher.serve("/record.xml", gemini("rivers", "Rivers").encode())
    source = portal.source(publisher.url("/record.xml"), "gemini-single", name="parking")
    portal.run(source)
    [shown] = portal.datasets()
    page = f"/dataset/{shown['name']}"
    looks.check(manager, "source-record", f"{page}/source-record", is_own=False)
    looks.check(manager, "stars", "/harvest/stars?organization=somewhere-council")
    looks.check(manager, "dataset-edit", f"/dataset/edit/{shown['name']}", is_own=False)
    looks.check(manager, "organisation", "/organization/somewhere-council", region=".nav-tabs")
    Session.query(Record).update({"missed_runs": 2})
    Session.commit()
    looks.check(manager, "dataset-missing", page)
    act("harvest_source_delete", id=source)
    looks.check(manager, "dataset-off", page)
    looks.check(manager, "ask-switch-on", f"{PAGE}/switch-on")
