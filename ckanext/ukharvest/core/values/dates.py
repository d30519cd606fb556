"""Dates in ISO 8601, with the precision of the source.

Own patterns instead of dateutil's parser, which fills missing parts from today's date ("May" → the
current day and year) and reads ``01/02/2024`` the American way.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.text import clean_text, shorten


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
_LONGEST = 500  # characters of a date or period; DCMI's also have a name
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
    if len(text) > _LONGEST:
        raise ValueError(f"'{shorten(text, 40)}' is not a date; {_EXPECTED}")
    if re.fullmatch(r"-?\d{9,14}", text):
        raise ValueError(f"'{text}' looks like a count of seconds or milliseconds; {_EXPECTED}")
    if _RFC822.fullmatch(text):
        return _rfc822(text)
    for pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            return _assemble(text, match.groupdict())
    raise ValueError(f"'{shorten(text, 40)}' is not a date; {_EXPECTED}")


def _assemble(text: str, parts: dict[str, str | None]) -> str:
    """Write the parts of a match as ISO 8601; raise ValueError if there is no such time."""
    year, month, day = int(parts["year"] or 0), _month(parts), parts.get("day")
    if month is None and parts.get("name"):
        raise ValueError(f"'{shorten(text, 40)}' is not a date; {_EXPECTED}")
    check_year(year, text)
    time, zone = _time(parts), _zone(parts.get("zone") or "")
    try:
        date(year, 1 if month is None else month, int(day or 1))
        if time:
            datetime.fromisoformat(f"2000-01-01T{time}{zone.replace('Z', '+00:00')}")
    except ValueError:
        is_american = parts.get("separator") == "/" and int(parts.get("month") or 0) > 12
        hint = "; with slashes the day is read first" if is_american else ""
        raise ValueError(f"there is no date '{shorten(text, 40)}'{hint}") from None
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
        raise ValueError(f"there is no date '{shorten(text, 40)}'") from exc
    check_year(moment.year, text)
    # RFC 5322, 3.3: the zone "-0000" says UTC without knowing the local time.
    offset = moment.utcoffset() or timedelta(0)
    return moment.isoformat() if offset else moment.replace(tzinfo=None).isoformat() + "Z"


def check_year(year: int, text: str) -> None:
    """Raise ValueError for a year outside ``YEARS``."""
    if year not in YEARS:
        raise ValueError(
            f"the year of '{shorten(text, 40)}' cannot be right; "
            f"expected one between {YEARS[0]} and {YEARS[-1]}"
        )


TEXT = "temporal-text"  # the extra with the text of periods that could not be read whole

_DURATION = re.compile(
    r"P(?=.)(?:(?P<years>\d{1,4})Y)?(?:(?P<months>\d{1,5})M)?(?:(?P<weeks>\d{1,6})W)?"
    r"(?:(?P<days>\d{1,7})D)?"
    r"(?:T(?=.)(?:(?P<hours>\d{1,7})H)?(?:(?P<minutes>\d{1,7})M)?(?:(?P<seconds>\d{1,9})S)?)?",
    re.IGNORECASE | re.ASCII,
)
_OPEN = frozenset(("", "..", "*", "?", "unknown"))
LASTING = _OPEN | frozenset(
    ("present", "the present", "present day", "now", "ongoing", "on-going", "current", "today")
    + ("date", "continuing", "onwards", "onward", "open")
)
# DCMI Period: "name=Great War; start=1914; end=1918;".
_DCMI = re.compile(r"(?<![^\s;])(start|end)\s*=\s*([^;]*)", re.IGNORECASE)
_SINCE = re.compile(
    r"(?:since|from|after)\s+(?P<after>.+)|(?P<onwards>.+?)(?:\s+onwards?|\s*\+|\s*[-–—])",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?:until|till|up to|to|before)\s+(.+)", re.IGNORECASE)
_LEADING = re.compile(r"(?:from|between)\s+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\s+(?:to|until|till|through)\s+|\s+(?:-|--)\s+|\s*[–—]\s*|(?<=\d)(?:--|\.\.)(?=\d)",
    re.IGNORECASE,
)
_AND = re.compile(r"between\s+(.+?)\s+and\s+(.+)", re.IGNORECASE)
# The last parts of a date or a time, after which those of the beginning are left out.
_SHORT = re.compile(r"(?:(?:\d\d-)?\d\d(?:T(?=\d))?)?(?:\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_ZONE = re.compile(r"(?<=:\d\d)(?:Z|[+-]\d\d:\d\d)$")

# Called with a problem's code, its text, and "start" or "end" where one of two fields is wrong.
Report = Callable[[str, str, str], None]


class PeriodError(ValueError):
    """Raised for a period that cannot be read whole.

    Attributes:
        partial: what can be read of it, None for nothing.
        is_reversed: it ends before it starts, and ``partial`` is the period the other way round.
    """

    def __init__(
        self, words: str, partial: Period | None = None, *, is_reversed: bool = False
    ) -> None:
        super().__init__(words)
        self.partial = partial
        self.is_reversed = is_reversed


class Periods(NamedTuple):
    """The span around all periods of a record, and the texts that could not be read whole."""

    whole: Period | None
    unread: str

    @property
    def extras(self) -> dict[str, str]:
        """The extra that keeps the unread texts."""
        return {TEXT: clean_text(self.unread)} if self.unread else {}


def read_periods(given: Iterable[str | tuple[str, str]], report: Report) -> Periods:
    """Read the periods of a record: texts, or pairs of a beginning and an end."""
    periods: list[Period] = []
    unread: dict[str, None] = {}
    for value in given:
        if isinstance(value, str):
            period, is_whole = _read_text(value, report)
            text = value
        else:
            period, is_whole = _read_ends(value, report)
            text = "/".join(value)
        periods += [period] if period else []
        if not is_whole:
            unread[" ".join(text.split())] = None
    return Periods(span(periods), "; ".join(unread))


def join_periods(parts: Iterable[Periods]) -> Periods:
    """Return what was read in several places as one."""
    periods = list(parts)
    unread = dict.fromkeys(part.unread for part in periods if part.unread)
    return Periods(span(part.whole for part in periods if part.whole), "; ".join(unread))


def is_span(text: str) -> bool:
    """Tell whether a text is a period, whole or not, and not a single date."""
    try:
        parse_date(text)
    except ValueError:
        pass
    else:
        return False
    try:
        parse_period(text)
    except PeriodError as exc:
        return exc.partial is not None
    return True


def _read_text(text: str, report: Report) -> tuple[Period | None, bool]:
    if not text.strip():
        return None, True
    try:
        return parse_period(text), True
    except PeriodError as exc:
        report("reversed-period" if exc.is_reversed else "bad-period", str(exc), "")
        return exc.partial, exc.is_reversed


def _read_ends(ends: tuple[str, str], report: Report) -> tuple[Period | None, bool]:
    dates, is_whole = [], True
    for name, text, words in zip(("start", "end"), ends, (_OPEN, LASTING), strict=True):
        try:
            dates.append(_parse_end(" ".join(text.split()), words))
        except ValueError as exc:
            report("bad-date", str(exc), name)
            dates.append("")
            is_whole = False
    if not any(dates):
        return None, is_whole
    try:
        return _ordered(Period(*dates)), is_whole
    except PeriodError as exc:
        report("reversed-period", str(exc), "end")
        return exc.partial, is_whole


def span(periods: Iterable[Period]) -> Period | None:
    """Return the span around some periods, open where one of them is; None for none.

    The end of 2018 is later than that of 2018-03.
    """
    parts = list(dict.fromkeys(periods))
    if not parts:
        return None
    end = max((part.end for part in parts), key="{}~".format)  # after all dates within it
    return Period(min(part.start for part in parts), end if all(part.end for part in parts) else "")


def parse_period(value: str) -> Period:
    """Return the span of a text such as ``start/end``; a single date is both ends.

    Either end may be a duration (``P1Y2M10DT2H``) or open (empty, ``..``, "present"), not both.
    The end of ``2019-01-01/P1Y`` is the instant that ISO 8601 gives it, 2020-01-01. ISO's short
    forms leave out what the end shares with the beginning: ``2019-04-01/30``. "2018/19" and
    "2018-19" are two years, as no month has the number 19.

    Raises:
        PeriodError: it cannot be read whole, or it ends before it starts; then ``partial`` is the
            period the other way round.
    """
    text = " ".join(value.split())
    try:
        date = parse_date(text)
    except ValueError as exc:
        refused = PeriodError(str(exc))
    else:
        return Period(date, date)
    if len(text) > _LONGEST:
        raise refused
    if ends := {name.lower(): date.strip() for name, date in _DCMI.findall(text)}:
        return _between_parts(ends.get("start", ""), ends.get("end", ""))
    parts = text.split("/")
    half = len(parts) // 2
    if not len(parts) % 2:  # of dates such as 01/04/2019 each has half of the parts
        return _between_parts("/".join(parts[:half]).strip(), "/".join(parts[half:]).strip())
    for start, end in _in_words(text):
        try:
            return _between(start, end)
        except PeriodError as exc:
            # 2019-13 is no short form of 2019 to 2013.
            refused = exc if exc.is_reversed and len(end) > 2 else refused
        except ValueError:
            pass
    if len(parts) > 1 and not refused.is_reversed:
        raise PeriodError(f"'{shorten(text, 60)}' is not a period; expected start/end in ISO 8601")
    raise refused


def _between_parts(start: str, end: str) -> Period:
    """Return the period between two texts; if one is no date, the error has the other."""
    try:
        return _between(start, end)
    except PeriodError:
        raise
    except ValueError as exc:
        raise PeriodError(str(exc), partial=_partial(start, end)) from exc


def _partial(start: str, end: str) -> Period | None:
    for dates in ((start, ""), ("", end)):
        try:
            return _between(*dates)
        except ValueError:
            continue
    return None


def _in_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the beginnings and ends that a text may mean, the likeliest first."""
    if match := _AND.fullmatch(text):
        yield match[1], match[2]
    bare = _LEADING.sub("", text, count=1) if _LEADING.match(text) else text
    parts = _BETWEEN.split(bare)
    if len(parts) == 2:
        yield parts[0].strip(), parts[1].strip()
    # 2010-01-01-2015-12-31: the same number of parts on either side.
    parts = bare.split("-")
    half = len(parts) // 2
    if len(parts) > 1 and not len(parts) % 2 and all(parts):
        yield "-".join(parts[:half]).strip(), "-".join(parts[half:]).strip()
    if match := _SINCE.fullmatch(text):
        yield (match["after"] or match["onwards"]).strip(), ""
    if match := _UNTIL.fullmatch(text):
        yield "", match[1]


