"""What a validation profile found, place by place, made into the few problems that it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.records import Problem

MOST = 10  # problems of one record: whoever has mended these harvests again and sees the rest
_LINES = 5
_STEP = re.compile(r"([^\[\]]+)(?:\[(\d*)\])?")

# As records and the guides to the standard write them.
_PREFIXES = {
    "http://www.isotc211.org/2005/gco": "gco",
    "http://www.isotc211.org/2005/gmd": "gmd",
    "http://www.isotc211.org/2005/gmi": "gmi",
    "http://www.isotc211.org/2005/gmx": "gmx",
    "http://www.isotc211.org/2005/gsr": "gsr",
    "http://www.isotc211.org/2005/gss": "gss",
    "http://www.isotc211.org/2005/gts": "gts",
    "http://www.isotc211.org/2005/srv": "srv",
    "http://www.opengis.net/gml": "gml",
    "http://www.opengis.net/gml/3.2": "gml",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/2001/XMLSchema": "xs",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One place in a record that a profile does not accept.

    Attributes:
        code: of the problem.
        field: the element to change, with its prefix.
        found: the sentence up to where further places are named.
        wanted: the rest of the sentence.
        line: where, if known.
        kind: faults of one code and kind are one problem; the field by default.
        also: what this one adds to a problem that began with another: its own element.
    """

    code: str
    field: str
    found: str
    wanted: str
    line: int | None = None
    kind: str = ""
    also: str = ""


def shown(tag: str) -> str:
    """A name as lxml and libxml2 write it (``{namespace}name``), with the usual prefix."""
    namespace, _, name = tag.rpartition("}")
    prefix = _PREFIXES.get(namespace.lstrip("{"), "")
    return f"{prefix}:{name}" if prefix else name


def named(element: etree._Element) -> str:
    """An element's name with the usual prefix, or with its own where there is none."""
    name = shown(str(element.tag))
    return f"{element.prefix}:{name}" if element.prefix and ":" not in name else name


def own_name(element: etree._Element) -> str:
    """An element's name as the record has it, with its prefix."""
    name = xml.local_name(element)
    return f"{element.prefix}:{name}" if element.prefix else name


class Children(dict[etree._Element, dict[str, list[etree._Element]]]):
    """Elements' children by their names, and all of them as ``*``; each is looked through once."""

    def __init__(self, name: Callable[[etree._Element], str]) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        found: dict[str, list[etree._Element]] = {"*": list(element.iterchildren("*"))}
        for each in found["*"]:
            found.setdefault(self._name(each), []).append(each)
        self[element] = found
        return found


def at(root: etree._Element, path: str, children: Children) -> etree._Element:
    """The element at a path such as /a/b[2], or as near to it as there is one.

    No case for XPath: what such a path says comes from the record.
    """
    found = root
    for step in path.strip("/").split("/")[1:]:
        said = _STEP.fullmatch(step)
        same = children[found].get(said[1], []) if said else []
        place = int(said[2] or 1) if said else 1
        if len(same) < place:
            break
        found = same[place - 1]
    return found


def problems(faults: Iterable[Fault]) -> tuple[Problem, ...]:
    """One problem for each kind of fault, in the order in which they begin."""
    kinds: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault((fault.code, fault.kind or fault.field), []).append(fault)
    return tuple(map(_problem, kinds.values()))


def first(found: Sequence[Problem]) -> tuple[Problem, ...]:
    """The first problems, no more than ``MOST`` with word of how many there are beside them."""
    if len(found) <= MOST:
        return tuple(found)
    left = len(found) - MOST + 1
    message = f"{left} more faults of other kinds were found; they show once these are mended"
    return (*found[: MOST - 1], Problem("more-faults", "", message))


def _problem(faults: Sequence[Fault]) -> Problem:
    one = faults[0]
    return Problem(one.code, one.field, f"{one.found}{_further(faults)}; {one.wanted}", one.line)


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
