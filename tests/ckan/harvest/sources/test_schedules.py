"""Schedules on the portal: next_run by the calendar, its actions, runs on demand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestSource
from freezegun import freeze_time

from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, figures, work_off
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
MONDAY = datetime(2026, 11, 23, 2, 25)  # noqa: DTZ001 - naive UTC, as ckanext-harvest keeps time


@pytest.fixture
def clock() -> Iterator[Any]:
    with freeze_time(MONDAY, tick=False) as frozen:
        yield frozen


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}")


def tick() -> None:
    user = factories.Sysadmin()["name"]
    context = {"user": user, "model": model, "session": model.Session}
    tk.get_action("harvest_jobs_run")(context, {})
    model.Session.remove()


def next_run(source: str) -> datetime | None:
    model.Session.remove()
    found: datetime | None = HarvestSource.get(source).next_run
    return found


def jobs(source: str) -> int:
    return int(model.Session.query(HarvestJob).filter_by(source_id=source).count())


def end_jobs() -> None:
    model.Session.query(HarvestJob).update({"status": "Finished"})
    model.Session.commit()


def update(source: str, **schedule: Any) -> dict[str, Any]:
    return dict(call_action("ukharvest_schedule_update", source_id=source, **schedule))


def show(source: str) -> dict[str, Any]:
    return dict(call_action("ukharvest_source_show", source_id=source)["schedule"])


def test_starts_do_not_drift(clock: Any, portal: Portal) -> None:
    """Stock: next_run = the tick's time + 24 h, later every day (ckanext-harvest issue 559)."""
    source = portal.source("http://127.0.0.1/", frequency="DAILY")
    update(source, time="02:30", zone="Europe/London")
    assert next_run(source) == at("11-23 02:30")
    tick()
    assert jobs(source) == 0
    for number, day in enumerate(range(23, 27), start=1):
        clock.move_to(at(f"11-{day} 02:37:41"))
        tick()
        assert jobs(source) == number
        assert next_run(source) == at(f"11-{day + 1} 02:30")
        clock.move_to(at(f"11-{day} 02:47:41"))
        tick()
        assert jobs(source) == number
        end_jobs()


def test_schedule_follows_a_changed_frequency(clock: Any, portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/", frequency="DAILY")
    assert next_run(source) is None
    tick()
    first = next_run(source)
    assert first is not None
    # Midnight in Kathmandu, the time zone of the tests' portal.
    assert at("11-23 18:15") <= first < at("11-23 18:45")
    assert jobs(source) == 0
    call_action("harvest_source_patch", id=source, frequency="MONTHLY")
    tick()
    spread = first - at("11-23 18:15")
    assert next_run(source) == at("11-30 18:15") + spread
    call_action("harvest_source_patch", id=source, frequency="WEEKLY")
    tick()
    assert next_run(source) == at("11-29 18:15") + spread
    call_action("harvest_source_patch", id=source, frequency="ALWAYS")
    tick()
    tick()
    assert jobs(source) == 1
    assert show(source)["text"] == "Scheduled to start within 10 minutes"


def test_a_source_is_taken_off_its_schedule(clock: Any, portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/", frequency="DAILY")
    update(source, time="02:30", zone="UTC")
    assert next_run(source) == at("11-23 02:30")
    call_action("harvest_source_patch", id=source, frequency="MANUAL")
    clock.move_to(at("11-25 12:00"))
    tick()
    assert jobs(source) == 0
    assert show(source)["text"] == "Runs only when you start it"
    # The time of the earlier schedule stays in ckanext-harvest's table.
    assert next_run(source) == at("11-23 02:30")
    (listed,) = call_action("ukharvest_source_list")["results"]
    assert (listed["frequency"], listed["next_run"]) == ("MANUAL", None)
    assert call_action("ukharvest_source_show", source_id=source)["next_run"] is None


@pytest.mark.ckan_config("ckanext.ukharvest.schedule.cron_minutes", "15")
def test_schedule_as_people_read_it(clock: Any, portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/", frequency="DAILY", name="council")
    shown = update("council", time="19:00", days=["fri", "mon"], zone="Europe/London")
    assert shown.items() >= show(source).items()
    assert shown["days"] == ["mon", "fri"]
    assert shown["next_run"] == "2026-11-23T19:00:00+00:00"
    assert shown["text"] == "Scheduled to start within 15 minutes after 2026-11-23 19:00 UTC"
    clock.move_to(at("11-23 19:00"))
    assert show(source)["next_run"] == "2026-11-27T19:00:00+00:00"
    assert update(source)["days"] == []
    manual = portal.source("http://127.0.0.1/other")
    assert show(manual)["next_run"] is None
    assert show(manual)["text"] == "Runs only when you start it"


def test_mistakes_are_named_beside_their_fields(portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/")
    with pytest.raises(tk.ValidationError) as caught:
        update(source, time="25:00", days=["monday"], zone="London")
    assert set(caught.value.error_dict) == {"time", "days", "zone"}
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_schedule_update")
    with pytest.raises(tk.ObjectNotFound):
        show("no-such-source")


def test_the_schedule_can_be_asked_for_by_get(portal: Portal, app: CKANTestApp) -> None:
    source = portal.source("http://127.0.0.1/")
    token = factories.SysadminWithToken()["token"]
    answer = app.get(
        f"/api/3/action/ukharvest_source_show?source_id={source}",
        headers={"Authorization": token},
    )
    assert answer.json["result"]["frequency"] == "MANUAL"


def test_a_forced_run_through_the_queue(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH), name="forced")
    assert figures(portal.run(source)) == {"added": 3}
    job = call_action("ukharvest_run_create", source_id="forced", mode="force")
    assert model.Session.query(JobReport).filter_by(job_id=job["id"]).one().mode == "force"
    with pytest.raises(tk.ValidationError, match="has not ended"):
        call_action("ukharvest_run_create", source_id="forced")
    work_off()
    assert figures(portal.finish(job["id"])) == {"updated": 3}
    with pytest.raises(tk.ValidationError, match="normal, force"):
        call_action("ukharvest_run_create", source_id="forced", mode="check")
    call_action("harvest_source_delete", id=source)
    with pytest.raises(tk.ValidationError, match="switched off"):
        call_action("ukharvest_run_create", source_id=source)
