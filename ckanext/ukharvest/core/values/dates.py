"""Dates and periods in ISO 8601, with the precision of the source.

Own patterns instead of dateutil's parser, which fills missing parts from today's date ("May" → the
current day and year) and reads ``01/02/2024`` the American way.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from dateutil.relativedelta import relativedelta

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.text import shorten

# Years outside are defaults of programs (0001, 9999, 2999), not dates of data.
YEARS = range(1000, 2501)

_TIME = (
    r"(?:(?:T|\s+)(?P<time>\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?"
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ),
        start=1,
    )
    for name in names.split()
}
_YEAR = r"(?P<year>\d{4})"
_NAME = r"(?P<name>[a-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        _YEAR,
        _YEAR + r"[-/](?P<month>\d{1,2})",
        _YEAR + r"(?P<separator>[-/.])(?P<month>\d{1,2})(?P=separator)" + _DAY + _TIME,
        # xsd:date may carry a time zone (XML Schema part 2, 3.2.9); it is dropped.
        _YEAR + r"-(?P<month>\d\d)-(?P<day>\d\d)(?:Z|[+-]\d\d:\d\d)",
        _YEAR + r"(?P<month>\d\d)(?P<day>\d\d)",
        _YEAR + r"(?P<month>\d\d)(?P<day>\d\d)T(?P<basic>\d{4}(?:\d\d)?)"
        r"(?:[.,]\d+)?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?",
        _DAY + r"(?P<separator>[-/.])(?P<month>\d{1,2})(?P=separator)" + _YEAR + _TIME,
        _DAY + r"(?:st|nd|rd|th)?[-\s]+(?:of\s+)?" + _NAME + r"[-,\s]\s*" + _YEAR + _TIME,
        _NAME + r"\s+" + _DAY + r"(?:st|nd|rd|th)?,?\s+" + _YEAR + _TIME,
        _NAME + r"[-\s]\s*" + _YEAR,
    )
)
_RFC822 = re.compile(
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,\s*)?"
    r"\d{1,2} [a-z]{3} \d{4} \d{1,2}:\d\d(?::\d\d)? (?:[a-z]{1,4}|[+-]\d{4})",
    re.IGNORECASE | re.ASCII,
)
_DURATION = re.compile(
    r"P(?=.)(?:(?P<years>\d{1,4})Y)?(?:(?P<months>\d{1,5})M)?(?:(?P<weeks>\d{1,6})W)?"
    r"(?:(?P<days>\d{1,7})D)?"
    r"(?:T(?=.)(?:(?P<hours>\d{1,7})H)?(?:(?P<minutes>\d{1,7})M)?(?:(?P<seconds>\d{1,9})S)?)?",
    re.IGNORECASE | re.ASCII,
)
_EXPECTED = "expected a date such as 2024, 2024-01, 2024-01-31 or 2024-01-31T10:15:00Z"


def parse_date(value: str) -> str:
    """Return a date or date-time as ISO 8601 text, as precise as given.

    ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD`` or date-time with the zone as given; fractions of a
    second are dropped, midnight is kept. Also accepted: ``20240131``, a space instead of ``T``,
    ``2024/01/31``, ``31/01/2024`` (British order, always), ``31 January 2024``, ``Jan 31, 2024``,
    ``January 2024`` and RFC 822.

    Raises:
        ValueError: not a date, no such day, or a year outside ``YEARS``.
    """
    text = " ".join(value.split())
    if re.fullmatch(r"-?\d{9,14}", text):
        raise ValueError(f"'{text}' looks like a count of seconds or milliseconds; {_EXPECTED}")
    if _RFC822.fullmatch(text):
        return _rfc822(text)
    for pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            return _assemble(text, match.groupdict())
    raise ValueError(f"'{shorten(text, 40)}' is not a date; {_EXPECTED}")


def parse_period(value: str) -> Period:
    """Return the span of ``start/end``, ISO 8601 section 4.4; a single date is both ends.

    Either end may be a duration (``P1Y2M10DT2H``) or open (empty or ``..``), not both. The end
    of ``2019-01-01/P1Y`` is the instant that ISO 8601 gives it, 2020-01-01.

    Raises:
        ValueError: an end is not a date, both are open or durations, or it ends before it starts.
    """
    text = " ".join(value.split())
    try:
        single = parse_date(text)
    except ValueError:
        if "/" not in text:
            raise
    else:
        return Period(single, single)
    parts = text.split("/")
    # 01/04/2019/31/03/2020: the same number of parts on either side.
    half = len(parts) // 2
    if len(parts) % 2:
        raise ValueError(f"'{shorten(text, 60)}' is not a period; expected start/end in ISO 8601")
    start, end = "/".join(parts[:half]).strip(), "/".join(parts[half:]).strip()
    period = _period(start, end)
    shared = min(len(period.start), len(period.end))
    if period.start[:shared] > period.end[:shared]:
        raise ValueError(f"the period '{shorten(text, 60)}' ends before it starts")
    return period


def _period(start: str, end: str) -> Period:
    first, last = _end(start), _end(end)
    if not first and not last:
        raise ValueError(f"'{start}/{end}' names no date; expected one at either end")
    if _is_duration(start):
        first = _shift(last, start, forward=False)
    if _is_duration(end):
        last = _shift(first, end, forward=True)
    return Period(first, last)


def _end(value: str) -> str:
    return "" if value in ("", "..") or _is_duration(value) else parse_date(value)


def _is_duration(value: str) -> bool:
    return re.match(r"P[\dT]", value, re.IGNORECASE) is not None


def _shift(day: str, duration: str, *, forward: bool) -> str:
    """Add an ISO 8601 duration to a normalised date, or subtract it."""
    match = _DURATION.fullmatch(duration)
    if not match:
        raise ValueError(f"'{shorten(duration, 40)}' is not a duration; expected one such as P1Y2M")
    parts: dict[str, Any] = {unit: int(n) for unit, n in match.groupdict().items() if n}
    delta = relativedelta(**parts)
    has_time = "T" in day or "T" in duration.upper()
    base = datetime.fromisoformat(_complete(day))
    try:
        moved = base + delta if forward else base - delta
    except (OverflowError, ValueError) as exc:
        raise ValueError(f"'{shorten(duration, 40)}' leads out of the calendar") from exc
    text = moved.isoformat().replace("+00:00", "Z") if has_time else moved.date().isoformat()
    _check_year(moved.year, text)
    return text


def _complete(day: str) -> str:
    """Complete a partial date to its first day, in a form for Python 3.10's fromisoformat."""
    return (day + "-01-01"[len(day) - 4 :])[:10] if len(day) < 10 else day.replace("Z", "+00:00")


