"""When the clocks change in London: what pages and mails say, and when things start.

The clocks go forward on 29 March 2026 and back on 25 October 2026, both at 01:00 UTC.
"""

from __future__ import annotations

import datetime as dt

import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource
from freezegun import freeze_time

from ckanext.ukharvest.notifications import due
from tests.ckan.harvesting import Portal, act

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.display_timezone", "Europe/London"),
]


@pytest.mark.parametrize(
    ("utc", "week"),
    [
        # The week begins at six on Monday morning: five UTC in summer.
        ("2026-03-23 05:59", "2026-03-16"),
        ("2026-03-23 06:00", "2026-03-23"),
        ("2026-03-30 04:59", "2026-03-23"),
        ("2026-03-30 05:00", "2026-03-30"),
        ("2026-10-19 04:59", "2026-10-12"),
        ("2026-10-19 05:00", "2026-10-19"),
        ("2026-10-26 05:59", "2026-10-19"),
        ("2026-10-26 06:00", "2026-10-26"),
    ],
)
def test_weekly_mails_are_sent_at_six_by_the_clock(utc: str, week: str) -> None:
    now = dt.datetime.fromisoformat(utc).replace(tzinfo=dt.timezone.utc)
    assert due.week(now) == week


@pytest.mark.parametrize(
    ("now", "starts"),
    [
        ("2026-03-28 12:00", ["2026-03-29 01:30", "2026-03-30 01:30", "2026-03-31 01:30"]),
        ("2026-10-23 12:00", ["2026-10-24 01:30", "2026-10-25 02:30", "2026-10-26 02:30"]),
    ],
)
def test_runs_start_by_the_clock_of_the_portal(portal: Portal, now: str, starts: list[str]) -> None:
    """At half past two; 01:30 is left out when the clocks go forward, and comes twice in autumn."""
    with freeze_time(now, tick=False) as clock:
        source = portal.source("http://127.0.0.1/", frequency="DAILY")
        act("ukharvest_schedule_update", source_id=source, time="02:30")
        for start in starts:
            model.Session.remove()
            assert str(HarvestSource.get(source).next_run) == f"{start}:00"
            shown = call_action("ukharvest_source_show", source_id=source)["schedule"]
            assert shown["next_run"] == f"{start.replace(' ', 'T')}:00+00:00"
            clock.move_to(start)
            act("harvest_jobs_run")
