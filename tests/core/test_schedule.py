"""Starts by the calendar: tables of days, months, clocks that change, and no drift."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from ckanext.ukharvest.core.schedule import DAYS, is_time, is_zone, next_start, offset_of

LONDON = "Europe/London"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("frequency", "after", "schedule", "expected"),
    [
        ("DAILY", "2026-11-23 02:25", {"time": "02:30"}, "2026-11-23 02:30"),
        ("DAILY", "2026-11-23 02:30", {"time": "02:30"}, "2026-11-24 02:30"),
        ("DAILY", "2026-12-31 23:59", {"time": "02:30"}, "2027-01-01 02:30"),
        ("DAILY", "2028-02-28 12:00", {}, "2028-02-29 00:00"),
        # Friday evening, working days only.
        ("DAILY", "2026-11-27 20:00", {"days": DAYS[:5], "time": "19:00"}, "2026-11-30 19:00"),
        ("WEEKLY", "2026-11-24 00:00", {}, "2026-11-30 00:00"),
        ("WEEKLY", "2026-11-24 00:00", {"days": ["thu"], "time": "05:00"}, "2026-11-26 05:00"),
        ("WEEKLY", "2026-11-26 05:00", {"days": ["thu"], "time": "05:00"}, "2026-12-03 05:00"),
        ("MONTHLY", "2026-01-31 10:00", {}, "2026-02-01 00:00"),
        ("MONTHLY", "2026-02-01 00:00", {}, "2026-03-01 00:00"),
        ("MONTHLY", "2026-12-01 03:00", {"time": "02:00"}, "2027-01-01 02:00"),
        # The first Monday: 7 December 2026, then 4 January 2027.
        ("MONTHLY", "2026-11-23 00:00", {"days": ["mon"]}, "2026-12-07 00:00"),
        ("MONTHLY", "2026-12-07 00:00", {"days": ["mon"]}, "2027-01-04 00:00"),
        # The longest way between two first Mondays: 5 weeks.
        ("MONTHLY", "2026-06-01 00:00", {"days": ["mon"]}, "2026-07-06 00:00"),
        ("MONTHLY", "2026-11-23 00:00", {"days": ["mon", "wed"]}, "2026-12-02 00:00"),
        # No set time: midnight in the zone, and the source's offset.
        ("DAILY", "2026-07-01 12:00", {"zone": LONDON}, "2026-07-01 23:00"),
        ("DAILY", "2026-11-23 00:00", {"offset": timedelta(minutes=17)}, "2026-11-23 00:17"),
        (
            "DAILY",
            "2026-11-23 00:00",
            {"offset": timedelta(9), "time": "01:00"},
            "2026-11-23 01:00",
        ),
        # Across the date line of the zone: 23 November 20:00 UTC is the 24th in Auckland.
        ("DAILY", "2026-11-23 11:30", {"zone": "Pacific/Auckland"}, "2026-11-24 11:00"),
        # And 24 November 02:00 UTC is the 23rd in New York, whose evening is still to come.
        (
            "DAILY",
            "2026-11-24 02:00",
            {"zone": "America/New_York", "time": "23:00"},
            "2026-11-24 04:00",
        ),
        ("ALWAYS", "2026-11-23 11:30", {"time": "02:00"}, "2026-11-23 11:30"),
        # A cron expression decides alone, but not of a frequency that someone set later.
        (
            "DAILY",
            "2026-07-01 12:00",
            {"cron": "0 9 * * *", "time": "02:00", "zone": LONDON},
            "2026-07-02 08:00",
        ),
        ("WEEKLY", "2026-11-24 00:00", {"cron": "0 9 * * *"}, "2026-11-30 00:00"),
        (
            "DAILY",
            "2026-11-23 11:30",
            {"cron": "@hourly", "offset": timedelta(minutes=27)},
            "2026-11-23 12:27",
        ),
    ],
)
def test_next_start_follows_frequency_and_time(
    frequency: str, after: str, schedule: dict[str, Any], expected: str
) -> None:
    assert next_start(frequency, at(after), **schedule) == at(expected)


@pytest.mark.parametrize("frequency", ["MANUAL", "", "YEARLY"])
def test_a_manual_source_has_no_next_start(frequency: str) -> None:
    assert next_start(frequency, at("2026-11-23")) is None


@pytest.mark.parametrize(
    ("after", "time", "expected"),
    [
        # Summer time begins on 29 March 2026 at 01:00 UTC: 01:30 does not exist that day.
        ("2026-03-28 12:00", "01:30", "2026-03-29 01:30"),
        ("2026-03-29 01:30", "01:30", "2026-03-30 00:30"),
        ("2026-03-28 12:00", "02:30", "2026-03-29 01:30"),
        ("2026-03-28 12:00", "00:30", "2026-03-29 00:30"),
        # It ends on 25 October at 01:00 UTC: 01:30 comes twice, and counts once.
        ("2026-10-24 12:00", "01:30", "2026-10-25 00:30"),
        ("2026-10-25 00:30", "01:30", "2026-10-26 01:30"),
        ("2026-10-25 00:45", "02:30", "2026-10-25 02:30"),
    ],
)
def test_clocks_that_change(after: str, time: str, expected: str) -> None:
    assert next_start("DAILY", at(after), time=time, zone=LONDON) == at(expected)


def test_every_other_week() -> None:
    start = next_start("BIWEEKLY", at("2026-11-23 12:00"), days=["tue"], time="04:00")
    for _ in range(60):
        assert start is not None
        assert (start.weekday(), start.hour) == (1, 4)
        following = next_start("BIWEEKLY", start, days=["tue"], time="04:00")
        assert following == start + timedelta(days=14)
        start = following


def test_late_ticks_do_not_move_the_next_start() -> None:
    """Stock adds the period to the moment of the tick (ckanext-harvest issue 559)."""
    now = at("2026-11-23 02:30")
    for number in range(400):
        start = next_start("DAILY", now, time="02:30", zone=LONDON)
        assert start is not None
        assert start.strftime("%H:%M") in ("02:30", "01:30")
        assert timedelta(hours=20) < start - now <= timedelta(hours=25)
        now = start + timedelta(minutes=number % 10)


def test_offsets_are_fixed_and_spread() -> None:
    offsets = [offset_of(f"source-{number}", 30) for number in range(300)]
    assert offsets == [offset_of(f"source-{number}", 30) for number in range(300)]
    assert {each.total_seconds() / 60 for each in offsets} == set(range(30))
    assert offset_of("source", 0) == timedelta(0)


def test_times_and_zones_are_recognised() -> None:
    assert [is_time(each) for each in ("", "00:00", "23:59")] == [True] * 3
    wrong = ("24:00", "2:30", "02:30:00", "noon", None, 230)
    assert not any(is_time(each) for each in wrong)
    assert is_zone(LONDON)
    assert is_zone("UTC")
    assert not any(is_zone(each) for each in ("London", "", None, "../etc/passwd", "Europe"))
