"""The sysadmin's dashboard, notice and metrics."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestGatherError, HarvestJob
from lxml import html

from ckanext.ukharvest.doctor import dashboard as snapshot
from ckanext.ukharvest.harvest import daily_figures, http_client
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.dashboards import PAGE, PATH, dashboard, stuck_run
from tests.ckan.doctor.findings import make_worker
from tests.ckan.harvesting import Portal, end_runs, statements, tick
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_a_portal_on_its_first_day(app: CKANTestApp, sysadmin: dict[str, str]) -> None:
    found = dashboard()
    assert {each["code"] for each in found["attention"]} >= {"workers", "cron"}
    assert found["workers"] == found["runs"] == []
    assert (found["queues"]["gather"], found["queues"]["fetch"]) == (0, 0)
    assert sum(found["health"].values()) == 0
    json.dumps(found)
    page = app.get(PAGE, headers=sysadmin).body
    assert "Add the first source" in page
    assert "No run in the last 24 hours." in page
    assert "Nothing running" in page


def test_run_appears_on_the_dashboard(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    portal.run(portal.source(publisher.url(PATH)))
    tick()
    found = dashboard()
    assert found["health"]["healthy"] == 1
    assert (found["day"]["runs"], found["day"]["failed"], found["day"]["changed"]) == (1, 0, 3)
    names = {table["name"] for table in found["tables"]}
    assert {"harvest_object", "ukharvest_record"} <= names
    assert "cron" not in {each["code"] for each in found["attention"]}
    # A run of another harvester that failed, which has no report; and approved deletions.
    source, now = portal.source("https://data.example/data.json"), utcnow()
    failed, approved = (
        HarvestJob(source_id=source, status="Finished", finished=now) for _each in range(2)
    )
    model.Session.add_all([failed, approved])
    model.Session.flush()
    model.Session.add_all(
        [
            HarvestGatherError(harvest_job_id=failed.id, message="No answer"),
            JobReport(job_id=approved.id, source_id=source, mode="approval", outcome="finished"),
        ]
    )
    end_runs()
    day = dashboard()["day"]
    assert (day["runs"], day["failed"], day["changed"]) == (2, 1, 3)


@pytest.mark.parametrize(
    ("alive", "reason"),
    [
        ((), "No gather consumer is running."),
        ((("gather", "JOB"),), "Its consumer is running and waits for 127.0.0.1."),
        ((("gather", "other"),), "All gather consumers are busy with other runs."),
        ((("gather", ""),), "Its message or its consumer is gone"),
    ],
)
def test_why_a_run_does_not_move(
    portal: Portal, publisher: Publisher, alive: tuple[tuple[str, str], ...], reason: str
) -> None:
    job_id = stuck_run(portal, publisher)
    for kind, busy_with in alive:
        make_worker(kind, busy_with=busy_with.replace("JOB", job_id))
    found = dashboard()
    (run,) = found["runs"]
    assert run["state"] == "stuck"
    assert reason in run["reason"]
    first = found["attention"][0]
    assert (first["code"], first["run"]["id"]) == ("stuck", job_id)


def test_dashboard_shows_a_dead_worker(app: CKANTestApp, sysadmin: dict[str, str]) -> None:
    make_worker("gather", seen=dt.timedelta(minutes=12, seconds=30))
    (worker,) = dashboard()["workers"]
    assert (worker["alive"], worker["host"]) == (False, "host.example")
    page = " ".join(app.get(PAGE, headers=sysadmin).body.split())
    assert "host.example; Last seen: 12 minutes ago" in page


def test_diagnostics_list_what_is_wrong_first(
    app: CKANTestApp, sysadmin: dict[str, str], portal: Portal
) -> None:
    dashboard()
    page = app.get(f"{PAGE}/diagnostics", headers=sysadmin).body
    wrong, fine = page.split("<summary>Fine: ")
    advice = "every few minutes"  # cron has to call a command
    assert advice in wrong
    assert advice not in fine
    assert "harvest_object" in page
    assert "harvest_object" not in app.get(PAGE, headers=sysadmin).body


def test_numbers_of_the_last_day_have_lists_behind_them(
    app: CKANTestApp, portal: Portal, publisher: Publisher, sysadmin: dict[str, str]
) -> None:
    publisher.serve(PATH, catalogue(3))
    portal.run(portal.source(publisher.url(PATH), name="good"))
    portal.run(portal.source(publisher.url("/nothing.json"), name="bad"))
    http_client.delete_from_redis(snapshot.SNAPSHOT)
    page = app.get(PAGE, headers=sysadmin).body
    assert f'<a href="{PAGE}/runs">2</a>' in page
    assert f'<a href="{PAGE}/runs?failed=1">1</a>' in page
    runs = app.get(f"{PAGE}/runs", headers=sysadmin).body
    assert "/harvest/good/job/" in runs
    assert '<a href="/harvest/good">Source 1</a>' in runs
    assert "/harvest/bad/job/" in runs
    failed = app.get(f"{PAGE}/runs?failed=1", headers=sysadmin).body
    assert "/harvest/good/job/" not in failed
    assert "/harvest/bad/job/" in failed
    looked = call_action("ukharvest_run_list", failed=True)
    assert (looked["count"], looked["results"][0]["source"]) == (1, "bad")


def test_last_30_days_are_drawn_and_listed(
    app: CKANTestApp, portal: Portal, publisher: Publisher, sysadmin: dict[str, str]
) -> None:
    assert "Last 30 days" not in app.get(PAGE, headers=sysadmin).body
    publisher.serve(PATH, catalogue(3))
    portal.run(portal.source(publisher.url(PATH), name="good"))
    portal.run(portal.source(publisher.url("/nothing.json"), name="bad"))
    daily_figures.store_datasets()
    model.Session.commit()
    assert len(dashboard()["days"]) == 30
    page = html.fromstring(app.get(PAGE, headers=sysadmin).body)
    runs, datasets = page.find_class("ukharvest-chart")
    assert len(runs.findall(".//title")) == 30
    *_before, last = datasets.iter("title")
    assert last.text.endswith(": Runs: 2, Failed: 1, Datasets: 3")
    *_before, bar = runs.iter("a")
    assert [part.get("class") for part in bar.iter("rect")] == ["is-changed", "is-lost"]
    first, *_days, today = page.xpath("//table[caption='Last 30 days']/tbody/tr")
    assert [cell.text_content().strip() for cell in today[1:]] == ["2", "1", "3"]
    assert [cell.text_content().strip() for cell in first[1:]] == ["0", "0", "–"]


def test_two_thousand_sources_cost_as_many_statements_as_one(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck_run(portal, publisher)

    def cost() -> int:
        model.Session.remove()
        http_client.delete_from_redis(snapshot.SNAPSHOT)
        with statements() as sent:
            call_action("ukharvest_dashboard_show")
        return len(sent)

    cost()
    before = cost()
    assert before <= 40
    for number in range(5):
        portal.create_job(portal.source(f"https://data.example/{number}.json"))
    assert cost() == before
    with statements() as sent:
        call_action("ukharvest_dashboard_show")
    assert len(sent) <= 1  # who asks; all else is remembered for ten seconds
    monkeypatch.setattr(snapshot, "MOST", 2)
    found = dashboard()
    assert (len(found["runs"]), found["runs_count"]) == (2, 6)
    assert found["states"] == {"stuck": 1, "queued": 5}
