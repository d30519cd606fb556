"""An XML element read with care: by local names, with problems for odd values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lxml import etree

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import clean_text, parse_date
from ckanext.ukharvest.parsers.reporting import parsed

Parse = Callable[[str], str]


class Node:
    """One element of a record; elements and attributes in any namespace.

    Args:
        element: the element.
        problems: where problems are added, in the order of reading.
        path: what stands before a field's name in problems, such as "Resource[2]/".
    """

    def __init__(self, element: etree._Element, problems: list[Problem], path: str = "") -> None:
        self._element = element
        self._problems = problems
        self._path = path

    def report(self, code: str, name: str, words: str) -> None:
        """Add a problem with a field; ``words`` follow its name in the message."""
        field = self._path + name
        self._problems.append(Problem(code, field, f"{field}: {words}"))

    def texts(self, name: str) -> tuple[str, ...]:
        """What the children of a name say, without those that say nothing."""
        return tuple(filter(None, map(_text, self._element.iterchildren(f"{{*}}{name}"))))

    def text(self, name: str) -> str:
        """What the first child of a name says that says anything."""
        return next(iter(self.texts(name)), "")

    def own_text(self) -> str:
        """The words beside the child elements."""
        parts = [self._element.text, *(child.tail for child in self._element)]
        return clean_text(" ".join(clean_text(part) for part in parts if part))

    def attribute(self, name: str) -> str:
        """An attribute's text, "" if it is missing."""
        return clean_text(self._element.get(name))

    def each(self, *names: str) -> Iterator[Node]:
        """The elements at the end of a path of names, numbered from 1 in messages."""
        *above, last = names
        for parent in self._below(above):
            for number, child in enumerate(parent.iterchildren(f"{{*}}{last}"), 1):
                yield Node(child, self._problems, f"{self._path}{last}[{number}]/")

    def _below(self, names: list[str]) -> Iterator[etree._Element]:
        found = [self._element]
        for name in names:
            found = [child for each in found for child in each.iterchildren(f"{{*}}{name}")]
        return iter(found)

    def parsed(self, name: str, text: str, parse: Parse, code: str) -> str:
        """A text through a parser of ``core.values``; what it refuses is reported as ``code``."""
        return parsed(text, parse, partial(self.report, code, name))

    def date(self, name: str) -> str:
        """The date in an attribute, or in a child where there is no such attribute."""
        text = self.attribute(name) or self.text(name)
        # .NET's word for no date, and DataShare's for a dataset that never had a file.
        text = "" if text[:10] in ("0001-01-01", "1900-01-01") else text
        return self.parsed(name, text, parse_date, "bad-date")


def _text(element: etree._Element) -> str:
    # XPath's string value: comments left out, and the words of markup that was not escaped kept.
    return clean_text(element.text if not len(element) else str(element.xpath("string()")))
