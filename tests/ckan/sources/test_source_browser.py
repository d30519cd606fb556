"""A source's pages in a browser, at both widths, and the part that refreshes itself."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestJob, HarvestObject
from playwright.sync_api import expect

from ckanext.ukharvest.harvest.model import JobReport, utcnow
from tests.ckan.browser import SECONDS, Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, work_off
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PAGE = "/harvest/parking"
STATE = f"{PAGE}/state"
POLLING = 6_000  # milliseconds, a little more than between two requests of the part
Session = model.Session


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    return portal.source(publisher.url(PATH), name="parking", frequency="DAILY")


def importing(portal: Portal, source: str, done: int) -> str:
    """Make a run that has processed this many of twenty records, without a consumer."""
    job = HarvestJob.get(portal.create_job(source))
    now = utcnow()
    job.status, job.gather_started, job.gather_finished = "Running", now, now
    Session.add(JobReport(job_id=job.id, source_id=source, counts={}))
    for number in range(20):
        obj = HarvestObject(guid=str(number), job=job, source=job.source, state="WAITING")
        obj.fetch_started = now
        obj.state = "COMPLETE" if number < done else "WAITING"
        Session.add(obj)
    Session.commit()
    return str(job.id)


def test_a_run_is_followed_without_reload(manager: Visitor, portal: Portal, source: str) -> None:
    portal.run(source)
    job_id = importing(portal, source, 5)
    page = manager.page
    page.clock.install()
    page.goto(PAGE)
    page.get_by_text("Importing: 5 of 20").wait_for()
    token = factories.SysadminWithToken(image_url="")["token"]
    page.context.set_extra_http_headers({})  # logged out in another window
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if STATE in request.url else None)
    page.clock.fast_forward(POLLING)
    page.get_by_text("Updates have stopped.").wait_for(timeout=SECONDS)
    assert len(asked) == 1
    expect(page.locator(".toast, input[name=password]")).to_have_count(0)
    page.context.set_extra_http_headers({"Authorization": token})
    page.get_by_role("link", name="Reload this page").click()
    page.get_by_text("Importing: 5 of 20").wait_for()

    page.evaluate("window.mark = 1")
    for obj in Session.query(HarvestObject).filter_by(harvest_job_id=job_id):
        obj.state = "COMPLETE"
    Session.commit()
    page.locator("#ukharvest-state a").first.focus()  # it is not taken from under the hand
    asked.clear()
    page.clock.fast_forward(POLLING)
    assert page.evaluate("document.activeElement.closest('#ukharvest-state') !== null")
    assert asked == []
    page.evaluate("document.activeElement.blur()")
    # As in a tab behind others.
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.clock.fast_forward(POLLING)
    assert asked == []
    page.evaluate("delete document.hidden")
    page.clock.fast_forward(POLLING)
    page.get_by_role("heading", name="Finishing").wait_for(timeout=SECONDS)
    told = page.locator("[data-ukharvest-told=ukharvest-state]")
    assert told.text_content() == "Finishing"
    page.get_by_role("button", name="Stop refreshing this page").click()
    page.get_by_role("button", name="Refresh this page again").click()
    expect(page.get_by_role("cell", name="Running")).to_have_count(1)
    job = HarvestJob.get(job_id)
    job.status, job.finished = "Finished", utcnow()
    Session.query(JobReport).filter_by(job_id=job_id).one().outcome = "finished"
    Session.commit()
    page.clock.fast_forward(POLLING)
    page.get_by_role("heading", name="Healthy").wait_for(timeout=SECONDS)
    expect(page.get_by_role("cell", name="Running")).to_have_count(0)  # nor in the list below
    assert page.evaluate("window.mark") == 1
    expect(page.get_by_role("button", name="Stop refreshing this page")).not_to_be_visible()


def test_refresh_and_stop_by_hand(
    manager: Visitor, portal: Portal, publisher: Publisher, source: str
) -> None:
    page = manager.page
    page.goto(PAGE)
    page.get_by_role("button", name="Start first run").click()
    page.get_by_text("Run requested").wait_for()
    page.get_by_role("link", name="Stop").click()
    page.get_by_role("button", name="Stop the run").click()
    page.get_by_text("The run was stopped.").wait_for()
    work_off()
    assert [request for request in publisher.requests if request.path == PATH] == []
    expect(page.get_by_role("heading", name="Stopped")).to_have_count(1)
    page.goto("/harvest/clear/parking")
    page.get_by_label("To go on, type the name of the source: parking").fill("else")
    page.get_by_role("button", name="Delete all its datasets").click()
    page.locator("#confirm-error").wait_for()
    manager.picture("source-clear-error")


def test_without_scripts(plain: Any, portal: Portal, source: str) -> None:
    importing(portal, source, 5)
    plain.goto(PAGE)
    plain.get_by_role("link", name="Reload this page for the latest").click()
    expect(plain.get_by_text("Importing: 5 of 20").first).to_be_visible()
    expect(plain.get_by_role("button", name="Stop refreshing this page")).not_to_be_visible()
