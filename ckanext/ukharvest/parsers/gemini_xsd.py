"""What a schema of ISO 19139 does not accept in a record, in a publisher's words.

libxml2's words name the place, but they are for programmers, and one mistake gets many of them.
Their kind and the place are taken from it, and the rest from the record and the schema.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.values import clean_text, shorten
from ckanext.ukharvest.parsers.gemini_content_model import Child, ContentModel
from ckanext.ukharvest.parsers.gemini_faults import Children, Fault, at, named, own_name, shown

_GML = "http://www.opengis.net/gml"
_NAMES = re.compile(r"\{[^{}]*\}[^\s,'()]+")
_OF_TYPE = re.compile(r"type '(?:\{[^{}]*\})?(?:xs:)?(\w+)'")
_ATTRIBUTE = re.compile(r"attribute '([^']+)'")
# Types of values, by what their names begin with, in the words of somebody who fills them in.
_VALUES = (
    ("dateTime", "a date and time such as 2024-05-31T14:30:00; a date alone belongs in gco:Date"),
    ("date", "a date such as 2024-05-31"),
    ("TimePosition", "a date such as 2024-05-31"),
    ("boolean", "true or false"),
    ("integer", "a whole number such as 10000"),
    ("positiveInteger", "a whole number such as 10000"),
    ("nonNegativeInteger", "a whole number such as 10000"),
    ("decimal", "a number such as -2.4"),
    ("double", "a number such as 0.5"),
    ("float", "a number such as 0.5"),
    ("anyURI", "an address such as https://example.gov.uk/data"),
    ("ID", "a name that begins with a letter, has no blanks and stands once, such as tp1"),
    ("NCName", "a name that begins with a letter and has no blanks, such as tp1"),
    ("MD_TopicCategoryCode", "a word of ISO's list of topics, such as inlandWaters"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """An error as libxml2 tells it, with its element in the record.

    Attributes:
        kind: libxml2's name of the rule of XML Schema.
        words: libxml2's message.
        element: where it is.
        model: what the schema allows.
    """

    kind: str
    words: str
    element: etree._Element
    model: ContentModel

    @property
    def name(self) -> str:
        return named(self.element)

    @property
    def inside(self) -> str:
        """What the element stands in, "" for the root."""
        parent = self.element.getparent()
        return "" if parent is None else named(parent)

    def fault(self, code: str, found: str, wanted: str, field: str = "", kind: str = "") -> Fault:
        """A fault here; ``found`` is a whole clause."""
        field = field or self.name
        also = field if kind else ""
        return Fault(code, field, found, wanted, xml.line_of(self.element), kind, also)


def faults(root: etree._Element, log: Any, model: ContentModel) -> Iterator[Fault]:
    """Yield a fault for each error of libxml2.

    Args:
        root: the record that was validated.
        log: entries of the schema's error log.
    """
    told: etree._Element | None = None
    # libxml2 writes * for an element of the default namespace, and counts them all.
    children = Children(own_name)
    for error in log:
        element = at(root, str(error.path or ""), children)
        # A value that is no word of a list is also none of the type: one thing to mend.
        if "VALID" in error.type_name and element is told:
            continue
        told = element if "VALID" in error.type_name else None
        yield _fault(Place(error.type_name, error.message, element, model))


def _fault(place: Place) -> Fault:
    kind = place.kind.removeprefix("SCHEMAV_")
    if kind == "ELEMENT_CONTENT":
        return _missing(place) if "Missing child" in place.words else _unexpected(place)
    if kind in ("CVC_COMPLEX_TYPE_4", "CVC_COMPLEX_TYPE_3_2_1", "CVC_COMPLEX_TYPE_3_2_2"):
        return _attribute(place, is_missing=kind == "CVC_COMPLEX_TYPE_4")
    if kind == "CVC_COMPLEX_TYPE_2_3":
        return _stray_text(place)
    if kind == "CVC_ELT_1":
        wanted = "expected gmd:MD_Metadata of the namespace http://www.isotc211.org/2005/gmd"
        return place.fault("schema-root", f"{place.name} is not the root of such a record", wanted)
    if "VALID" in kind:
        return _value(place)
    said = _NAMES.sub(lambda name: shown(name[0]), place.words).rstrip(". ")
    return place.fault("schema-fault", said, f"expected {place.name} as ISO 19139 has it")


def _missing(place: Place) -> Fault:
    """The element ended before all that it needs had come."""
    present = {each.tag for each in place.element.iterchildren("*")}
    needed = [
        shown(each.tag)
        for each in place.model.children(place.element)
        if each.is_needed and each.tag not in present
    ]
    names = _and(needed or _expected(place))
    found = f"{names} {'are' if ' and ' in names else 'is'} missing in {place.name}"
    return place.fault("missing-element", found, f"expected {place.name} with {names}", names)


def _unexpected(place: Place) -> Fault:
    tag, parent = str(place.element.tag), place.element.getparent()
    namespace, _, name = tag.rpartition("}")
    if parent is None:
        return _foreign(place, ())
    allowed = place.model.children(parent)
    expected = " ".join(_NAMES.findall(place.words))
    if namespace == f"{{{_GML}" and f"{_GML}/3.2}}" in expected:
        return _old_gml(place, f"{_GML}/3.2", _GML)
    if namespace == f"{{{_GML}/3.2" and f"{{{_GML}}}" in expected:
        return _old_gml(place, _GML, f"{_GML}/3.2")
    if name == "PT_FreeText":
        wanted = f'expected {place.inside} with xsi:type="gmd:PT_FreeText_PropertyType"'
        return place.fault("missing-attribute", f"{place.inside} holds gmd:PT_FreeText", wanted)
    own = next((each for each in allowed if each.tag == tag), None)
    if own is None:
        return _foreign(place, allowed)
    return _misplaced(place, own, allowed)


def _old_gml(place: Place, wanted: str, found: str) -> Fault:
    """Every gml element of the record is of the other version: one problem, whatever its name."""
    words = f"elements of GML, such as {place.name}, are of the namespace {found}"
    return place.fault("gml-version", words, f"expected {wanted}", kind="gml")


def _misplaced(place: Place, own: Child, allowed: tuple[Child, ...]) -> Fault:
    """The element may stand in its parent: it comes too late, too early or too often."""
    order = {each.tag: number for number, each in enumerate(allowed)}
    rank = order[own.tag]
    before = [str(each.tag) for each in place.element.itersiblings("*", preceding=True)]
    after = [str(each.tag) for each in place.element.itersiblings("*")]
    # The siblings come backwards; the last of these is the first in the record.
    if passed := [tag for tag in before if order.get(tag, -1) > rank]:
        return _order(place, f"before {shown(passed[-1])}")
    if own.tag in before and own.is_single:
        found = f"{place.inside} holds {place.name} more than once"
        wanted = f"expected one in each {place.inside}"
        return place.fault("repeated-element", found, wanted)
    needed = [each.tag for each in allowed[:rank] if each.is_needed and each.tag not in before]
    if late := [tag for tag in needed if tag in after]:
        return _order(place, f"behind {shown(late[-1])}")
    names = _and([shown(tag) for tag in needed] or _expected(place))
    found = f"{names} {'are' if ' and ' in names else 'is'} missing in {place.inside}"
    return place.fault("missing-element", found, f"expected {names} before {place.name}", names)


def _order(place: Place, where: str) -> Fault:
    found = f"{place.name} stands in the wrong place in {place.inside}"
    return place.fault("element-order", found, f"expected {place.name} {where}")


def _foreign(place: Place, allowed: tuple[Child, ...]) -> Fault:
    """The element cannot stand in its parent at all."""
    name = xml.local_name(place.element)
    by_name = {each.tag.rpartition("}")[2]: shown(each.tag) for each in allowed}
    inside = f" in {place.inside}" if place.inside else ""
    if twin := by_name.get(name):
        found = f"{place.name}{inside} is of the wrong namespace"
        return place.fault("wrong-namespace", found, f"expected {twin}")
    close = difflib.get_close_matches(name, by_name, n=1, cutoff=0.75)
    others = [by_name[each] for each in close] or _expected(place)
    wanted = f"expected {_or(others)}" if 0 < len(others) < 5 else "expected no such element there"
    if place.model.knows(str(place.element.tag)):
        return place.fault("misplaced-element", f"{place.name} does not belong{inside}", wanted)
    return place.fault("unknown-element", f"{place.name}{inside} is not known to ISO 19139", wanted)


def _attribute(place: Place, *, is_missing: bool) -> Fault:
    said = _ATTRIBUTE.search(place.words)
    name = shown(said[1]) if said else "an attribute"
    if not is_missing:
        found = f"{place.name} has the attribute {name}, which does not belong there"
        return place.fault("unexpected-attribute", found, f"expected {place.name} without it")
    wanted = f"expected {name} in {place.name}"
    if name == "gml:id":
        wanted += ', with a value that stands once in the record, such as gml:id="tp1"'
    return place.fault("missing-attribute", f"{place.name} has no {name}", wanted)


def _stray_text(place: Place) -> Fault:
    element = place.element
    texts = [element.text, *(each.tail for each in element.iterchildren())]
    words = next(filter(None, map(clean_text, texts)), "")
    found = f"{place.name} holds the text '{shorten(words, 40)}' between its elements"
    wanted = "expected elements alone, and comments in <!-- … -->"
    return place.fault("stray-text", found, wanted, kind="text")


def _value(place: Place) -> Fault:
    type_name = next(iter(_OF_TYPE.findall(place.words)), "")
    name = xml.local_name(place.element)
    words = [type_name[:1].lower() + type_name[1:], type_name, name[:1].lower() + name[1:], name]
    wanted = next((said for begin, said in _VALUES for word in words if word.startswith(begin)), "")
    attribute = _ATTRIBUTE.search(place.words)
    field = f"{place.name}'s {shown(attribute[1])}" if attribute else place.name
    given = "" if attribute else clean_text(str(place.element.xpath("string()")))
    if attribute:
        given = clean_text(place.element.get(attribute[1]))
    expected = f"expected {wanted or f'a value of the type {type_name or place.name}'}"
    inside = f" in {place.inside}" if place.inside else ""
    if given:
        return place.fault("bad-value", f"{field}{inside} is '{shorten(given, 40)}'", expected)
    expected += f", or {place.inside} with a gco:nilReason and nothing in it" if inside else ""
    return place.fault("empty-value", f"{field}{inside} is empty", expected)


def _expected(place: Place) -> list[str]:
    """What libxml2 would have taken, as far as it names it."""
    found = _NAMES.findall(place.words.partition("Expected is")[2])
    return [shown(tag) for tag in found if not tag.endswith("*") and "}Abstract" not in tag]


def _and(names: list[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:4])} and others"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _or(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
