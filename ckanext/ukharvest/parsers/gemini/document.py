"""A GEMINI record as a document: its elements, its identity and date, what is read of it.

An element of an ISO 19139 or ISO 19115-3 record is read by local names, because prefixes are free
and namespaces differ between the editions (gml, gmx and gcx, gmd and mdb). In both standards
properties (``citation``) and classes (``CI_Citation``) alternate; a path skips a class with ``*``,
because profiles use their own classes (gmi, the Swiss CHE): ``citation/*/title``.

ISO 19139 (gmd), ISO 19115-2 (gmi) and ISO 19115-3 (mdb) share their root's name, except gmi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.multivalue import as_text, read_yes_no
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.reporting import BaseNode
from ckanext.ukharvest.parsers.table import Row, named_row
from ckanext.ukharvest.parsers.xml_fields import words_in

_HREF = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True, slots=True)
class PropertyText:
    """A property's text and, of an Anchor, the URL that defines its meaning."""

    text: str
    href: str = ""


class Reads:
    """What readers have looked at in a record.

    Attributes:
        visited: properties on their paths.
        read: elements whose whole text or code was read.
        touched: those of which an attribute was.
    """

    def __init__(self) -> None:
        self.visited: set[etree._Element] = set()
        self.read: set[etree._Element] = set()
        self.touched: set[etree._Element] = set()