def _assemble(text: str, parts: dict[str, str | None]) -> str:
    """Write the parts of a match as ISO 8601; raise ValueError if there is no such time."""
    year, month, day = int(parts["year"] or 0), _month(parts), parts.get("day")
    if month is None and parts.get("name"):
        raise ValueError(f"'{shorten(text, 40)}' is not a date; {_EXPECTED}")
    _check_year(year, text)
    time, zone = _time(parts), _zone(parts.get("zone") or "")
    try:
        date(year, 1 if month is None else month, int(day or 1))
        if time:
            datetime.fromisoformat(f"2000-01-01T{time}{zone.replace('Z', '+00:00')}")
    except ValueError:
        hint = "; with slashes the day is read first" if _is_american(parts) else ""
        raise ValueError(f"there is no date '{shorten(text, 40)}'{hint}") from None
    written = f"{year:04}" + (f"-{month:02}" if month else "") + (f"-{int(day):02}" if day else "")
    return f"{written}T{time}{zone}" if time else written


def _month(parts: dict[str, str | None]) -> int | None:
    if name := parts.get("name"):
        return _MONTHS.get(name.lower())
    month = parts.get("month")
    return None if month is None else int(month)


def _is_american(parts: dict[str, str | None]) -> bool:
    return parts.get("separator") == "/" and int(parts.get("month") or 0) > 12


def _time(parts: dict[str, str | None]) -> str:
    if basic := parts.get("basic"):
        return ":".join(basic[i : i + 2] for i in range(0, len(basic), 2))
    return parts.get("time") or ""


def _zone(zone: str) -> str:
    """Write a zone as ``Z`` or ``+hh:mm``."""
    if zone.upper() in ("Z", "UTC", "GMT"):
        return "Z"
    digits = zone.replace(":", "")
    return f"{digits[:3]}:{digits[3:] or '00'}" if digits else ""


def _rfc822(text: str) -> str:
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError) as exc:
        raise ValueError(f"there is no date '{shorten(text, 40)}'") from exc
    _check_year(moment.year, text)
    # RFC 5322, 3.3: the zone "-0000" says UTC without knowing the local time.
    offset = moment.utcoffset() or timedelta(0)
    return moment.isoformat() if offset else moment.replace(tzinfo=None).isoformat() + "Z"


def _check_year(year: int, text: str) -> None:
    if year not in YEARS:
        raise ValueError(
            f"the year of '{shorten(text, 40)}' cannot be right; "
            f"expected one between {YEARS[0]} and {YEARS[-1]}"
        )
