"""Faults found by a validation profile, place by place, and their summary in a few problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.records import Problem

MOST = 10  # problems of one record: the rest appear once these are fixed
_LINES = 5

# Prefixes as used in records and the guides to the standard. GML 3.1 has none, so that it is not
# mistaken for GML 3.2.
_PREFIXES = {
    "http://www.isotc211.org/2005/gco": "gco",
    "http://www.isotc211.org/2005/gmd": "gmd",
    "http://www.isotc211.org/2005/gmi": "gmi",
    "http://www.isotc211.org/2005/gmx": "gmx",
    "http://www.isotc211.org/2005/gsr": "gsr",
    "http://www.isotc211.org/2005/gss": "gss",
    "http://www.isotc211.org/2005/gts": "gts",
    "http://www.isotc211.org/2005/srv": "srv",
    "http://www.opengis.net/gml/3.2": "gml",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One place in a record that a profile does not accept.

    Attributes:
        code: of the problem.
        field: the element to change, with its prefix.
        found: the start of the sentence, up to the other places.
        wanted: the rest of the sentence.
        line: line in the record, if known.
        kind: faults of one code and kind are one problem.
        also: added to a problem that began with another fault: its own element.
    """

    code: str
    field: str
    found: str
    wanted: str = ""
    line: int | None = None
    kind: str = ""
    also: str = ""


def prefixed_name(tag: str) -> str:
    """Return a name as lxml writes it (``{namespace}name``), with the usual prefix if any."""
    namespace, _, name = tag.rpartition("}")
    prefix = _PREFIXES.get(namespace.lstrip("{"), "")
    return f"{prefix}:{name}" if prefix else tag


def element_name(element: etree._Element) -> str:
    """Return an element's name with the usual prefix, else with its own."""
    name = prefixed_name(str(element.tag)).rpartition("}")[2]
    return f"{element.prefix}:{name}" if element.prefix and ":" not in name else name


def problems(faults: Iterable[Fault]) -> tuple[Problem, ...]:
    """Return one problem for each kind of fault, in order of their first faults."""
    kinds: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault((fault.code, fault.kind), []).append(fault)
    return tuple(map(_problem, kinds.values()))


def first(found: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the first problems, at most ``MOST``; the last says how many more there are."""
    if len(found) <= MOST:
        return tuple(found)
    left = len(found) - MOST + 1
    message = f"{left} more faults of other kinds were found; they are shown once these are fixed"
    return (*found[: MOST - 1], Problem("more-faults", "", message))


def _problem(faults: Sequence[Fault]) -> Problem:
    one = faults[0]
    message = "; ".join(filter(None, (f"{one.found}{_further(faults)}", one.wanted)))
    return Problem(one.code, one.field, message, one.line)


def _further(faults: Sequence[Fault]) -> str:
    if len(faults) < 2:
        return ""
    names = dict.fromkeys(each.also for each in faults[1:] if each.also != faults[0].also)
    lines = sorted({each.line for each in faults[1:] if each.line} - {faults[0].line})
    said = [f"{len(faults) - 1} more", *_some(names)]
    if lines:
        said.append(f"line{'s' if len(lines) > 1 else ''} {', '.join(_some(lines))}")
    return f" (and {', '.join(said)})"


def _some(items: Iterable[object]) -> list[str]:
    texts = list(map(str, items))
    return [*texts[:_LINES], "…"] if len(texts) > _LINES else texts
