"""Periods: spans of time as publishers write them, in every format.

A period is ``start/end`` in ISO 8601, two dates in words, or one of the named ones: a government
year ("2010/11", "FY 2010-11"), or an interval of reference.data.gov.uk, by its URI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.dates import LONGEST, check_year, government_year, parse_date
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.text import clean_text, shorten

TEXT = "temporal-text"  # the extra with the text of periods that could not be read whole
EXTENTS = "temporal-extents"  # the extra with each of several periods

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
    """The span around all periods of a record, the texts that were not read, and each period."""

    whole: Period | None
    unread: str
    parts: tuple[Period, ...] = ()

    @property
    def extras(self) -> dict[str, str]:
        """The extras that keep the unread texts, and several periods as JSON."""
        parts = sorted(map(as_facts, self.parts), key=in_time)
        several = as_text(parts) if len(parts) > 1 else ""
        return {TEXT: clean_text(self.unread), EXTENTS: several}


def as_facts(period: Period) -> dict[str, str]:
    """Return a period as an object of the extra ``EXTENTS``."""
    ends = {"from": period.start, "to": period.end}
    return {name: text for name, text in ends.items() if text}


def in_time(facts: Mapping[str, str]) -> tuple[str, str]:
    """Return the key that sorts objects of the extra ``EXTENTS``: RDF has no other order."""
    return facts.get("from", ""), facts.get("to", "")


def read_periods(texts: Iterable[str | tuple[str, str]], report: Report) -> Periods:
    """Read the periods of a record: texts, or pairs of a beginning and an end."""
    periods: dict[Period, None] = {}
    unread: dict[str, None] = {}
    for value in texts:
        if isinstance(value, str):
            period, is_whole = _read_text(value, report)
            text = value
        else:
            period, is_whole = _read_ends(value, report)
            text = "/".join(dict.fromkeys(value))
        periods |= {period: None} if period else {}
        if not is_whole:
            unread[" ".join(text.split())] = None
    return Periods(span(periods), "; ".join(unread), tuple(periods))


def join_periods(parts: Iterable[Periods]) -> Periods:
    """Return what was read in several places as one."""
    periods = list(parts)
    unread = dict.fromkeys(part.unread for part in periods if part.unread)
    unique = dict.fromkeys(period for part in periods for period in part.parts)
    return Periods(span(unique), "; ".join(unread), tuple(unique))


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
        period = parse_period(text)
    except PeriodError as exc:
        report("reversed-period" if exc.is_reversed else "bad-period", str(exc), "")
        return exc.partial, exc.is_reversed
    if government_year(f"FY {text.strip()}") and period.start == period.end:
        words = Message(
            "'{text}' is read as a month; expected {year} for a financial year",
            text=text.strip(),
            year=text.strip().replace("-", "/"),
        )
        report("bad-period", words, "")
    return period, True


def _read_ends(ends: tuple[str, str], report: Report) -> tuple[Period | None, bool]:
    start, end = (" ".join(text.split()) for text in ends)
    if start and not end and (period := _whole(start)):
        return period, True
    dates, is_whole = [], True
    for name, text in (("start", start), ("end", end)):
        try:
            dates.append(_parse_end(text, name))
        except ValueError as exc:
            if is_whole or start != end:
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


def _whole(text: str) -> Period | None:
    """Return the period in a text that has both of its ends; None for a lone date."""
    try:
        period = parse_period(text)
    except PeriodError:
        return None
    return None if period.start == period.end or _named(text) else period


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
    if period := _named(text):
        return period
    try:
        day = parse_date(text)
    except ValueError as exc:
        refused = PeriodError(str(exc))
    else:
        return Period(day, day)
    if len(text) > LONGEST:
        raise refused
    if ends := {name.lower(): end.strip() for name, end in _DCMI.findall(text)}:
        return _between_parts(ends.get("start", ""), ends.get("end", ""))
    parts = text.split("/")
    if len(parts) == 3 and _is_duration(parts[2]):  # OGC's interval has a resolution
        parts = parts[:2]
    if len(parts) > 1:
        try:
            return _around_slash(parts)
        except PeriodError as exc:
            refused = exc
    return _in_words(text, refused)


def _around_slash(parts: list[str]) -> Period:
    """Return the period of a text's parts between slashes; a date such as 01/04/2019 has three."""
    half = len(parts) // 2
    if len(parts) % 2:
        text = shorten("/".join(parts), 60)
        raise PeriodError(
            Message("'{text}' is not a period; expected start/end in ISO 8601", text=text)
        )
    return _between_parts("/".join(parts[:half]).strip(), "/".join(parts[half:]).strip())


