"""A source record in XML or JSON as headings, labels and values for a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.rendering.source_record import (
    KINDS,
    NAMELESS,
    TRANSPARENT,
    UNITS,
    WEAK,
    Value,
    format_code,
    format_name,
    format_nil_reason,
    label_of,
    link_value,
    tidy,
)

MOST_IN_ROW = 4  # values of a group without its own section: a bounding box
LONGEST_IN_ROW = 120  # characters of each of them


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its values."""

    label: str
    values: tuple[Value, ...]
    lines: tuple[int, ...] = ()
    is_section = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its content, in the record's order."""

    label: str
    parts: tuple[Row | Section, ...]
    lines: tuple[int, ...] = ()
    is_section = True


Part = Row | Section


def rows_first(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts of a record, rows before sections: none seems to belong to a section."""
    return tuple(sorted(parts, key=lambda part: part.is_section))


def join_alike(parts: Iterable[Part]) -> Iterator[Part]:
    """Return the parts with successive rows of the same label as one."""
    alike: list[Row] = []
    for part in parts:
        is_plain = isinstance(part, Row) and not any(value.label for value in part.values)
        if alike and not (is_plain and part.label == alike[0].label):
            yield _joined(alike)
            alike = []
        if isinstance(part, Row) and is_plain:
            alike.append(part)
        else:
            yield part
    if alike:
        yield _joined(alike)


def _joined(rows: list[Row]) -> Row:
    values = tuple(value for row in rows for value in row.values)
    return Row(rows[0].label, values, tuple(line for row in rows for line in row.lines))


def values_in_a_row(label: str, parts: tuple[Part, ...]) -> tuple[Value, ...]:
    """Return the values of a group, each with its label, if they fit into one row; else ()."""
    values: list[Value] = []
    for part in parts:
        if isinstance(part, Section) or any(value.label for value in part.values):
            return ()
        own = "" if part.label == label else part.label
        values += (
            replace(value, label=own, lines=part.lines + value.lines) for value in part.values
        )
    is_short = len(values) <= MOST_IN_ROW and all(len(v.text) <= LONGEST_IN_ROW for v in values)
    return tuple(values) if is_short else ()


MOST = 75_000  # elements and attributes: two to three seconds; 2 MB of a real record have 40,000
MOST_ATTRIBUTES = 100  # attributes of one element
DEEPEST = 24  # sections within sections; real records have seven

_XLINK = "http://www.w3.org/1999/xlink"
_UNSHOWN_SPACES = ("http://www.w3.org/2001/XMLSchema-instance", _XLINK)
_UNSHOWN = ("codeList", "isoType", "id")


def outline_of_xml(content: str) -> Section:
    """Return a record's outline as one section, labelled with the root's name.

    Its rows come before its sections, so that none seems to belong to the section before it.

    Args:
        content: XML of any kind.

    Raises:
        ParseError: it is not well-formed, has a DOCTYPE, or more than ``MOST`` parts.
    """
    root = xml.parse(content)
    count = sum(1 + len(element.attrib) for element in root.iter(etree.Element))
    if count > MOST:
        raise ParseError(
            Message(
                "the record has {count:,} elements and attributes, too many to lay them out here",
                count=count,
            )
        )
    label = format_name(xml.local_name(root))
    parts = (*_attribute_rows(_shown(root)), *_parts(root, label, 0))
    line = xml.line_of(root)
    return Section(label, rows_first(parts), (line,) if line else ())


class _Chain:
    """An element and its only descendants, down to where there is a choice or a value.

    Attributes:
        last: the element at the end.
        named: local name of the element that best says what this is.
        lines: where the elements begin.
        attributes: names and values of the shown attributes.
    """

    def __init__(self, first: etree._Element) -> None:
        self.last = first
        self.named = xml.local_name(first)
        self.lines: list[int] = []
        self.attributes: list[tuple[str, str]] = []
        self._add(first)
        while (child := _only_child(self.last)) is not None:
            self._name_after(child)
            self.last = child
            self._add(child)

    def _add(self, element: etree._Element) -> None:
        if line := xml.line_of(element):
            self.lines.append(line)
        self.attributes += _shown(element)

    def _name_after(self, child: etree._Element) -> None:
        name = xml.local_name(child)
        is_class = name[:1].isupper() and xml.local_name(self.last)[:1].islower()
        if name in KINDS or not (is_class or name in WEAK | TRANSPARENT | NAMELESS):
            self.named = name


def _parts(element: etree._Element, label: str, depth: int) -> Iterator[Part]:
    """Return an element's parts; successive rows with the same label become one.

    Args:
        label: the element's; used for its text, and for children that are only types.
    """
    yield from join_alike(_each_part(element, label, depth))


def _each_part(element: etree._Element, label: str, depth: int) -> Iterator[Part]:
    yield from _words_beside(element.text, label)
    for child in element:
        if isinstance(child.tag, str):
            yield from _child(_Chain(child), label, depth)
        yield from _words_beside(child.tail, label)


def _words_beside(text: str | None, label: str) -> Iterator[Row]:
    """Return text next to elements, which the standards do not allow."""
    if words := tidy(text):
        yield Row(label, (link_value(words),))


def _child(chain: _Chain, holder: str, depth: int) -> Iterator[Part]:
    """Return the part for one child of an element; ``holder`` is that element's label."""
    label = holder if chain.named in NAMELESS else label_of(chain.named)
    lines = tuple(chain.lines)
    if depth >= DEEPEST or next(chain.last.iterchildren("*"), None) is None:
        yield Row(label, (_value(chain),))
        return
    is_transparent = chain.named in TRANSPARENT
    inner = _parts(chain.last, holder if is_transparent else label, depth + 1)
    parts = (*_attribute_rows(chain.attributes), *inner)
    if is_transparent:
        yield replace(parts[0], lines=lines + parts[0].lines)
        yield from parts[1:]
    elif len(parts) == 1 and isinstance(parts[0], Row):
        yield replace(parts[0], lines=lines + parts[0].lines)
    elif values := values_in_a_row(label, parts):
        yield Row(label, values, lines)
    else:
        yield Section(label, parts, lines)


def _only_child(element: etree._Element) -> etree._Element | None:
    """Return the only child of an element, None if there is none or several."""
    children = list(element.iterchildren("*"))
    if len(children) != 1:
        return None
    beside = (element.text, *(node.tail for node in element))
    return None if any(tidy(text) for text in beside) else children[0]


def _shown(element: etree._Element) -> list[tuple[str, str]]:
    """Return local name and value of the attributes to show."""
    attributes = []
    # Not attrib.items(), which takes quadratic time.
    for key in islice(element.attrib, MOST_ATTRIBUTES):
        name = etree.QName(str(key))
        is_link = name.namespace == _XLINK and name.localname in ("href", "title")
        unshown = name.namespace in _UNSHOWN_SPACES or name.localname in _UNSHOWN
        if (is_link or not unshown) and (text := tidy(element.get(key))):
            attributes.append((name.localname, text))
    return attributes


def _attribute_rows(attributes: list[tuple[str, str]]) -> Iterator[Row]:
    for name, value in attributes:
        if name == "nilReason":
            yield Row("Reason for its absence", (Value(format_nil_reason(value), is_said=False),))
        else:
            yield Row(label_of(name), (link_value(value),))


def _value(chain: _Chain) -> Value:
    """Return the value of an element without children, with its attributes."""
    attributes = dict(chain.attributes)
    text = tidy(str(chain.last.xpath("string()")))
    name = xml.local_name(chain.last)
    code = attributes.pop("codeListValue", "")
    if code or name.endswith("Code"):
        text = format_code(code, text)
        attributes.pop("codeSpace", "")
    if text and (unit := attributes.pop("uom", "")):
        text = f"{text} {UNITS.get(unit, unit)}"
    href, nil = attributes.pop("href", ""), attributes.pop("nilReason", "")
    position = "" if text else attributes.pop("indeterminatePosition", "")
    notes = tuple(f"{label_of(key).lower()}: {value}" for key, value in attributes.items())
    lines = tuple(chain.lines)
    if not (text or href or position):
        return Value(
            format_nil_reason(nil) if nil else "Empty", notes=notes, lines=lines, is_said=False
        )
    link = link_value(text or href or position, href)
    if nil:
        notes = (format_nil_reason(nil), *notes)
    return replace(link, notes=link.notes + notes, lines=lines)


_EMPTY = Value("Empty", is_said=False)
_NAMES = ("title", "name", "fn", "identifier", "id")


def outline_of_json(content: str) -> Section:
    """Return a record's outline as one section.

    Args:
        content: a JSON object.

    Raises:
        ParseError: it is no JSON object, or has more than ``MOST`` values.
    """
    try:
        # JSON can spell a lone surrogate, which no page can hold.
        record = json.loads(ordered_json(json.loads(content)))
    except (ValueError, RecursionError) as exc:
        raise ParseError(Message("the record is not JSON: {reason}", reason=exc)) from exc
    if not isinstance(record, dict):
        raise ParseError(Message("the record is JSON, but no object with fields"))
    if (count := _count(record)) > MOST:
        text = Message(
            "the record has {count:,} values, too many to lay them out here", count=count
        )
        raise ParseError(text)
    return Section("Record", rows_first(_json_parts(record, 0)))


def _count(value: Any) -> int:
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, (dict, list)):
            waiting += part.values() if isinstance(part, dict) else part
    return count


