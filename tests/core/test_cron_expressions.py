"""Cron expressions: starts, also where clocks change; least intervals; what is wrong."""

from __future__ import annotations

from datetime import datetime

import pytest

from ckanext.ukharvest.core import cron_expressions
from ckanext.ukharvest.core.cron_expressions import HOURLY, find_error, shortest_interval

LONDON = "Europe/London"
# Expression, a moment, and the starts that follow; all times are UTC. In London summer time begins
# on 29 March 2026 and ends on 25 October, at 01:00 UTC each.
STARTS = (
    ("30 6,18 * * 1-5", "2026-11-27 07:00", "11-27 18:30", "11-30 06:30", "11-30 18:30"),
    ("0 9 1,15 * *", "2026-07-02 00:00", "07-15 08:00", "08-01 08:00"),
    ("0 0 13 * fri", "2026-11-23 00:00", "11-27 00:00", "12-04 00:00", "12-11 00:00"),
    ("0 0 13 * fri", "2026-12-11 00:00", "12-13 00:00"),
    # Spring: 01:30 does not exist. Each hour goes on, without a gap and without a double.
    ("30 1 * * *", "2026-03-28 12:00", "03-29 01:00", "03-30 00:30"),
    ("*/30 1 * * *", "2026-03-28 12:00", "03-29 01:00", "03-30 00:00", "03-30 00:30"),
    ("0 * * * *", "2026-03-28 23:30", "03-29 00:00", "03-29 01:00", "03-29 02:00"),
    (HOURLY, "2026-03-28 23:30", "03-29 00:07", "03-29 01:07", "03-29 02:07"),
    ("0 */2 * * *", "2026-03-28 23:30", "03-29 00:00", "03-29 01:00", "03-29 03:00"),
    # Autumn: 01:30 comes twice, and counts once; each hour goes on.
    ("30 1 * * *", "2026-10-24 12:00", "10-25 00:30", "10-26 01:30"),
    ("30 1 * * *", "2026-10-25 01:10", "10-26 01:30"),
    ("*/30 1 * * *", "2026-10-24 12:00", "10-25 00:00", "10-25 00:30", "10-26 01:00"),
    ("0 * * * *", "2026-10-24 23:30", "10-25 00:00", "10-25 01:00", "10-25 02:00"),
    (HOURLY, "2026-10-24 23:30", "10-25 00:07", "10-25 01:07", "10-25 02:07"),
    ("0 *,5 * * *", "2026-10-24 23:30", "10-25 00:00", "10-25 01:00", "10-25 02:00"),
    ("0 */2 * * *", "2026-10-24 22:30", "10-24 23:00", "10-25 02:00"),
)


@pytest.mark.parametrize("row", STARTS, ids=lambda row: f"{row[0]} after {row[1]}")
def test_starts_follow_the_expression(row: tuple[str, ...]) -> None:
    expression, after, *expected = row
    start = datetime.fromisoformat(after)
    for text in expected:
        start = cron_expressions.next_start(expression, start, LONDON, minute=7)
        assert f"{start:%m-%d %H:%M}" == text


@pytest.mark.parametrize(
    ("expression", "minutes"),
    [
        (HOURLY, 60),
        ("0 * * * *", 60),
        ("*/10 * * * *", 10),
        ("* 3 * * *", 1),
        ("0,50 6 * * *", 50),
        ("30 6,18 * * *", 12 * 60),
        ("50 0,23 * * *", 60),
        ("5 3 1 * *", 24 * 60),
        ("0 22-2 * * *", 60),
        ("*,5 3 * * *", 1),
        ("0 *,3 * * *", 60),
    ],
)
def test_shortest_interval_between_two_starts(expression: str, minutes: int) -> None:
    assert shortest_interval(expression) == minutes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Enter five fields"),
        ("0 3 * *", "Enter five fields"),
        ("0 3 * * * *", "such as 30 6,18 * * 1-5."),
        ("@daily", "Enter five fields"),
        (f"{'1,' * 20_000}1 * * * *", "at most 200 characters"),
        ("61 * * * *", "Minute: expected 0 to 59, not 61."),
        ("*/0 * * * *", "Minute: expected"),
        ("r * * * *", "Minute: expected"),
        ("٣ * * * *", "Minute: expected"),
        ("0 25 * * *", "Hour: expected 0 to 23, not 25."),
        ("0 1,, * * *", "Hour: expected"),
        ("0 0 l * *", "Day of the month: expected 1 to 31, not l."),
        ("0 0 * 13 *", "Month: expected 1 to 12 or jan to dec, not 13."),
        ("0 0 * * 8", "Day of the week: expected 0 to 7 or mon to sun, not 8."),
        ("0 0 * * 5#2", "Day of the week: expected"),
        ("0 0 30 feb *", "There is no such day, for example 30 February."),
        (HOURLY, ""),
        ("0 0 29 feb *", ""),
        ("5/15 0-6 1,31 jan-mar sun", ""),
    ],
)
def test_errors_of_expressions_name_the_field(text: str, words: str) -> None:
    assert words in (find_error(text) or "")
    assert bool(words) == (find_error(text) is not None)


def test_expressions_are_normalised() -> None:
    assert cron_expressions.normalise("  0 3\t* *  MON-Fri ") == "0 3 * * mon-fri"
