"""Cron expressions of five fields: what is wrong with one, its starts, and how close these are.

Fields mean what they do in cron: if day of the month and day of the week are both set, either
counts. Names of days and months are in English; other additions (seconds, ``L``, ``#``, ``@daily``)
are not accepted, apart from ``HOURLY``.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo

from croniter import CroniterError, croniter

from ckanext.ukharvest.core.messages import Message

HOURLY = "@hourly"  # every hour, each source at its own minute
LONGEST = 200  # characters; croniter takes seconds for some kB
EXAMPLE = "30 6,18 * * 1-5"

_NUMBERS = r"[\d*,/-]"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DAYS = "mon|tue|wed|thu|fri|sat|sun"
_FORMS = (_NUMBERS, _NUMBERS, _NUMBERS, f"{_NUMBERS}|{_MONTHS}", f"{_NUMBERS}|{_DAYS}")
_MINUTES_A_DAY = 24 * 60


def normalise(text: str) -> str:
    """Return an expression in lower case, with one space between its fields."""
    return " ".join(text.lower().split())


def find_error(expression: str) -> Message | None:
    """Return what is wrong with a normalised expression, None if it can be used."""
    if expression == HOURLY:
        return None
    if len(expression) > LONGEST:
        return Message("Expected at most {most} characters.", most=LONGEST)
    values = expression.split()
    if len(values) != len(_FORMS):
        return Message(
            "Enter five fields: minute, hour, day of the month, month and day of the week, such as "
            "{example}.",
            example=EXAMPLE,
        )
    for place, (value, form) in enumerate(zip(values, _FORMS, strict=True)):
        fields = ["*"] * len(_FORMS)
        fields[place] = value
        is_known = re.fullmatch(f"(?:{form})+", value, re.ASCII)
        if not is_known or not croniter.is_valid(" ".join(fields)):
            return _messages(value)[place]
    try:
        croniter(expression, dt.datetime(2000, 1, 1)).get_next()  # noqa: DTZ001 - days alone count
    except CroniterError:
        return Message("There is no such day, for example 30 February.")
    return None


def _messages(value: str) -> tuple[Message, ...]:
    """Return what is wrong with a value in each of the fields."""
    return (
        Message("Minute: expected 0 to 59, not {value}.", value=value),
        Message("Hour: expected 0 to 23, not {value}.", value=value),
        Message("Day of the month: expected 1 to 31, not {value}.", value=value),
        Message("Month: expected 1 to 12 or jan to dec, not {value}.", value=value),
        Message("Day of the week: expected 0 to 7 or mon to sun, not {value}.", value=value),
    )


def shortest_interval(expression: str) -> int:
    """Return the least minutes between two starts of a valid expression, on days that follow."""
    if expression == HOURLY:
        return 60
    minutes, hours = croniter.expand(expression)[0][:2]
    starts = [
        hour * 60 + minute
        for hour in (range(24) if "*" in hours else hours)
        for minute in (range(60) if "*" in minutes else minutes)
    ]
    starts.sort()
    following = (*starts[1:], starts[0] + _MINUTES_A_DAY)
    return min(after - before for before, after in zip(starts, following, strict=True))


def next_start(expression: str, after: dt.datetime, zone: str, *, minute: int = 0) -> dt.datetime:
    """Return the first start later than ``after``; both are naive UTC.

    Where clocks change, what starts each hour goes on each hour. Other times that are skipped in
    spring start when the clocks have changed; those that come twice in autumn, the first time.

    Args:
        expression: a valid one.
        zone: IANA name of a known time zone.
        minute: of an hour, 0 to 59, at which ``HOURLY`` starts.
    """
    if expression == HOURLY:
        expression = f"{minute} * * * *"
    is_each_hour = "*" in croniter.expand(expression)[0][1]
    local = after.replace(tzinfo=dt.timezone.utc).astimezone(zoneinfo.ZoneInfo(zone))
    starts: croniter = croniter(expression, local, ret_type=dt.datetime)
    start: dt.datetime = next(starts)
    while start.fold and not is_each_hour:
        start = next(starts)
    return start.astimezone(dt.timezone.utc).replace(tzinfo=None)
