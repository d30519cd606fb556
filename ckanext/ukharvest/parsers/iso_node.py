"""An element of an ISO 19139 or ISO 19115-3 record, read by local names.

Prefixes are free and namespaces differ between the editions (gml, gmx and gcx, gmd and mdb), so
only local names count. In both standards properties (``citation``) and classes (``CI_Citation``)
take turns; a path steps over a class with ``*``, because profiles put classes of their own there
(gmi, the Swiss CHE): ``citation/*/title``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import clean_text
from ckanext.ukharvest.parsers.reporting import parsed

Parse = Callable[[str], str]
_HREF = "{http://www.w3.org/1999/xlink}href"
_NIL = "nilReason"


@dataclass(frozen=True, slots=True)
class Said:
    """What a property says: its words and, of an Anchor, the address that gives their meaning."""

    text: str
    href: str = ""


class IsoNode:
    """One element of a record, with the list that its problems go to.

    Args:
        element: the element.
        problems: where problems are added, in the order of reading.
    """

    def __init__(self, element: etree._Element, problems: list[Problem]) -> None:
        self.element = element
        self._problems = problems

    @property
    def name(self) -> str:
        """The local name, such as MD_LegalConstraints."""
        return xml.local_name(self.element)

    @property
    def line(self) -> int | None:
        """The line in the record."""
        return xml.line_of(self.element)

    @property
    def href(self) -> str:
        """Its xlink:href."""
        return clean_text(self.element.get(_HREF))

    @property
    def nil(self) -> str:
        """Its nilReason, "" if there is none."""
        return self.attribute(_NIL)

    def attribute(self, name: str) -> str:
        """An attribute in any namespace, "" if it is missing."""
        # Not attrib.items(), whose time grows with the square of their number.
        for key in self.element.attrib:
            if str(key).rpartition("}")[2] == name:
                return clean_text(self.element.get(key))
        return ""

    def report(self, code: str, field: str, words: str) -> None:
        """Add a problem; ``words`` follow the field's name in the message."""
        self._problems.append(Problem(code, field, f"{field}: {words}", self.line))

    def add(self, problem: Problem) -> None:
        """Add a problem that was found elsewhere."""
        self._problems.append(problem)

    def parsed(self, field: str, text: str, parse: Parse, code: str) -> str:
        """A text through a parser of ``core.values``; what it refuses is reported as ``code``."""
        return parsed(text, parse, partial(self.report, code, field))

    def each(self, *paths: str) -> Iterator[IsoNode]:
        """The elements at the ends of paths, those of each path in the document's order."""
        for path in paths:
            found = [self.element]
            for name in path.split("/"):
                tag = "*" if name == "*" else f"{{*}}{name}"
                # iterchildren("*") leaves comments and processing instructions out.
                found = [child for each in found for child in each.iterchildren(tag)]
            yield from (IsoNode(element, self._problems) for element in found)

    def first(self, *paths: str) -> IsoNode | None:
        """The first element at the end of a path."""
        return next(self.each(*paths), None)

    def said(self, *paths: str) -> tuple[Said, ...]:
        """What the properties at the ends of paths say, without those that say nothing."""
        found = (each.own_said() for each in self.each(*paths))
        return tuple(said for said in found if said.text or said.href)

    def first_said(self, *paths: str) -> Said | None:
        """The first of ``said``."""
        return next(iter(self.said(*paths)), None)

    def texts(self, *paths: str) -> tuple[str, ...]:
        """The words of ``said``; an Anchor without words gives its address."""
        return tuple(said.text or said.href for said in self.said(*paths))

    def text(self, *paths: str) -> str:
        """The first of ``texts``, "" if there is none."""
        return next(iter(self.texts(*paths)), "")

    def codes(self, *paths: str) -> tuple[str, ...]:
        """Values of code lists: codeListValue, else the words, which may be translated."""
        return tuple(filter(None, (each.own_code() for each in self.each(*paths))))

    def code(self, *paths: str) -> str:
        """The first of ``codes``, "" if there is none."""
        return next(iter(self.codes(*paths)), "")

    def own_said(self) -> Said:
        """What this property says: its text, else its Anchor, a translation, or all its words."""
        parts = {IsoNode(child, []).name: child for child in self.element.iterchildren("*")}
        plain = parts.get("CharacterString")
        if plain is not None and (text := _words(plain)):
            return Said(text)
        anchor = parts.get("Anchor")
        if anchor is not None and (_words(anchor) or anchor.get(_HREF)):
            return Said(_words(anchor), clean_text(anchor.get(_HREF)))
        if text := self._translated():
            return Said(text)
        return Said(_words(self.element))

    def _translated(self) -> str:
        found = [
            (each.attribute("locale").lstrip("#").lower(), _words(each.element))
            for each in self.each("PT_FreeText/textGroup/LocalisedCharacterString")
        ]
        english = [text for locale, text in found if locale[:2] in ("en", "lo") and text]
        return next(iter(english or [text for _, text in found if text]), "")

    def own_code(self) -> str:
        """The code list value that this property holds, on one line."""
        for child in self.element.iterchildren("*"):
            value = clean_text(child.get("codeListValue")) or _words(child)
            if value:
                return " ".join(value.split())
        return " ".join(_words(self.element).split())


def _words(element: etree._Element) -> str:
    # XPath's string value: comments left out, the words of stray markup kept.
    return clean_text(str(element.xpath("string()")))
