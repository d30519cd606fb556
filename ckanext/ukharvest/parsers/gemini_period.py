"""The times that a GEMINI record covers (element 7), in any edition of GML.

GML 3.2 (ISO 19136), 14.2.2: a position may be indeterminate (now, unknown, before, after).
"""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import parse_date
from ckanext.ukharvest.parsers.gemini_entry import Entry, listed, without_blanks
from ckanext.ukharvest.parsers.iso_node import IsoNode

_TIMES = "extent/*/temporalElement/*/extent/*"
_BEGIN = ("beginPosition", "begin/*/timePosition")
_END = ("endPosition", "end/*/timePosition")


@dataclass(frozen=True, slots=True)
class _Moment:
    """A date, or what is said in its place or of it: now, unknown, before, after."""

    date: str = ""
    vague: str = ""

    @property
    def key(self) -> str:
        """The date as text that sorts behind all that lies within it: 2018 behind 2018-03."""
        return f"{self.date}~"


@dataclass(frozen=True, slots=True)
class _Time:
    begin: _Moment
    end: _Moment
    about: str

    def facts(self) -> dict[str, str]:
        """What is known of it, as the extra has it."""
        parts = {
            "from": self.begin.date,
            "from-position": self.begin.vague,
            "to": self.end.date,
            "to-position": self.end.vague,
            "description": self.about,
        }
        return without_blanks(parts)


def _temporal(entry: Entry) -> Found:
    """The hull of all times, open at an end where one of them is; all of them in an extra."""
    found = [each for node in entry.identification.each(_TIMES) if (each := _time(node))]
    times = list(dict.fromkeys(found))
    if not times:
        return {}
    starts = ["" if each.begin.vague == "before" else each.begin.date for each in times]
    ends = [_Moment() if each.end.vague == "after" else each.end for each in times]
    start = min(starts)
    end = max(ends, key=lambda each: each.key).date if all(each.date for each in ends) else ""
    says_more = len(times) > 1 or bool(times[0].facts().keys() - {"from", "to"})
    return {
        "temporal": Period(start, end) if start or end else None,
        "extras": {"temporal-extents": listed(each.facts() for each in times) if says_more else ""},
    }


def _time(node: IsoNode) -> _Time | None:
    """One TimePeriod or TimeInstant; None for the empty one of an editor's template."""
    about = node.text("description")
    if node.name == "TimeInstant":
        moment = _moment(node, "timePosition")
        return _Time(moment, moment, about) if moment.date else None
    begin, end = _moment(node, *_BEGIN), _moment(node, *_END)
    if not begin.date and not end.date:
        return None
    shared = min(len(begin.date), len(end.date))
    if begin.date[:shared] > end.date[:shared]:
        words = f"begins {begin.date} and ends {end.date}, which is read the other way round"
        node.report("reversed-period", "gml:TimePeriod", words)
        begin, end = end, begin
    return _Time(begin, end, about)


def _moment(node: IsoNode, *paths: str) -> _Moment:
    for each in node.each(*paths):
        vague = each.attribute("indeterminatePosition")
        text = each.own_said().text
        if vague.lower() == "now" and not text:
            return _Moment(vague="now")
        # Some editors write the word where the date is due.
        if text.lower() in ("now", "unknown", "present", "ongoing"):
            return _Moment(vague="unknown" if text.lower() == "unknown" else "now")
        date = each.parsed(f"gml:{each.name}", text, parse_date, "bad-date")
        if date or vague:
            return _Moment(date, vague)
    return _Moment()


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:temporalElement",), "temporal; extra temporal-extents", _temporal),
)