class IsoNode(BaseNode):
    """One element of a record, with the list that its problems go to.

    Args:
        element: the element.
        problems: as in ``BaseNode``.
        reads: those of the record, shared by its nodes.
    """

    def __init__(
        self, element: etree._Element, problems: list[Problem], reads: Reads | None = None
    ) -> None:
        super().__init__(problems)
        self.element = element
        self._reads = reads or Reads()

    @property
    def name(self) -> str:
        """The local name, such as MD_LegalConstraints."""
        return xml.local_name(self.element)

    @property
    def line(self) -> int | None:  # type: ignore[override]
        """The line in the record."""
        return xml.line_of(self.element)

    def full_name(self, name: str) -> str:
        """Return a property's name in problems, of a path its last step: gmd:date."""
        is_whole = ":" in name or name.startswith("@")
        return name if is_whole else f"gmd:{name.rpartition('/')[2]}"

    @property
    def href(self) -> str:
        """Its xlink:href."""
        return self._touch(clean_text(self.element.get(_HREF)))

    @property
    def nil(self) -> str:
        """Its nilReason, "" if there is none."""
        return self.attribute("nilReason")

    def attribute(self, name: str) -> str:
        """Return an attribute in any namespace, "" if it is missing."""
        # Not attrib.items(), whose time grows with the square of the attributes.
        for key in self.element.attrib:
            if str(key).rpartition("}")[2] == name:
                return self._touch(clean_text(self.element.get(key)))
        return ""

    def find_all(self, *paths: str) -> Iterator[IsoNode]:
        """Yield the elements at the ends of paths, those of each path in the document's order."""
        for path in paths:
            elements = [self.element]
            for tag in _tags(path):
                elements = [child for parent in elements for child in parent.iterchildren(tag)]
                if not elements:
                    break
                if tag != "*":
                    self._reads.visited.update(elements)
            for element in elements:
                yield IsoNode(element, self._problems, self._reads)

    def first(self, *paths: str) -> IsoNode | None:
        """Return the first element at the end of a path."""
        return next(self.find_all(*paths), None)

    def texts_at(self, *paths: str) -> Iterator[PropertyText]:
        """Yield the texts of the properties at the ends of paths, without empty ones."""
        texts = (node.own_text() for node in self.find_all(*paths))
        return (text for text in texts if text.text or text.href)

    def first_text_at(self, *paths: str) -> PropertyText | None:
        """Return the first of ``texts_at``; further ones stay unread."""
        return next(self.texts_at(*paths), None)

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return the texts of ``texts_at``; for an Anchor without text, its URL."""
        return tuple(text.text or text.href for text in self.texts_at(*names))

    def values(self, *names: str) -> tuple[str, ...]:
        """Return values of code lists, of other properties their texts."""
        values: list[str] = []
        for node in self.find_all(*names):
            is_code = any(child.get("codeListValue") for child in node.element.iterchildren("*"))
            text = node.own_text()
            values.append(node.own_code() if is_code else text.text or text.href)
        return tuple(filter(None, values))

    def text(self, *names: str) -> str:
        """Return the first of ``texts``, "" if there is none."""
        first = self.first_text_at(*names)
        return first.text or first.href if first else ""

    def codes(self, *paths: str) -> tuple[str, ...]:
        """Return values of code lists: codeListValue, else the text, which may be translated."""
        return tuple(filter(None, (element.own_code() for element in self.find_all(*paths))))

    def code(self, *paths: str) -> str:
        """Return the first of ``codes``, "" if there is none; further ones stay unread."""
        return next(filter(None, (element.own_code() for element in self.find_all(*paths))), "")

    def yes_no(self, name: str) -> bool | None:
        """Return whether a property says yes or no, None if it is missing; report other texts."""
        text = self.text(name)
        answer = read_yes_no(text)
        if text and answer is None:
            self.report(
                "unexpected-value",
                f"gmd:{name}",
                Message("'{text}'; expected true or false", text=shorten(text, 40)),
            )
        return answer

    def own_text(self) -> PropertyText:
        """Return this property's text: the CharacterString, Anchor, a translation, or all text."""
        text = self._own_text()
        self._note(text.text or text.href)
        return text

    def _own_text(self) -> PropertyText:
        parts = {IsoNode(child, []).name: child for child in self.element.iterchildren("*")}
        plain = parts.get("CharacterString")
        if plain is not None and (text := _words(plain)):
            return PropertyText(text)
        anchor = parts.get("Anchor")
        if anchor is not None and (_words(anchor) or anchor.get(_HREF)):
            return PropertyText(_words(anchor), clean_text(anchor.get(_HREF)))
        if text := self.translated("PT_FreeText/textGroup/LocalisedCharacterString"):
            return PropertyText(text)
        return PropertyText(_words(self.element), clean_text(self.element.get(_HREF)))

    def text_of_record(self) -> str:
        """Return this property's text in the record's own language: CharacterString or Anchor."""
        texts = (node.whole_text() for node in self.find_all("CharacterString", "Anchor"))
        return next(filter(None, texts), "")

    def whole_text(self) -> str:
        """Return all text in this element."""
        return self._note(_words(self.element))

    def translated(self, path: str) -> str:
        """Return the text in English, else the first one, of elements with a locale."""
        texts = [
            (node.attribute("locale").lstrip("#").lower(), _words(node.element))
            for node in self.find_all(path)
        ]
        english = [text for locale, text in texts if locale[:2] in ("en", "lo") and text]
        return next(iter(english or [text for _, text in texts if text]), "")

    def own_code(self) -> str:
        """Return the code list value of this property, on one line."""
        for child in self.element.iterchildren("*"):
            value = clean_text(child.get("codeListValue")) or _words(child)
            if value:
                return self._note(" ".join(value.split()))
        return self._note(" ".join(_words(self.element).split()))

    def _note(self, text: str) -> str:
        """Return a text that was read here; note that it was, unless it is empty."""
        if text:
            self._reads.read.add(self.element)
        return text

    def _touch(self, text: str) -> str:
        if text:
            self._reads.touched.add(self.element)
        return text

    def unread(self) -> Iterator[tuple[str, str]]:
        """Yield name and words of the properties that readers expected here in another shape.

        Those of one name come together: the property's own, behind that of the property around it.
        """
        used = self._reads.read | self._reads.touched
        for element in tuple(used):
            used.update(element.iterancestors())
        words: dict[str, list[str]] = {}
        elements = [self.element]
        while elements:
            element = elements.pop()
            if element in self._reads.visited and element not in used:
                words.setdefault(_full_name(element), []).append(
                    words_in(element, _VALUES, _OF_PERSONS)
                )
            elif element in used and element not in self._reads.read:
                elements.extend(element.iterchildren("*", reversed=True))
        for name, texts in words.items():
            text = ", ".join(dict.fromkeys(filter(None, texts)))
            if any(map(str.isalnum, text)):
                yield name, text


def _full_name(element: etree._Element) -> str:
    """Return a property's name behind that of the property around it: "thesaurusName-date"."""
    names = [xml.local_name(part) for part in (element, *element.iterancestors())]
    is_outer = len(names) < 4 or names[2] in ("identificationInfo", "citation")
    return names[0] if is_outer else f"{names[2]}-{names[0]}"


@lru_cache(maxsize=2000)  # the paths are those of our own code
def _tags(path: str) -> tuple[str, ...]:
    """Return a path's steps for ``iterchildren``; "*" leaves comments and instructions out."""
    return tuple("*" if name == "*" else f"{{*}}{name}" for name in path.split("/"))


def _words(element: etree._Element) -> str:
    # XPath's string value: without comments, but with the text of stray markup.
    return clean_text(str(element.xpath("string()")))


