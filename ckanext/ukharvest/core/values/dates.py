"""Dates in ISO 8601, with the precision of the source.

Own patterns instead of dateutil's parser, which fills missing parts from today's date ("May" → the
current day and year) and reads ``01/02/2024`` the American way.
"""

from __future__ import annotations

import datetime as dt
import re
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten


def iso(moment: dt.datetime | None) -> str | None:
    """Return ISO 8601 with a time zone: the database's times are naive UTC."""
    if moment is None:
        return None
    return moment.replace(tzinfo=dt.timezone.utc, microsecond=0).isoformat()


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
        r"(?P<month>\d{1,2})/" + _YEAR,
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
LONGEST = 500  # characters of a date or period; DCMI's also have a name
NO_DATE = "0001-01-01"  # .NET writes it where there is no date
# reference.data.gov.uk names moments by URIs that contain them.
_MOMENT = re.compile(
    r"https?://reference\.data\.gov\.uk/id/(?:gregorian-)?(?:year|month|day|instant)/"
)
_NAMED_YEAR = r"(?:FY|(?:financial|fiscal|tax)\s+year)"
_GOVERNMENT_YEAR = re.compile(
    rf"(?P<before>{_NAMED_YEAR}\s*:?\s*)?(?P<year>\d{{4}})\s?(?P<sign>[-/–])\s?"  # noqa: RUF001
    rf"(?P<next>\d\d|\d{{4}})(?P<after>\s*\(?{_NAMED_YEAR}\)?)?",
    re.IGNORECASE | re.ASCII,
)
_EXPECTED = Message("expected a date such as 2024, 2024-01, 2024-01-31 or 2024-01-31T10:15:00Z")


def parse_date(value: str) -> str:
    """Return a date or date-time as ISO 8601 text, as precise as given.

    ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD`` or date-time with the zone as given; fractions of a
    second are dropped, midnight is kept. Also accepted: ``20240131``, a space instead of ``T``,
    ``2024/01/31``, ``31/01/2024`` (British order, always), ``31 January 2024``, ``Jan 31, 2024``,
    ``January 2024``, ``01/2024``, RFC 822, and the URIs of reference.data.gov.uk. "" for
    ``NO_DATE``.

    Raises:
        ValueError: not a date, no such day, or a year outside ``YEARS``; a government year.
    """
    text = _MOMENT.sub("", " ".join(value.split()), count=1)
    if text.startswith(NO_DATE):
        return ""
    if len(text) > LONGEST:
        raise ValueError(
            Message(
                "'{text}' is not a date; {expected}", text=shorten(text, 40), expected=_EXPECTED
            )
        )
    if government_year(text):
        raise ValueError(
            Message(
                "'{text}' is a financial year, not a date; {expected}",
                text=shorten(text, 40),
                expected=_EXPECTED,
            )
        )
    if re.fullmatch(r"-?\d{9,14}", text):
        raise ValueError(
            Message(
                "'{text}' looks like a count of seconds or milliseconds; {expected}",
                text=text,
                expected=_EXPECTED,
            )
        )
    if _RFC822.fullmatch(text):
        return _rfc822(text)
    for pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            return _assemble(text, match.groupdict())
    raise ValueError(
        Message("'{text}' is not a date; {expected}", text=shorten(text, 40), expected=_EXPECTED)
    )


_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T00:00(?::00)?(?:Z|[+-]\d\d:\d\d)?)?")


def plain_moment(text: str) -> str:
    """Return a day or time in ISO 8601 in one spelling: midnight as the day, times in UTC.

    Any other text as it is.
    """
    if not text[:4].isdigit() or text[4:5] != "-":
        return text
    try:
        moment = parse_date(text)
    except ValueError:
        return text
    if day := _MIDNIGHT.fullmatch(moment):
        return day[1]
    if "T" not in moment:
        return text
    time = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return (time.astimezone(dt.timezone.utc) if time.tzinfo else time).isoformat()


def government_year(text: str) -> int:
    """Return the year on whose 1 April a government year begins; 0 for another text.

    "2010/11" is one, with a hyphen only where a word says so ("FY 2010-11"): 2010-11 is a month.
    """
    match = _GOVERNMENT_YEAR.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return 0
    year, following = int(match["year"]), match["next"]
    is_named = match["before"] or match["after"] or (match["sign"] == "/" and len(following) == 2)
    return year if is_named and f"{year + 1}".endswith(following) else 0


def _assemble(text: str, parts: dict[str, str | None]) -> str:
    """Write the parts of a match as ISO 8601; raise ValueError if there is no such time."""
    year, month, day = int(parts["year"] or 0), _month(parts), parts.get("day")
    if month is None and parts.get("name"):
        raise ValueError(
            Message(
                "'{text}' is not a date; {expected}", text=shorten(text, 40), expected=_EXPECTED
            )
        )
    check_year(year, text)
    time, zone = _time(parts), _zone(parts.get("zone") or "")
    try:
        date(year, 1 if month is None else month, int(day or 1))
        if time:
            datetime.fromisoformat(f"2000-01-01T{time}{zone.replace('Z', '+00:00')}")
    except ValueError:
        is_american = parts.get("separator") == "/" and int(parts.get("month") or 0) > 12
        hint = Message("; with slashes the day is read first") if is_american else ""
        raise ValueError(
            Message("the date '{text}' does not exist{hint}", text=shorten(text, 40), hint=hint)
        ) from None
    written = f"{year:04}" + (f"-{month:02}" if month else "") + (f"-{int(day):02}" if day else "")
    return f"{written}T{time}{zone}" if time else written


def _month(parts: dict[str, str | None]) -> int | None:
    if name := parts.get("name"):
        return _MONTHS.get(name.lower())
    month = parts.get("month")
    return None if month is None else int(month)


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
        raise ValueError(
            Message("the date '{text}' does not exist", text=shorten(text, 40))
        ) from exc
    check_year(moment.year, text)
    # RFC 5322, 3.3: the zone "-0000" says UTC without knowing the local time.
    offset = moment.utcoffset() or timedelta(0)
    return moment.isoformat() if offset else moment.replace(tzinfo=None).isoformat() + "Z"


def check_year(year: int, text: str) -> None:
    """Raise ValueError for a year outside ``YEARS``."""
    if year not in YEARS:
        raise ValueError(
            Message(
                "the year of '{text}' cannot be right; expected one between {first} and {last}",
                text=shorten(text, 40),
                first=YEARS[0],
                last=YEARS[-1],
            )
        )
