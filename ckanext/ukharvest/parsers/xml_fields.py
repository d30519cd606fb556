"""An XML element read with care: by local names, with problems for odd values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from urllib.parse import urljoin

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.reporting import BaseNode, read_link

# .NET writes this for no date, as does DataShare for a dataset without files.
NO_DATE = ("0001-01-01", "1900-01-01")


class Node(BaseNode):
    """One element of a record; elements and attributes in any namespace.

    Args:
        element: the element; an attribute of the same name has it.
        problems, path, base: as in ``BaseNode``.
    """

    def __init__(
        self, element: etree._Element, problems: list[Problem], path: str = "", base: str = ""
    ) -> None:
        super().__init__(problems, path, base)
        self.element = element

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return the texts of the children with these names, or at paths of such names."""
        elements = chain.from_iterable(map(self.element.iterfind, map(_path, names)))
        return tuple(filter(None, map(_text, elements)))

    def unread(self, read: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield name and words of the children that are not read, those of one name together."""
        words: dict[str, list[str]] = {}
        for child in self.element.iterchildren(etree.Element):
            if (name := xml.local_name(child)) not in read:
                words.setdefault(name, []).append(words_in(child))
        for name, texts in words.items():
            if text := ", ".join(filter(None, texts)):
                yield name, text

    def own_text(self) -> str:
        """Return the text outside the child elements."""
        parts = [self.element.text, *(child.tail for child in self.element)]
        return clean_text(" ".join(clean_text(part) for part in parts if part))

    def attribute(self, name: str) -> str:
        """Return an attribute's text, "" if it is missing."""
        return clean_text(self.element.get(name))

    def find_all(self, *names: str) -> Iterator[Node]:
        """Yield the elements at the end of a path of names, numbered from 1 in messages."""
        *above, last = names
        parents = [self.element]
        for name in above:
            parents = [child for parent in parents for child in parent.iterchildren(f"{{*}}{name}")]
        for parent in parents:
            for number, child in enumerate(parent.iterchildren(f"{{*}}{last}"), 1):
                yield Node(child, self._problems, f"{self._path}{last}[{number}]/", self._base)

    def read_link(self, name: str, text: str, base: str) -> str:
        """Return the URL of a file or page in a text, as ``link``.

        Args:
            base: of the link alone (xml:base), which may be relative.
        """
        return read_link(text, urljoin(self._base, base), self.reporter(name))

    def date_texts(self, name: str) -> list[str]:
        """Return the text of an attribute, or of the children where there is no such attribute."""
        own = self.attribute(name)
        return [
            text for text in ([own] if own else self.texts(name)) if not text.startswith(NO_DATE)
        ]


def wrong_root(raw: RawRecord, root: etree._Element, expected: str, more: str = "") -> ParseError:
    """Return the error of a record that is another document.

    Args:
        more: what else is known of the document.
    """
    name = shorten(xml.local_name(root))
    message = Message(
        "{record}: its root element is <{name}>{more}; expected {expected}",
        record=raw.display_name,
        name=name,
        more=more,
        expected=expected,
    )
    return ParseError(message, code="wrong-root", url=raw.url, line=xml.line_of(root))


@dataclass(frozen=True, slots=True)
class Entry:
    """A record in XML: its element, the same to be read with care, and what came with it."""

    root: etree._Element
    node: Node
    raw: RawRecord

    def part(self, prefix: str) -> Node:
        """Return the node that rows of a table read."""
        return self.node


@lru_cache(maxsize=1024)
def _path(name: str) -> str:
    """Return the path of a name, or of a path of names, in any namespace."""
    return name if "{" in name else re.sub(r"(^|/)(?=\w)", r"\1{*}", name)


def _text(element: etree._Element) -> str:
    # XPath's string value: without comments, but with the text of markup that was not escaped.
    text = clean_text(element.text if not len(element) else str(element.xpath("string()")))
    return f"{text} {clean_text(element.get('uom'))}".strip()


# Reasons for a missing value that say no more than that (ISO 19136, 8.2.3.3).
_NO_VALUE = frozenset(("inapplicable", "missing", "template", "unknown"))


def words_in(
    element: etree._Element, attributes: Collection[str] = (), without: Collection[str] = ()
) -> str:
    """Return the texts and attributes of an element and of those below it.

    Args:
        attributes: local names of the only ones to take.
        without: local names of elements that are left out, with all in them.
    """
    words: list[str] = []
    left_out: set[etree._Element | None] = set()
    for node in element.iter(etree.Element):
        if xml.local_name(node) in without or node.getparent() in left_out:
            left_out.add(node)
            continue
        for key in map(str, node.attrib):
            name, text = key.rpartition("}")[2], node.get(key, "")
            is_empty = name == "nilReason" and text in _NO_VALUE
            words += [text] if not is_empty and (not attributes or name in attributes) else []
        words += [node.text or "", node.tail or ""]
    return clean_text(" ".join(filter(None, map(clean_text, words))))
