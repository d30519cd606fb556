"""Schedules on the portal: next_run by the calendar, its actions, runs on demand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import ckan.plugins.toolkit as tk
import freezegun.api
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestSource
from freezegun import freeze_time

from ckanext.ukharvest.harvest.database import ensure_source_state
from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures, work_off
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
    act("harvest_source_patch", id=source, frequency="ALWAYS")
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


def frequencies(source: str) -> tuple[str, str, dict[str, int]]:
    """Return what ckanext-harvest stores, what our action says, and the facet of the list."""
    model.Session.remove()
    listed = call_action("ukharvest_source_list")
    stored = call_action("harvest_source_show", id=source)["frequency"]
    shown = call_action("ukharvest_source_show", source_id=source)["frequency"]
    assert listed["results"][0]["frequency"] == shown
    return stored, shown, listed["facets"]["frequency"]


def test_cron_expression_starts_runs_at_its_times(clock: Any, portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/")
    shown = update(source, cron=" 30 2,14  * * MON-fri", zone="Europe/London")
    assert (shown["frequency"], shown["cron"]) == ("CRON", "30 2,14 * * mon-fri")
    assert [text[5:16] for text in shown["next_starts"]] == [
        *("11-23T02:30", "11-23T14:30", "11-24T02:30", "11-24T14:30", "11-25T02:30")
    ]
    assert frequencies(source) == ("DAILY", "CRON", {"CRON": 1})
    for number, time in enumerate(("11-23 02:37", "11-23 14:31", "11-24 02:30"), start=1):
        clock.move_to(at(time))
        tick()
        assert jobs(source) == number
        end_jobs()
    assert next_run(source) == at("11-24 14:30")


@pytest.mark.ckan_config("ckan.display_timezone", "Europe/London")
@pytest.mark.parametrize(
    ("night", "plan", "starts"),
    [
        # Starts, in UTC, of the nights in which clocks change at 01:00 UTC.
        ("03-28 23:55", {"frequency": "HOURLY"}, 4),
        ("10-24 23:55", {"frequency": "HOURLY"}, 4),
        ("03-28 23:55", {"cron": "30 1 * * *"}, 1),
        ("10-24 23:55", {"cron": "30 1 * * *"}, 1),
    ],
)
def test_schedules_hold_in_the_nights_of_the_clock_change(
    clock: Any, portal: Portal, monkeypatch: Any, night: str, plan: dict[str, str], starts: int
) -> None:
    plain = freezegun.api.datetime_to_fakedatetime
    # freezegun forgets which of two equal times in autumn one is.
    monkeypatch.setattr(
        "freezegun.api.datetime_to_fakedatetime", lambda time: plain(time).replace(fold=time.fold)
    )
    source = portal.source("http://127.0.0.1/")
    clock.move_to(at(night))
    assert update(source, **plan)["zone"] == "Europe/London"
    for _tick in range(8):  # four hours
        clock.tick(1800)
        tick()
        end_jobs()
    assert jobs(source) == starts


def test_frequency_set_by_the_stock_action_ends_the_expression(clock: Any, portal: Portal) -> None:
    source = portal.source("http://127.0.0.1/", frequency="WEEKLY")
    assert update(source, frequency="HOURLY")["cron"] == "@hourly"
    assert frequencies(source) == ("DAILY", "HOURLY", {"HOURLY": 1})
    call_action("harvest_source_patch", id=source, frequency="MONTHLY")
    tick()
    assert frequencies(source) == ("MONTHLY", "MONTHLY", {"MONTHLY": 1})
    assert next_run(source) >= at("11-30 18:15")
    assert update(source, frequency="MANUAL")["next_starts"] == []
    assert frequencies(source) == ("MANUAL", "MANUAL", {"MANUAL": 1})


@pytest.mark.parametrize("stored", [5, ["0 3 * * *"], "1," * 100_000 + "1 * * * *"])
def test_an_expression_that_nobody_checked_is_ignored(portal: Portal, stored: Any) -> None:
    source = portal.source("http://127.0.0.1/", frequency="DAILY")
    ensure_source_state(source).schedule = {"cron": stored}
    model.Session.commit()
    tick()
    assert next_run(source) is not None
    assert show(source)["cron"] == ""


@pytest.mark.ckan_config("ckanext.ukharvest.schedule.cron_minutes", "15")
@pytest.mark.parametrize(
    ("least", "given", "field", "words"),
    [
        ("60", {"cron": "0 25 * * *"}, "cron", "Hour: expected 0 to 23, not 25."),
        ("60", {"cron": "*/30 * * * *"}, "cron", "at least 60 min apart"),
        ("1", {"cron": "*/10 * * * *"}, "cron", "at least 15 min apart"),
        ("120", {"frequency": "HOURLY"}, "frequency", "at least 120 min apart"),
        ("60", {"frequency": "CRON"}, "cron", "Enter five fields"),
        ("60", {"frequency": "DAILY", "cron": "0 3 * * *"}, "cron", "not both"),
        ("60", {"cron": "0 3 * * *", "time": "02:00"}, "time", "not both"),
        ("60", {"frequency": "HOURLY", "days": ["mon"]}, "days", "not both"),
        ("60", {"frequency": "YEARLY"}, "frequency", "Expected one of: MANUAL, HOURLY"),
    ],
)
def test_schedules_keep_to_the_limits_of_the_portal(
    portal: Portal, monkeypatch: Any, least: str, given: Any, field: str, words: str
) -> None:
    monkeypatch.setitem(tk.config, "ckanext.ukharvest.schedule.least_minutes", least)
    source = portal.source("http://127.0.0.1/", frequency="WEEKLY")
    with pytest.raises(tk.ValidationError) as caught:
        update(source, **given)
    assert words in str(caught.value.error_dict[field])
    assert frequencies(source)[0] == "WEEKLY"
    if least == "1":
        assert update(source, cron="*/15 * * * *")["next_run"]


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