def _between(start: str, end: str) -> Period:
    """Return the period between two texts.

    Raises:
        PeriodError: it ends before it starts.
        ValueError: an end is not a date, or both are open or durations.
    """
    end = _completed_end(start, end)
    start = _completed_start(start, end)
    first = "" if _is_duration(start) else _parse_end(start, _OPEN)
    last = "" if _is_duration(end) else _parse_end(end, LASTING)
    if not first and not last:
        raise PeriodError(f"'{start}/{end}' names no date; expected one at either end")
    if _is_duration(start):
        first = _shift(last, start, forward=False)
    if _is_duration(end):
        last = _shift(first, end, forward=True)
    return _ordered(Period(first, last))


def _ordered(period: Period) -> Period:
    shared = min(len(period.start), len(period.end))
    if period.start[:shared] > period.end[:shared]:
        words = f"the period '{period.start}/{period.end}' ends before it starts"
        turned = Period(period.end, period.start)
        raise PeriodError(f"{words}, and is read the other way round", turned, is_reversed=True)
    return period


def _parse_end(text: str, words: frozenset[str]) -> str:
    return "" if text.casefold() in words else parse_date(text)


def _completed_end(start: str, end: str) -> str:
    """Return an end with what it leaves out as in ISO 8601, section 4.4.5: 2019-04-01/30."""
    if not end or not _SHORT.fullmatch(_ZONE.sub("", end)):
        return end
    zone = _ZONE.search(start)
    whole = start[: zone.start()] if zone else start
    bare = _ZONE.sub("", end)
    if len(bare) >= len(whole):
        return end
    completed = whole[: -len(bare)] + end
    return completed + zone[0] if zone and bare == end else completed


def _completed_start(start: str, end: str) -> str:
    """Return a beginning with what only the end has: "1 April to 30 June 2015"."""
    if not re.fullmatch(r"[a-z]{3,9}\.?|\d{1,2}(?:st|nd|rd|th)?(?:\s[a-z]{3,9})?", start, re.I):
        return start
    words = end.split()
    for number in range(1, len(words)):
        try:
            return parse_date(" ".join((start, *words[-number:])))
        except ValueError:
            continue
    return start


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
    check_year(moved.year, text)
    return text


def _complete(day: str) -> str:
    """Complete a partial date to its first day, in a form for Python 3.10's fromisoformat."""
    return (day + "-01-01"[len(day) - 4 :])[:10] if len(day) < 10 else day.replace("Z", "+00:00")
