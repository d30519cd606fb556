"""Dates as DKAN 7 prints them: for people, in the site's format and language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date

# "Thu, 09/01/2016 - 01:31", "mar, 10/12/2019 - 09:23", "Date changed  Thu, 09/01/2016 - 01:31".
_PRINTED = re.compile(
    r"(?:(?P<weekday>[^\W\d_]{2,12})\.?,\s*)?"
    r"(?<!\d)(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4})"
    r"(?:[\s,-]+(?P<time>\d{1,2}:\d\d(?::\d\d)?))?"
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?")

# First letters of day names, Monday first, in the languages of DKAN sites: English, French,
# Spanish, Italian, German, Dutch, Portuguese, Swedish, Welsh.
_DAYS = (
    "mon lun mo ma seg man llun",
    "tue mar di ter tis maw",
    "wed mer mie mi wo qua ons",
    "thu jeu jue gio do qui tor iau",
    "fri ven vie fr vr sex fre gwe",
    "sat sam sab sa za lor sad",
    "sun dim dom so zo son sul",
)
_WEEKDAY = {name: number for number, names in enumerate(_DAYS) for name in names.split()}


def iso(text: str, *, month_first: bool = False) -> str:
    """Return a printed date as ISO 8601 text; return other text unchanged.

    Args:
        month_first: how to read an ambiguous date such as 09/01/2016.
    """
    if found := _ISO.search(text):
        return found[0]
    match = _PRINTED.search(text)
    if match is None:
        return text
    order = _order(match)
    first, second = int(match["first"]), int(match["second"])
    is_month_first = month_first if order is None else order
    month, day = (first, second) if is_month_first else (second, first)
    try:
        found_day = date(int(match["year"]), month, day).isoformat()
    except ValueError:
        return text
    time = match["time"]
    return f"{found_day}T{time:0>5}" if time else found_day


def is_month_first(texts: Iterable[str]) -> bool:
    """Tell from dates printed by one site whether it puts the month first (American dates).

    A number above 12 is not a month, and only one reading falls on the day of the week given in the
    text. If no date decides, the day comes first.
    """
    orders = (_order(match) for text in texts if (match := _PRINTED.search(text)))
    return next((order for order in orders if order is not None), False)


def _order(match: re.Match[str]) -> bool | None:
    """Return True if the month is first, False if the day is, None if undecided."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    american, british = _day(year, first, second), _day(year, second, first)
    if american is None or british is None:
        return None if american == british else american is not None
    weekday = _weekday(match["weekday"] or "")
    if american == british or weekday is None:
        return None
    fits = [day.weekday() == weekday for day in (american, british)]
    return fits[0] if fits[0] != fits[1] else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _weekday(name: str) -> int | None:
    """Return the day of the week whose name begins like this name or abbreviation, Monday 0."""
    plain = unicodedata.normalize("NFKD", name.lower())
    letters = "".join(char for char in plain if char.isalpha())
    beginnings = (letters[:length] for length in (4, 3, 2))
    return next((_WEEKDAY[each] for each in beginnings if each in _WEEKDAY), None)
