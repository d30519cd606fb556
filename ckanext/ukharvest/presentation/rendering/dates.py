"""Dates of records formatted for people, never more precise than they were given."""

from __future__ import annotations

import re
from datetime import date

from babel import Locale
from babel.dates import format_date

from ckanext.ukharvest.presentation.rendering.portal_values import Portal

# ISO 8601 as stored; midnight without a zone is a day that a program wrote.
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)
_UTC = ("Z", "+00:00", "+0000")


def format_iso_date(text: str, portal: Portal) -> str:
    """Return "2004", "February 2004" or "3 July 2006, 10:15 UTC"; other text unchanged."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        return text
    year, month, day, time, zone = match.groups()
    if not month:
        return str(year)
    try:
        start = date(int(year), int(month), int(day or 1))
    except ValueError:
        return text
    words = format_day(start, portal.locale, has_day=bool(day))
    if not time or (time, zone) == ("00:00", None):
        return words
    return f"{words}, {time} {'UTC' if zone in _UTC else zone or ''}".rstrip()


def format_day(day: date, locale: Locale | str, *, has_day: bool = True) -> str:
    """Return "3 July 2006", or "July 2006"."""
    # Day before month in all languages; Babel's plain English has the American order.
    return str(format_date(day, "d MMMM y" if has_day else "MMMM y", locale=locale))


def format_period(start: str, end: str, portal: Portal) -> str:
    """Return "1998 to 2010", "from 1998", "until 2010" or "1998"; "" for nothing."""
    first, last = format_iso_date(start, portal), format_iso_date(end, portal)
    if first == last:
        return first
    text = portal.translate("{start} to {end}")
    if not last:
        text = portal.translate("from {start}")
    if not first:
        text = portal.translate("until {end}")
    return text.format(start=first, end=last)
