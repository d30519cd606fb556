"""Sources that are one XML document with many records in it, cut element by element.

The document is read twice from the file that the network filled: once to check all of it and to
keep what its records inherit, once to hand them over. Neither time is it in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.http import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source

ACCEPT = "application/xml, text/xml;q=0.9, */*;q=0.1"

VALIDATION = Option(
    "validation",
    "text",
    "strict",
    "strict: a document whose structure breaks the schema is refused as a whole."
    " lenient: its readable datasets are harvested, and what is wrong is reported.",
    choices=("strict", "lenient"),
)


class Checker(Protocol):
    """Checks one document, piece by piece, against what its format demands."""

    def record(self, element: etree._Element) -> None:
        """Check one record, which still stands in the document."""

    def rest(self, root: etree._Element) -> None:
        """Check the document without its records."""

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the structure, the first fault first; nothing if all is well."""


@dataclass(frozen=True)
class XmlShape:
    """Where in a document the records are, and what a reader has to know of one.

    Attributes:
        kind: the document's name in messages.
        paths: local names from the root to a record.
        root: the expected root in a person's words.
        guid: a record's identity, "" if it has none.
        content: the record with what it inherits from the rest of the document: what is stored,
            and compared with the last run's.
        modified: the record's own stamp, given the root and the record.
        is_gone: whether the document says of the record that it is withdrawn.
        checker: makes a checker for one document; None where there is no schema.
        alone: why a document that is a record itself does not prove that there are no others.
        singular: what a record is called.
        identifier: the element that holds its identity.
    """

    kind: str
    paths: tuple[tuple[str, ...], ...]
    root: str
    guid: Callable[[etree._Element], str]
    content: Callable[[etree._Element, etree._Element], etree._Element]
    modified: Callable[[etree._Element, etree._Element], str]
    is_gone: Callable[[etree._Element], bool] = lambda _record: False
    checker: Callable[[], Checker] | None = None
    alone: str = ""
    singular: str = "dataset"
    identifier: str = "Identifier"


@dataclass(frozen=True)
class XmlDocument:
    """Reads an XML document and cuts it into records."""

    shape: XmlShape

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record; complete when there is one, since the document has its end.

        Raises:
            SourceError: no answer, no XML, another document, or one that breaks its schema while
                the option ``validation`` is strict.
        """
        old = source.validators.get(source.url)
        with closing(source.http.get(source.url, accept=ACCEPT, validators=old)) as reply:
            if reply.not_modified:
                kept = {source.url: old} if old else {}
                return Ending(complete=True, unchanged=True, validators=kept)
            head, problems = self._checked(reply, source)
            count = yield from self._cut(reply, source.url, head)
            ending = Ending(
                complete=True, problems=problems, validators={source.url: reply.validators}
            )
        if not count:
            plural = self.shape.singular + "s"
            reason = f"{source.url} has no {plural}; an empty list does not prove an end"
            return replace(ending, complete=False, reason=reason, validators={})
        if self.shape.alone and _name(head) == self.shape.paths[0][-1]:
            reason = f"{source.url} {self.shape.alone}"
            return replace(ending, complete=False, reason=reason, validators={})
        return ending

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record as it is: the document had all of it."""
        return raw

    def _checked(self, reply: Reply, source: Source) -> tuple[etree._Element, tuple[Problem, ...]]:
        """Read the document to its end; return its root without the records, and its faults."""
        shape, url = self.shape, source.url
        checker = shape.checker() if shape.checker else None
        reading = _Reading(self._elements(reply, url))
        for element in reading:
            if checker is not None:
                checker.record(element)
        if _name(reading.root) not in {path[0] for path in shape.paths}:
            raise self._other(reading.root, url)
        if checker is None:
            return reading.root, ()
        checker.rest(reading.root)
        problems = checker.problems()
        if problems and source.options.get("validation", "strict") == "strict":
            raise _refused(shape.kind, url, problems)
        return reading.root, problems

    def _cut(self, reply: Reply, url: str, head: etree._Element) -> Generator[RawRecord, None, int]:
        number = 0
        for number, element in enumerate(_Reading(self._elements(reply, url)), 1):
            yield self._record(head, element, f"{self.shape.singular} {number}", url)
        return number

    def _record(
        self, head: etree._Element, element: etree._Element, position: str, url: str
    ) -> RawRecord:
        shape = self.shape
        guid = shape.guid(element)
        content = etree.tostring(shape.content(head, element), encoding="unicode")
        raw = RawRecord(
            guid=guid,
            content=content,
            url=url,
            modified=shape.modified(head, element),
            deleted=shape.is_gone(element) and bool(guid),
            position=position,
        )
        if guid:
            return raw
        missing = f"{position}: {shape.identifier} is missing"
        message = f"{missing}; expected a text that stays the same"
        return replace(raw, error=ParseError(message, code="missing-identifier"))

    def _elements(self, reply: Reply, url: str) -> Generator[etree._Element, None, etree._Element]:
        try:
            return (yield from xml.elements(reply.body, self.shape.paths, url=url))
        except ParseError as exc:
            raise _not_ours(exc, self.shape.kind, url) from exc

    def _other(self, root: etree._Element, url: str) -> ProtocolError:
        found = _name(root)
        return ProtocolError(
            f"the document at {url} is not {self.shape.kind}: its root element is <{found}>;"
            f" expected {self.shape.root}",
            code="wrong-root",
            url=url,
            line=xml.line_of(root),
        )


class _Reading:
    """Iterates over elements and keeps the root that comes at the end."""

    root: etree._Element

    def __init__(self, found: Generator[etree._Element, None, etree._Element]) -> None:
        self._found = found

    def __iter__(self) -> Generator[etree._Element, None, None]:
        self.root = yield from self._found


def _name(element: etree._Element) -> str:
    return str(etree.QName(element).localname)


def _not_ours(exc: ParseError, kind: str, url: str) -> ProtocolError:
    """Say what came instead of the document."""
    if exc.code == "html":
        named = exc.message.partition("instead of XML")[2].replace(" without a title", "")
        message, code = f"HTML page instead of {kind}{named}: {url}", "html-page"
    elif exc.message.startswith("the document is empty"):
        message = f"the document at {url} is empty; expected {kind}"
        code = "empty-document"
    else:
        where = f" in line {exc.line}" if exc.line else ""
        message = f"not {kind}: {exc.message}{where} of {url}"
        code = "doctype" if exc.code == "doctype" else "xml-syntax"
    return ProtocolError(message, code=code, url=url, line=exc.line)


def _refused(kind: str, url: str, problems: tuple[Problem, ...]) -> ProtocolError:
    first = problems[0]
    where = f" in line {first.line}" if first.line else ""
    return ProtocolError(
        f"the {kind} at {url} breaks its schema{where}: {first.message}; with the option"
        " validation set to lenient the readable datasets would be harvested",
        code="schema",
        url=url,
        line=first.line,
    )
