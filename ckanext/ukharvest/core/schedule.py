"""Calculate a source's next scheduled start, from fixed points of the calendar.

Days and times are in the source's time zone; results are naive UTC, as in ckanext-harvest. A time
that the clocks skip in spring is shifted by the gap; one that they repeat in autumn counts once,
the first time.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import zoneinfo
from collections.abc import Collection

from ckanext.ukharvest.core import cron_expressions
from ckanext.ukharvest.core.values.text import marked as _

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# Frequency → its name, English; those of vocabularies/frequencies.csv where it has one. HOURLY and
# CRON are ours: ckanext-harvest, which has no such frequencies, stores CRON_STORED_AS for them.
FREQUENCIES = {
    "MANUAL": _("Manual"),
    "HOURLY": _("Hourly"),
    "DAILY": _("Daily"),
    "WEEKLY": _("Weekly"),
    "BIWEEKLY": _("Fortnightly"),
    "MONTHLY": _("Monthly"),
    "CRON": _("By a cron expression"),
    "ALWAYS": _("Always: each time the site starts runs"),
}
USUAL_FREQUENCY = "DAILY"
MANUAL, ALWAYS = "MANUAL", "ALWAYS"
HOURLY, CRON, CRON_STORED_AS = "HOURLY", "CRON", "DAILY"
REGULAR = ("DAILY", "WEEKLY", "BIWEEKLY", "MONTHLY")

_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
# The first Monday of a month is at most 37 days away; with one day a fortnight it is nearer.
_HORIZON = 40
_ONE_DAY = dt.timedelta(days=1)


def frequency_of(stored: str, cron: str) -> str:
    """Return how often a source runs, as a key of FREQUENCIES.

    Args:
        stored: the frequency that ckanext-harvest stores, "" for none.
        cron: the source's cron expression, "" for none. Whoever sets another frequency by
            ckanext-harvest's API means that.
    """
    if not cron or stored != CRON_STORED_AS:
        return stored or MANUAL
    return HOURLY if cron == cron_expressions.HOURLY else CRON


def next_start(  # noqa: PLR0913
    frequency: str,
    after: dt.datetime,
    *,
    cron: str = "",
    time: str = "",
    days: Collection[str] = (),
    zone: str = "UTC",
    offset: dt.timedelta = dt.timedelta(0),
) -> dt.datetime | None:
    """Return the first start later than ``after``, or None if runs are started manually.

    Args:
        frequency: as ckanext-harvest names it; ``ALWAYS`` starts at each tick.
        after: naive UTC.
        cron: a valid cron expression, which then decides alone; "" for none.
        time: "HH:MM"; "" is midnight plus ``offset``, which spreads sources without a set time.
        days: of DAYS. DAILY: only on these; WEEKLY and BIWEEKLY: on these instead of Monday;
            MONTHLY: on the first of them in the month instead of the 1st.
        zone: IANA name; must be known (see ``is_zone``).
    """
    if frequency == ALWAYS:
        return after
    if frequency not in REGULAR:
        return None
    if frequency_of(frequency, cron) in (HOURLY, CRON):
        minute = int(offset.total_seconds()) // 60 % 60
        return cron_expressions.next_start(cron, after, zone, minute=minute)
    local = zoneinfo.ZoneInfo(zone)
    wanted = frozenset(DAYS.index(day) for day in days)
    if time:
        since_midnight = dt.timedelta(hours=int(time[:2]), minutes=int(time[3:]))
    else:
        since_midnight = offset % _ONE_DAY
    first = after.replace(tzinfo=dt.timezone.utc).astimezone(local).date()
    for number in range(_HORIZON):
        day = first + dt.timedelta(days=number)
        if _is_on(frequency, day, wanted):
            start = (dt.datetime.combine(day, dt.time()) + since_midnight).replace(tzinfo=local)
            start = start.astimezone(dt.timezone.utc).replace(tzinfo=None)
            if start > after:
                return start
    raise AssertionError(f"no start of {frequency} within {_HORIZON} days")


def _is_on(frequency: str, day: dt.date, wanted: frozenset[int]) -> bool:
    if frequency == "DAILY":
        return not wanted or day.weekday() in wanted
    if frequency == "MONTHLY":
        return _first_of_month(day, wanted) == day.day
    # Day 1 of the calendar (0001-01-01) was a Monday: fortnights are counted from there.
    in_turn = frequency == "WEEKLY" or (day.toordinal() - 1) // 7 % 2 == 0
    return in_turn and day.weekday() in (wanted or {0})


def _first_of_month(day: dt.date, wanted: frozenset[int]) -> int:
    if not wanted:
        return 1
    return next(n for n in range(1, 8) if day.replace(day=n).weekday() in wanted)


def offset_of(source_id: str, minutes: int) -> dt.timedelta:
    """Return a source's share of the minutes over which starts are spread; always the same."""
    if minutes < 1:
        return dt.timedelta(0)
    digest = hashlib.sha256(source_id.encode()).digest()
    return dt.timedelta(minutes=int.from_bytes(digest[:4], "big") % minutes)


def is_time(text: object) -> bool:
    """Tell whether a text is a time of day as "HH:MM", or "" for none."""
    return text == "" or (isinstance(text, str) and bool(_TIME.fullmatch(text)))


def is_cron(text: object) -> bool:
    """Tell whether a text is a cron expression in its normal form, whatever a site allows."""
    return isinstance(text, str) and cron_expressions.find_error(text) is None


def is_zone(name: object) -> bool:
    """Tell whether a text is the name of a time zone that this machine knows."""
    if not isinstance(name, str) or not name:
        return False
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