def _in_words(text: str, refused: PeriodError) -> Period:
    """Return the likeliest period that a text can mean; raise the best error if there is none."""
    for start, end in _readings(text) if not refused.is_reversed else ():
        try:
            return _between(start, end)
        except PeriodError as exc:
            # 2019-13 is no short form of 2019 to 2013.
            refused = exc if exc.is_reversed and len(end) > 2 else refused
        except ValueError:
            pass
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


def _readings(text: str) -> Iterator[tuple[str, str]]:
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
    first = "" if _is_duration(start) else _parse_end(start, "start")
    last = "" if _is_duration(end) else _parse_end(end, "end")
    if not first and not last:
        raise PeriodError(
            Message("'{start}/{end}' has no date; expected one at either end", start=start, end=end)
        )
    if _is_duration(start):
        first = _shift(last, start, forward=False)
    if _is_duration(end):
        last = _shift(first, end, forward=True)
    return _ordered(Period(first, last))


def _ordered(period: Period) -> Period:
    shared = min(len(period.start), len(period.end))
    if period.start[:shared] > period.end[:shared]:
        words = Message(
            "the period '{start}/{end}' ends before it starts; it was read the other way round",
            start=period.start,
            end=period.end,
        )
        raise PeriodError(words, Period(period.end, period.start), is_reversed=True)
    return period


def _parse_end(text: str, name: str) -> str:
    """Return the date of an end, "start" or "end"; "" where it is open."""
    words = _OPEN if name == "start" else LASTING
    if text.casefold() in words or (text.startswith("9999") and name == "end"):
        return ""  # databases write their last date where there is no end
    period = _named(text)
    return getattr(period, name) if period else parse_date(text)


# reference.data.gov.uk names spans of time by URIs that contain them. A government year begins on
# 1 April, its first week has 4 April in it; ISO's first week has 4 January in it.
_INTERVAL = re.compile(
    r"https?://reference\.data\.gov\.uk/id/(?:gregorian-|government-)?(?P<kind>[a-z]+)/"
    r"(?P<text>(?P<year>\d{4})(?P<until>-\d{4})?(?:[-/](?P<part>[QHW])(?P<number>\d{1,2}))?.*)",
    re.IGNORECASE | re.ASCII,
)
_MONTHS = {"Q": 3, "H": 6}  # in a part of a year


def _named(text: str) -> Period | None:
    """Return the period that a text names without two dates, None for another text."""
    match = _INTERVAL.fullmatch(text) if len(text) <= LONGEST else None
    year, part, number = government_year(text), "", 1
    if match:
        if match["kind"] == "interval":
            return parse_period(match["text"])
        year = int(match["year"]) if match["until"] or match["part"] else 0
        part, number = (match["part"] or "").upper(), int(match["number"] or 1)
    if not year:
        return None
    month = 4 if match is None or match["until"] else 1
    try:
        if part == "W":
            start = date(year, month, 4) + timedelta(weeks=number - 1)
            start -= timedelta(days=start.weekday())
            return Period(start.isoformat(), (start + timedelta(days=6)).isoformat())
        months = _MONTHS.get(part, 12)
        start = date(year, month, 1) + relativedelta(months=months * (number - 1))
        end = start + relativedelta(months=months, days=-1)
    except (OverflowError, ValueError):
        return None
    return Period(start.isoformat(), end.isoformat())


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
        raise ValueError(
            Message(
                "'{duration}' is not a duration; expected one such as P1Y2M",
                duration=shorten(duration, 40),
            )
        )
    parts: dict[str, Any] = {unit: int(n) for unit, n in match.groupdict().items() if n}
    delta = relativedelta(**parts)
    has_time = "T" in day or "T" in duration.upper()
    # In a form for Python 3.10's fromisoformat, a partial date by its first day.
    whole = (day + "-01-01"[len(day) - 4 :])[:10] if len(day) < 10 else day.replace("Z", "+00:00")
    base = datetime.fromisoformat(whole)
    try:
        moved = base + delta if forward else base - delta
    except (OverflowError, ValueError) as exc:
        raise ValueError(
            Message("'{duration}' is too long for the calendar", duration=shorten(duration, 40))
        ) from exc
    text = moved.isoformat().replace("+00:00", "Z") if has_time else moved.date().isoformat()
    check_year(moved.year, text)
    return text