def _json_parts(fields: Mapping[str, Any], depth: int) -> Iterator[Part]:
    for key, value in fields.items():
        label = format_name(key.lstrip("@")) or key
        if isinstance(value, list) and all(map(_is_pair, value)) and value:
            # CKAN's extras: their keys are names of fields.
            pairs = [(format_name(str(pair["key"])) or "?", pair["value"]) for pair in value]
            parts = (part for key, text in pairs for part in _part(key, text, depth + 1))
            yield Section(label, tuple(parts))
        else:
            yield from _part(label, value, depth)


def _part(label: str, value: Any, depth: int) -> Iterator[Part]:
    if depth >= DEEPEST:
        yield Row(label, (Value(json.dumps(value, ensure_ascii=False)),))
    elif isinstance(value, dict) and value:
        parts = tuple(_json_parts(value, depth + 1))
        values = values_in_a_row(label, parts)
        yield Row(label, values) if values else Section(label, rows_first(parts))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for number, item in enumerate(value, 1):
            yield from _part(_numbered(label, number, item), item, depth + 1)
    else:
        values = tuple(map(_json_value, value if isinstance(value, list) else [value]))
        yield Row(label, values or (_EMPTY,))


def _numbered(label: str, number: int, item: Any) -> str:
    """Return the heading of one of several items: "Distribution 2: Opening hours"."""
    names = (item.get(key) for key in _NAMES) if isinstance(item, dict) else ()
    name = next((text for text in names if isinstance(text, str) and text.strip()), "")
    return f"{label} {number}: {tidy(name)[:80]}" if name else f"{label} {number}"


def _is_pair(item: Any) -> bool:
    return isinstance(item, dict) and {"key", "value"} <= item.keys()


def _json_value(value: Any) -> Value:
    if value is None or value in ("", {}):
        return _EMPTY
    if isinstance(value, str):
        return link_value(tidy(value)) if tidy(value) else _EMPTY
    # As JSON writes it: true, 12.5
    return Value(json.dumps(value))
