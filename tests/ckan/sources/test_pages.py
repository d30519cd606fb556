"""A source's page: status, health, runs; for members and for everybody."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource
from freezegun import freeze_time

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import JobReport, Pending, utcnow
from tests.ckan import reads
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, statements
from tests.ckan.people import member
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PAGE = "/harvest/parking"
Session = model.Session
# Half of them CKAN's own: for the user and permissions.
MOST_STATEMENTS = 60


def at_one_moment(test: Callable[..., None]) -> Callable[..., None]:
    """Let the clock stand still during a test of what pages say about how long something takes."""

    @functools.wraps(test)
    def still(**fixtures: Any) -> None:
        with freeze_time(utcnow()):
            test(**fixtures)

    return still


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    return portal.source(publisher.url(PATH), name="parking", frequency="DAILY")


@pytest.fixture
def harvested_source(ready_source: SourceMaker) -> str:
    """Return the same source after a run that added its three datasets."""
    return ready_source(PATH, catalogue(3), name="parking", frequency="DAILY")


def test_tabs_are_for_who_looks_after_the_source(
    app: CKANTestApp, source: str, organization: dict[str, str]
) -> None:
    outsider = {"Authorization": factories.UserWithToken()["token"]}
    reader, editor = (member(organization, role)["headers"] for role in ("member", "editor"))
    shown = [
        "ukharvest-tab" in app.get(PAGE, headers=headers).body
        for headers in ({}, outsider, reader, editor)
    ]
    assert shown == [False, False, False, True]


@pytest.fixture
def editor(organization: dict[str, str]) -> dict[str, str]:
    return dict(member(organization, name="ed")["headers"])


def show_source(source: str, user: str = "") -> dict[str, Any]:
    Session.remove()
    context = {"user": user} if user else {"ignore_auth": True}
    found: dict[str, Any] = tk.get_action("ukharvest_source_show")(context, {"source_id": source})
    return found


def run_under_way(portal: Portal, source: str, **fields: Any) -> HarvestJob:
    """Make a run that has not ended, without a consumer."""
    job = HarvestJob.get(portal.create_job(source))
    job.status = "Running"
    for key, value in fields.items():
        setattr(job, key, value)
    Session.commit()
    return job


def test_before_the_first_run(app: CKANTestApp, source: str, editor: Any) -> None:
    page = app.get(PAGE, headers=editor).body
    assert "No finished run yet" in page
    assert "Start first run" in page
    found = show_source(source)
    assert (found["state"], found["health"], found["actions"]) == ("new", "new", ["start", "check"])


def test_after_a_good_run(app: CKANTestApp, harvested_source: str, editor: Any) -> None:
    found = show_source(harvested_source)
    assert (found["state"], found["health"], found["datasets"]) == ("idle", "healthy", 3)
    assert found["heading"] == "Healthy"
    assert found["text"] == ["Last run: just now", "Added: 3"]
    assert found["last_good_run"]["id"] == found["last_run"]["id"]
    page = app.get(PAGE, headers=editor).body
    assert page.count("<h1") == 1
    assert "Run now" in page
    assert "Started" in page
    assert "/api/3/action/ukharvest_source_show?source_id=parking" in page


def test_source_page_counts_failed_records(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="")]))
    portal.run(source)
    found = show_source(source)
    assert found["heading"] == "Some records failed: 1"
    assert found["actions"][0] == "mend"


def test_a_failed_run(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, editor: Any
) -> None:
    publisher.serve(PATH, "<html>Sign in</html>")
    portal.run(source)
    found = show_source(source)
    assert found["health"] == "failing"
    assert found["heading"].startswith("Failing: ")
    assert "Nothing was imported, and nothing was deleted." in found["text"]
    assert found["actions"][0] == "settings"
    assert "Correct the URL" in app.get(PAGE, headers=editor).body


def test_a_failure_that_often_passes(portal: Portal, publisher: Publisher, source: str) -> None:
    publisher.serve(PATH, status=503)
    portal.run(source)
    assert show_source(source)["health"] == "hiccup"
    portal.run(source)
    portal.run(source)
    found = show_source(source)
    assert (found["health"], found["failures"]) == ("failing", 3)
    assert found["heading"].startswith("Failing: ")
    assert any(re.fullmatch("Failed runs since .+: 3", text) for text in found["text"])


def test_held_deletions(
    app: CKANTestApp, portal: Portal, publisher: Publisher, harvested_source: str, editor: Any
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(harvested_source)
    portal.run(harvested_source)
    found = show_source(harvested_source)
    assert found["heading"] == "Waiting for a decision: 2 datasets would be deleted"
    assert (found["state"], found["held"], found["actions"][0]) == ("held", 2, "review")
    assert found["text"][0].startswith("2 of 3 datasets are no longer in the source, or ")
    assert found["text"][-1].startswith("Nothing has been deleted.")
    assert f"{PAGE}/deletions" in app.get(PAGE, headers=editor).body


def test_kept_datasets_are_counted_until_they_are_given_up(
    app: CKANTestApp, portal: Portal, publisher: Publisher, harvested_source: str
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(harvested_source)
    portal.run(harvested_source)
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    app.post(f"{PAGE}/deletions", headers=headers, data={"choice": "keep", "version": _version()})
    assert show_source(harvested_source)["kept"] == 2
    assert f'href="{PAGE}/deletions#kept">2</a>' in app.get(PAGE, headers=headers).body
    page = app.get(f"{PAGE}/deletions", headers=headers).body
    assert "2 datasets are kept" in page
    assert f"{PAGE}/problems?outcome=kept#records" in page
    app.post(f"{PAGE}/deletions", headers=headers, data={"choice": "withdraw"})
    shown = show_source(harvested_source)
    assert (shown["kept"], shown["held"]) == (0, 0)
    assert any("2 records are not in the source, or its settings" in each for each in shown["text"])
    portal.run(harvested_source)
    assert show_source(harvested_source)["held"] == 2


def _version() -> str:
    return str(call_action("ukharvest_pending_list", source_id="parking")["version"])


def test_source_page_has_options_and_links_to_problems(
    app: CKANTestApp, portal: Portal, publisher: Publisher, editor: Any
) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, modified="soon")]))
    options = {"max_resources": 7}
    source = portal.source(publisher.url(PATH), name="parking", frequency="DAILY", config=options)
    portal.run(source)
    page = app.get(PAGE, headers=editor).body
    assert re.search(r"<dt>[^<]+</dt><dd>7</dd>", page)
    assert "<dt>How often</dt><dd>Daily</dd>" in page
    assert len(re.findall("> *Healthy", page)) == 1  # said once, by the heading
    assert f'href="{PAGE}/problems?code=bad-date&amp;field=modified#records"' in page
    assert "<dd>7</dd>" not in app.get(PAGE).body


def test_a_run_that_proved_nothing_says_why(
    portal: Portal, publisher: Publisher, harvested_source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, identifier="")]))
    portal.run(harvested_source)
    report = Session.query(JobReport).order_by(JobReport.id.desc()).first()
    assert report.reason
    text = show_source(harvested_source)["text"][-1].lower()
    assert text == f"{report.reason}.".lower().replace("..", ".")


@at_one_moment
def test_a_run_from_queue_to_end(
    app: CKANTestApp, portal: Portal, source: str, editor: Any
) -> None:
    job = HarvestJob.get(portal.create_job(source))
    queued = show_source(source)
    assert queued["state"] == "queued"
    assert queued["heading"] == "Scheduled to start within 10 minutes"

    job = HarvestJob.get(job.id)
    job.status, job.gather_started = "Running", utcnow()
    Session.add(JobReport(job_id=job.id, source_id=source, counts={"seen": 400}))
    Session.commit()
    reading = show_source(source)
    assert (reading["state"], reading["progress"]["seen"]) == ("gathering", 400)
    assert reading["text"][0] == "Records: 400"

    now = utcnow()
    job = HarvestJob.get(job.id)
    for number in range(20):
        obj = HarvestObject(guid=str(number), job=job, source=job.source, state="WAITING")
        obj.fetch_started = now - dt.timedelta(seconds=60)
        if number < 15:
            obj.state, obj.import_finished = "COMPLETE", now
        Session.add(obj)
    job.gather_finished = now
    Session.commit()
    importing = show_source(source)
    assert importing["heading"] == "Importing: 15 of 20"
    assert (importing["progress"]["done"], importing["progress"]["total"]) == (15, 20)
    assert 15 <= importing["progress"]["eta_seconds"] <= 25
    page = app.get(PAGE, headers=editor).body
    assert 'aria-valuenow="75"' in page
    assert f"{PAGE}/job/{job.id}/abort" in page
    assert "every 5s" in page


def test_a_run_is_scheduled_until_a_consumer_takes_it(portal: Portal, source: str) -> None:
    run_under_way(portal, source)
    shown = show_source(source)
    assert (shown["state"], shown["heading"]) == ("queued", "Scheduled"), "cron need not start it"
    (run,) = call_action("ukharvest_run_list", source=source)["results"]
    assert run["outcome"] == "queued"
    job = call_action("harvest_job_show", id=run["id"])
    assert (job["status"], job.get("ukharvest", run)["outcome"]) == ("Running", "queued")


def test_a_run_that_does_not_move(portal: Portal, source: str) -> None:
    old = utcnow() - dt.timedelta(minutes=40)
    run_under_way(portal, source, created=old, gather_started=old)
    found = show_source(source)
    assert (found["state"], found["heading"]) == ("stuck", "Stuck")
    assert found["text"][0] == "Last progress: 40 minutes ago"
    assert found["actions"] == ["stop"]


def test_overdue_off_and_checked(portal: Portal, source: str) -> None:
    long_ago = utcnow() - dt.timedelta(days=4)
    HarvestSource.get(source).next_run = long_ago
    Session.get(model.Package, source).metadata_modified = long_ago
    Session.commit()
    found = show_source(source)
    assert found["health"] == "late"
    assert found["heading"].startswith("Late: was due ")

    Session.add(SourcePreview(id="t", user_name="ed", source_id=source, state="running", done=7))
    Session.commit()
    shown = show_source(source)
    assert shown["text"] == ["7 records read"]
    assert shown["actions"] == ["watch", "refresh"], "no run is under way"

    call_action("harvest_source_delete", {"user": factories.Sysadmin()["name"]}, id=source)
    assert (show_source(source)["state"], show_source(source)["actions"]) == ("off", ["switch_on"])


@at_one_moment
def test_the_live_part(app: CKANTestApp, portal: Portal, source: str, editor: Any) -> None:
    begun = utcnow() - dt.timedelta(seconds=150)  # "Running for 2 min"
    run_under_way(portal, source, created=begun, gather_started=begun)
    first = app.get(f"{PAGE}/state", headers=editor, status=200)
    assert "Reading the list" in first.body
    assert "<html" not in first.body
    assert "data-ukharvest-calm" not in first.body

    def asked_for(body: str) -> str:
        fields = re.findall(r'name="(since|runs)" value="([^"]*)"', body)
        return f"{PAGE}/state?{urlencode(fields)}"

    page = app.get(PAGE, headers=editor).body
    assert app.get(asked_for(page), headers=editor).status_code == 204
    # A reader below the card when the run began still has the old list of runs.
    late = app.get(f"{PAGE}/state?since={show_source(source)['version']}", headers=editor).body
    assert 'id="ukharvest-follows" hx-swap-oob' in late
    job = Session.query(HarvestJob).one()
    job.status, job.finished = "Finished", utcnow()
    Session.commit()
    ended = app.get(asked_for(page), headers=editor, status=200).body
    assert "data-ukharvest-calm" in ended
    assert ended.count("<tr") == 2
    assert "No problems found." in ended
    assert app.get(asked_for(ended), headers=editor).status_code == 204


def test_an_open_page_of_who_is_no_longer_logged_in(app: CKANTestApp, source: str) -> None:
    # The script would put the login page in place of the card.
    part = {"HX-Request": "true"}
    for address in (f"{PAGE}/state", "/ckan-admin/ukharvest/state"):
        answer = app.get(address, headers=part, follow_redirects=False)
        assert (answer.status_code, answer.body) == (403, "")
    answer = app.post(f"{PAGE}/notifications/test", follow_redirects=False)
    assert answer.headers["Location"].endswith("/user/login?came_from=/harvest/parking")


def test_outsiders_see_the_source_and_its_datasets_alone(
    app: CKANTestApp, portal: Portal, publisher: Publisher, harvested_source: str
) -> None:
    publisher.serve(PATH, status=404)
    portal.run(harvested_source)
    # A user's picture would have a random size, which can be the number searched for below.
    stranger = factories.UserWithToken(image_url="")
    for headers in ({}, {"Authorization": stranger["token"]}):
        page = app.get(PAGE, headers=headers).body
        assert "3 datasets come from this source." in page
        assert "Dataset 00001" in page
        # Not the digits alone: a port can hold them.
        assert not re.search(r"\b404\b", page)
        for word in ("Run now", "Failed", "failed", "Runs</a>", "Edit</a>", "Notifications"):
            assert word not in page
        assert re.search(r"<dt>Added to this site</dt><dd>\s*<time", page)
        about = app.get("/harvest/about/parking", headers=headers, follow_redirects=False)
        assert about.headers["Location"].endswith(PAGE)
        assert "Dataset 00001" in app.get(f"{PAGE}/datasets", headers=headers).body
    found = show_source(harvested_source, stranger["name"])
    assert found["datasets"] == 3
    assert not {"state", "health", "last_run", "heading"} & found.keys()
    for page in (f"{PAGE}/job", f"{PAGE}/state", "/harvest/admin/parking"):
        app.get(page, headers={"Authorization": stranger["token"]}, status=403)
        answer = app.get(page, follow_redirects=False)
        assert answer.status_code == 302
        assert "/user/login?came_from=" in answer.headers["Location"]
    app.get("/harvest/nothing", status=404)


def test_the_list_of_runs(app: CKANTestApp, portal: Portal, source: str, editor: Any) -> None:
    for _ in range(2):
        portal.run(source)
    few = app.get(f"{PAGE}/job", headers=editor).body
    assert few.count('id="job-') == 2
    assert "<rect" not in few
    for _ in range(3):
        portal.run(source)
    page = app.get(f"{PAGE}/job", headers=editor).body
    assert ">Admin<" not in page
    assert "<title>Runs - Source 1 - CKAN</title>" in " ".join(page.split())
    assert page.count("<h1") == 1
    assert page.count("<rect") == 5  # three added; three unchanged, four times
    assert "Nothing changed" in page
    listed = call_action("ukharvest_run_list", source="parking")["results"]
    assert [row["outcome"] for row in listed] == ["unchanged"] * 4 + ["finished"]
    assert listed[-1]["counts"]["added"] == 3
    assert listed[0]["counts"]["unchanged"] == 3


def test_source_page_says_who_requested_the_run(
    app: CKANTestApp, portal: Portal, source: str, editor: Any
) -> None:
    answer = app.post("/harvest/refresh/parking", headers=editor, follow_redirects=False)
    assert answer.headers["Location"].endswith(PAGE)
    found = show_source(source)
    assert found["progress"]["asked_by"] == "ed"
    assert found["text"][0] == "Started by: ed"
    # The banner itself: test_source_browser.py. The client of CKAN 2.11 loses it.
    page = app.post("/harvest/refresh/parking", headers=editor).body
    assert "No run was started: one is waiting or running already." in page
    assert Session.query(HarvestJob).count() == 1


def test_a_full_run_asks_first(app: CKANTestApp, source: str, editor: Any) -> None:
    page = app.get("/harvest/refresh/parking?mode=force", headers=editor).body
    assert "Run again in full: Source 1" in page
    app.post("/harvest/refresh/parking?mode=force", headers=editor)
    assert Session.query(JobReport).one().mode == "force"


def test_off_and_on_again(app: CKANTestApp, harvested_source: str, editor: Any) -> None:
    app.get(f"{PAGE}/switch-off", headers=editor)
    assert show_source(harvested_source)["state"] == "idle"
    app.post(f"{PAGE}/switch-off", headers=editor)
    assert show_source(harvested_source)["state"] == "off"
    assert "Switch on" in app.get(PAGE, headers=editor).body
    app.get(PAGE, status=404)
    page = app.post("/harvest/refresh/parking", headers=editor).body
    assert "The source is switched off: switch it on first." in page
    app.post(f"{PAGE}/switch-on", headers=editor)
    assert show_source(harvested_source)["state"] == "idle"
    app.get(PAGE, status=200)


def test_a_bounded_number_of_statements(
    app: CKANTestApp, portal: Portal, publisher: Publisher, harvested_source: str, editor: Any
) -> None:
    def cost(address: str) -> int:
        Session.remove()
        with statements() as sent:
            app.get(address, headers=editor)
        return len(sent)

    pages = (PAGE, f"{PAGE}/state", f"{PAGE}/job")
    before = [cost(page) for page in pages]
    assert max(before) <= MOST_STATEMENTS, before
    publisher.serve(PATH, catalogue(12))
    for _ in range(4):
        portal.run(harvested_source)
    after = [cost(page) for page in pages]
    assert all(new <= old + 2 for new, old in zip(after, before, strict=True)), (before, after)


def test_held_deletions_without_a_record_count_none(portal: Portal, source: str) -> None:
    Session.add(Pending(source_id=source, kind="deletion", guid="gone"))
    Session.commit()
    assert show_source(source)["held"] == 0  # no such record: nothing left to delete


@pytest.mark.giant
def test_ten_thousand_records_are_not_slow(
    app: CKANTestApp, portal: Portal, harvested_source: str, editor: Any
) -> None:
    job = HarvestJob.get(portal.create_job(harvested_source))
    job.status, job.gather_started, job.gather_finished = "Running", utcnow(), utcnow()
    Session.flush()
    many = sa.text(
        """
        INSERT INTO harvest_object (id, guid, current, state, report_status, harvest_job_id,
                                    harvest_source_id, retry_times)
        SELECT md5(n::text), n::text, false, CASE WHEN n > 9000 THEN 'WAITING' ELSE 'COMPLETE' END,
               'added', :job, :source, 0
          FROM generate_series(1, 10000) AS n
        """
    )
    Session.execute(many, {"job": job.id, "source": harvested_source})
    Session.commit()

    reads.check(app, [PAGE, f"{PAGE}/state", f"{PAGE}/job"], editor)
    assert "Importing: 9,000 of 10,000" in app.get(PAGE, headers=editor).body
    assert len(app.get(PAGE, headers=editor).body) < 200_000
