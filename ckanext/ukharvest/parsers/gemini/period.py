"""The times that a GEMINI record covers (element 7), in any edition of GML.

GML 3.2 (ISO 19136), 14.2.2: a position may be indeterminate (now, unknown, before, after).
"""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.periods import LASTING, Periods, span
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
    unread: str = ""  # its text, if that is no date


@dataclass(frozen=True, slots=True)
class _Time:
    begin: _Moment
    end: _Moment
    about: str

    @property
    def period(self) -> Period:
        """The same without what only the extra tells."""
        start = "" if self.begin.vague == "before" else self.begin.date
        return Period(start, "" if self.end.vague == "after" else self.end.date)

    @property
    def unread(self) -> str:
        """The text of a time that could not be read whole, "" of others."""
        begin, end = (each.date or each.unread for each in (self.begin, self.end))
        is_whole = not (self.begin.unread or self.end.unread)
        return "" if is_whole else begin if self.begin == self.end else f"{begin}/{end}"

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
    found = [_time(node) for node in entry.identification.find_all(_TIMES)]
    unread = Periods(None, "; ".join(dict.fromkeys(filter(None, (t.unread for t in found)))))
    times = list(dict.fromkeys(each for each in found if each.begin.date or each.end.date))
    if not times:
        return {"extras": unread.extras}
    whole = span(each.period for each in times)
    says_more = len(times) > 1 or bool(times[0].facts().keys() - {"from", "to"})
    return {
        "temporal": whole if whole != Period() else None,
        "extras": {
            **unread.extras,
            "temporal-extents": json_list(each.facts() for each in times) if says_more else "",
        },
    }


def _time(node: IsoNode) -> _Time:
    """Return one TimePeriod or TimeInstant; one from an editor's template may be empty."""
    about = node.text("description")
    if node.name == "TimeInstant":
        moment = _moment(node, "timePosition")
        return _Time(moment, moment, about)
    begin, end = _moment(node, *_BEGIN), _moment(node, *_END)
    shared = min(len(begin.date), len(end.date))
    if begin.date[:shared] > end.date[:shared]:
        words = f"begins {begin.date} and ends {end.date}, which is read the other way round"
        node.report("reversed-period", "gml:TimePeriod", words)
        begin, end = end, begin
    return _Time(begin, end, about)


def _moment(node: IsoNode, *paths: str) -> _Moment:
    unread = ""
    for each in node.find_all(*paths):
        vague = each.attribute("indeterminatePosition")
        text = each.own_text().text
        if vague.lower() == "now" and not text:
            return _Moment(vague="now")
        # Some editors write the position's word in place of the date.
        if text and text.lower() in LASTING:
            return _Moment(vague="unknown" if text.lower() == "unknown" else "now")
        date = each.parse_value(f"gml:{each.name}", text, parse_date, "bad-date")
        unread = unread or ("" if date else text)
        if date or vague:
            return _Moment(date, vague, "" if date else text)
    return _Moment(unread=unread)


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:temporalElement",), "temporal; extra temporal-extents", _temporal),
)
