"""The times that a GEMINI record covers (element 7), in any edition of GML.

GML 3.2 (ISO 19136), 14.2.2: a position may be indeterminate (now, unknown, before, after).
"""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

_TIMES = "extent/*/temporalElement/*/extent/*"
_BEGIN = ("beginPosition", "begin/*/timePosition")
_END = ("endPosition", "end/*/timePosition")


@dataclass(frozen=True, slots=True)
class _Moment:
    """A date, or an indeterminate position: now, unknown, before, after."""

    date: str = ""
    vague: str = ""

    @property
    def key(self) -> str:
        """Text that sorts a date after all dates within it: 2018 after 2018-03."""
        return f"{self.date}~"


@dataclass(frozen=True, slots=True)
class _Time:
    begin: _Moment
    end: _Moment
    about: str

    def facts(self) -> dict[str, str]:
        """Its facts, as stored in the extra."""
        parts = {
            "from": self.begin.date,
            "from-position": self.begin.vague,
            "to": self.end.date,
            "to-position": self.end.vague,
            "description": self.about,
        }
        return without_blanks(parts)


def _temporal(entry: Entry) -> FieldValues:
    """Return the time span around all times, open where one is; each time in an extra."""
    found = [each for node in entry.identification.find_all(_TIMES) if (each := _time(node))]
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
        "extras": {
            "temporal-extents": json_list(each.facts() for each in times) if says_more else ""
        },
    }


def _time(node: IsoNode) -> _Time | None:
    """Return one TimePeriod or TimeInstant; None for an empty one from an editor's template."""
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
    for each in node.find_all(*paths):
        vague = each.attribute("indeterminatePosition")
        text = each.own_text().text
        if vague.lower() == "now" and not text:
            return _Moment(vague="now")
        # Some editors write the position's word in place of the date.
        if text.lower() in ("now", "unknown", "present", "ongoing"):
            return _Moment(vague="unknown" if text.lower() == "unknown" else "now")
        date = each.parse_value(f"gml:{each.name}", text, parse_date, "bad-date")
        if date or vague:
            return _Moment(date, vague)
    return _Moment()


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:temporalElement",), "temporal; extra temporal-extents", _temporal),
)