# Attributes that are a value themselves: a code, a reference, or the reason why there is none.
_VALUES = frozenset(("codeListValue", "href", "uuidref", "nilReason"))
# Names, telephone numbers and postal addresses of persons are not stored.
_OF_PERSONS = frozenset(
    ("CI_Individual", "individualName", "positionName", "phone", "deliveryPoint", "city")
    + ("administrativeArea", "postalCode", "country", "hoursOfService", "contactInstructions")
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, and what is known before its fields are read.

    Attributes:
        record: the root (``gmd:MD_Metadata`` or its kin).
        identification: the first one, which is used if a record has several; an empty node if there
            is none.
        guid: the record's identity.
        url: where it was read.
        options: the source's validated options.
    """

    record: IsoNode
    identification: IsoNode
    guid: str
    url: str
    options: Mapping[str, Any]

    def part(self, prefix: str) -> IsoNode:
        """Return the node below which a row's paths are."""
        return self.record if prefix else self.identification


Reader = Callable[[IsoNode, tuple[str, ...]], Any]  # of what is at some paths below a node


def row(source: str, target: str, reader: Reader, *paths: str, of_record: bool = False) -> Row:
    """Return a row of a table.

    Args:
        source: names of elements for the documentation, separated by blanks.
        target: a field of DatasetRecord, or "extra NAME".
        reader: reads what is at the paths.
        paths: paths below the identification.
        of_record: they are paths below the root.
    """
    return named_row(tuple(source.split()), target, reader, paths, "/" if of_record else "")


def json_objects(
    read: Callable[[IsoNode], Mapping[str, Any]], node: IsoNode, paths: tuple[str, ...]
) -> str:
    """Return as JSON what ``read`` makes of each element."""
    return as_text(map(read, node.find_all(*paths)))


def without_blanks(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are not empty, by name."""
    return {name: value for name, value in values.items() if value}


KIND = "a GEMINI record"
ROOT = "gmd:MD_Metadata of the namespace http://www.isotc211.org/2005/gmd"
RECORDS = ("MD_Metadata", "MI_Metadata", "CHE_MD_Metadata")
_ENVELOPES: tuple[tuple[str, ...], ...] = (
    (),
    ("GetRecordByIdResponse",),
    ("GetRecordsResponse", "SearchResults"),
)
# Of catalogues that know Dublin Core alone; read by ``parsers.oai_dc``.
DUBLIN_CORE = ("Record", "SummaryRecord", "BriefRecord")
PATHS = (
    *((*envelope, name) for envelope in _ENVELOPES for name in RECORDS),
    *((*envelope, name) for envelope in _ENVELOPES[1:] for name in DUBLIN_CORE),
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date as written in a record, and its element."""

    field: str
    text: str
    node: IsoNode


def identifier(record: etree._Element) -> str:
    """Return fileIdentifier (GEMINI 45), or ISO 19115-3's metadataIdentifier; "" if missing.

    Of csw:Record it is dc:identifier.
    """
    return IsoNode(record, []).text("fileIdentifier", "metadataIdentifier/*/code", "identifier")


def modified(_root: etree._Element, record: etree._Element) -> str:
    """Return the metadata date (GEMINI 30) as written; of csw:Record dct:modified."""
    node = IsoNode(record, [])
    return stamp(node).text or node.text("modified")


def stamp(record: IsoNode) -> Stamp:
    """Return the metadata date; of several (ISO 19115-3) the last revision, else the creation."""
    if (node := record.first("dateStamp")) is not None:
        return Stamp("gmd:dateStamp", record.text("dateStamp"), node)
    dates = [
        (dated.code("dateType"), dated.text("date"), dated)
        for dated in record.find_all("dateInfo/*")
        if dated.text("date")
    ]
    for wanted in ("revision", "creation", ""):
        stamps = [(text, dated) for kind, text, dated in dates if wanted in ("", kind)]
        if stamps:
            text, dated = max(stamps, key=lambda pair: pair[0])
            return Stamp("mdb:dateInfo", text, dated)
    return Stamp("gmd:dateStamp", "", record)


def describe_other_root(root: etree._Element) -> str:
    """Return the name of a document often mistaken for a GEMINI record; "" for any other."""
    names = {xml.local_name(child) for child in root.iterchildren("*")}
    if xml.local_name(root) == "metadata" and names & {"idinfo", "metainfo", "Esri"}:
        return "FGDC record, not ISO/GEMINI"
    return ""


def rest(root: etree._Element, count: int) -> int:
    """Return how many more records a catalogue's response reports than it holds (paging)."""
    results = next(root.iterchildren("{*}SearchResults"), None)
    text = "" if results is None else clean_text(results.get("numberOfRecordsMatched"))
    return max(int(text) - count, 0) if text.isdecimal() and len(text) < 12 else 0


def content(_root: etree._Element, record: etree._Element) -> etree._Element:
    """Return the record alone."""
    alone = deepcopy(record)
    alone.tail = None
    return alone
