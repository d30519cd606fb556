"""XML documents: cut into records, element by element, or a server's answers of other protocols.

A document of records is read twice from a local file: first to check all of it and to keep what its
records inherit, then to return them. It is never in memory as a whole.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO, Protocol, TypeVar

from lxml import etree

from ckanext.ukharvest.core.document_kind import sent_as
from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError
from ckanext.ukharvest.core.http.error_answers import describe_status, refusal_code
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Iteration, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.readers.seen_records import missing_identifier
from ckanext.ukharvest.readers.walk import request, saved_ending, unchanged

ACCEPT = "application/xml, text/xml;q=0.9, */*;q=0.1"


class Checker(Protocol):
    """Checks one document, piece by piece, against its format's requirements."""

    def record(self, element: etree._Element) -> None:
        """Check one record, which is still in the document."""

    def rest(self, root: etree._Element) -> None:
        """Check the document without its records."""

    def problems(self) -> tuple[Problem, ...]:
        """Return the structure's faults in order; nothing if there are none."""

    bad_value: Problem | None  # the first value that is not of its basic type


@dataclass(frozen=True)
class XmlShape:
    """The places of records in documents of one kind, and how to read a record.

    Attributes:
        kind: the document's name in messages.
        paths: local names from the root to a record.
        root: description of the expected root for people.
        guid: returns a record's identity, "" if it has none.
        content: returns the record with what it inherits from the rest of the document: the text
            that is stored, and compared with the last run's.
        modified: returns the record's own stamp, given the root and the record.
        is_gone: whether the document says that the record is withdrawn.
        checker: makes a checker for one document; None where there is no schema.
        alone: why a document that is a record itself does not prove that there are no others.
        rest: how many further records a document reports, given its root and the number it holds.
        singular: the name of a record.
        identifier: the element that holds its identity.
        called: returns the name of a document with another root, "" if unknown.
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
    rest: Callable[[etree._Element, int], int] = lambda _root, _count: 0
    singular: str = "dataset"
    identifier: str = "Identifier"
    called: Callable[[etree._Element], str] = lambda _root: ""

    def text(self, head: etree._Element, element: etree._Element) -> str:
        """Return a record's stored text; a record that is a whole document keeps its lines."""
        text = etree.tostring(self.content(head, element), encoding="unicode")
        if element.getparent() is not None:
            return text
        # Serialising removes the declaration, and breaks between the root's attributes.
        first = next(element.iterchildren(), None)
        line = xml.line_of(element if first is None else first) or 1
        return "\n" * max(line - 1 - (element.text or "").count("\n"), 0) + text

    def nameless(self, position: str, url: str = "") -> ParseError:
        """Return the error for a record without identity."""
        return missing_identifier(position, self.identifier, url=url)


class OtherDocument(ProtocolError):
    """Well-formed XML of another kind; ``root`` is its root's local name."""

    root = ""


class XmlRecords:
    """One document, checked to its end when made, then cut into records.

    One that is not well-formed is repaired.

    Args:
        shape: the expected document.
        url: where it was read, for messages and for its records.
        name: its name among other documents, if there are any.
        strict: refuse one that breaks its schema.

    Attributes:
        head: its root without the records.
        count: number of its records.
        problems: where it was repaired, and where it breaks its schema.

    Raises:
        ProtocolError: not XML, another document, or with ``strict`` one that breaks its schema.
    """

    def __init__(
        self, shape: XmlShape, reply: Reply, url: str, name: str = "", *, strict: bool = False
    ) -> None:
        self._shape = shape
        self._body: IO[bytes] = reply.body
        self._url = url
        self._name = name
        self._media_type = reply.media_type
        self.problems: tuple[Problem, ...] = ()
        try:
            self._check(strict=strict)
        except ProtocolError as exc:
            fault = exc.__cause__
            if exc.code != "xml-syntax" or not isinstance(fault, ParseError):
                raise
            self._body.seek(0)
            try:
                root = repair.repair(self._body.read(repair.MAX_BYTES + 1), fault)
                self._body = io.BytesIO(etree.tostring(root))
                self._check(strict=strict)
            except (ParseError, OtherDocument):
                raise exc from fault
            self.problems = (repair.problem(fault, url), *self.problems)

    def _check(self, *, strict: bool) -> None:
        checker = self._shape.checker() if self._shape.checker else None
        reading = Iteration(self._elements())
        self.count = 0
        for element in reading:
            self.count += 1
            if checker is not None:
                checker.record(element)
        self.head = reading.result
        if xml.local_name(self.head) not in {path[0] for path in self._shape.paths}:
            raise self._other(self.head)
        if checker is None:
            return
        checker.rest(self.head)
        self.problems = checker.problems()
        fault = next(iter(self.problems), None) or checker.bad_value
        if fault and strict:
            where = Message(" in line {line}", line=fault.line) if fault.line else ""
            raise ProtocolError(
                Message(
                    "the {kind} at {url} breaks its schema{where}: {reason}; with the option"
                    " validation set to lenient the readable datasets would be harvested",
                    kind=self._shape.kind,
                    url=self._url,
                    where=where,
                    reason=fault.message,
                ),
                code="schema",
                url=self._url,
                line=fault.line,
            )

    def cut(self) -> Iterator[RawRecord]:
        """Yield every record."""
        for number, element in enumerate(self._elements(), 1):
            position = f"{self._shape.singular} {number}"
            if self._name:
                position = self._name if self.count == 1 else f"{self._name}, {position}"
            yield self._record(self.head, element, position)

    def _record(self, head: etree._Element, element: etree._Element, position: str) -> RawRecord:
        shape = self._shape
        guid = shape.guid(element)
        return RawRecord(
            guid=guid,
            content=shape.text(head, element),
            url=self._url,
            modified=shape.modified(head, element),
            deleted=shape.is_gone(element) and bool(guid),
            position=position,
            error=None if guid else shape.nameless(position),
        )

    def _elements(self) -> Generator[etree._Element, None, etree._Element]:
        try:
            return (yield from xml.elements(self._body, self._shape.paths, url=self._url))
        except ParseError as exc:
            if isinstance(exc, xml.HasDoctype) and self._shape.called(exc.root):
                raise self._other(exc.root) from exc
            raise not_ours(exc, self._shape.kind, self._url, self._media_type) from exc

    def _other(self, root: etree._Element) -> OtherDocument:
        name = self._shape.called(root)
        more = f" ({name})" if name else ""
        error = wrong_root(root, self._shape.kind, self._shape.root, self._url, more, OtherDocument)
        error.root = xml.local_name(root)
        return error


class Refusal(ProtocolError):
    """A server explains in XML why it refuses a request; ``codes`` are those of its report."""

    codes: frozenset[str] = frozenset()


def open_answer(reply: Reply, kind: str, problems: list[Problem]) -> etree._Element:
    """Return the root of an answer in XML; one that is not well-formed is repaired.

    Args:
        kind: what it is, for messages.
        problems: the problem of a document that had to be repaired is added to this list.

    Raises:
        ProtocolError: it is not XML.
    """
    url = safe_url(reply.requested_url)
    try:
        return repair.parse(reply.content, problems, url=url)
    except ParseError as exc:
        raise not_ours(exc, kind, url, reply.media_type) from exc


def status_error(reply: Reply, read: Callable[[Reply], object]) -> BadStatus:
    """Return the error of an answer under an error status.

    Raises:
        Refusal: by ``read``, if the answer says in the protocol's own form why.
    """
    try:
        read(reply)
    except Refusal:
        raise
    except ProtocolError:
        pass  # a page that says no more than the status
    url = safe_url(reply.requested_url)
    code = refusal_code(reply)
    return BadStatus(
        Message("{answer}.", answer=describe_status(reply, url)),
        status=reply.status,
        url=url,
        code=code,
    )


E = TypeVar("E", bound=ProtocolError)


def wrong_root(
    root: etree._Element,
    kind: str,
    expected: str,
    url: str,
    more: str = "",
    error: type[E] = ProtocolError,  # type: ignore[assignment]
) -> E:
    """Return the error for XML of another kind; ``more`` says what its root element is."""
    message = Message(
        "the document at {url} is not {kind}: its root element is <{name}>{more}; expected"
        " {expected}",
        url=url,
        kind=kind,
        name=shorten(xml.local_name(root)),
        more=more,
        expected=expected,
    )
    return error(message, code="wrong-root", url=url, line=xml.line_of(root))


def not_ours(exc: ParseError, kind: str, url: str, media_type: str = "") -> ProtocolError:
    """Return the error for a document that is not of this kind, sent as ``media_type``."""
    if exc.code == "html":
        named = exc.message.partition("instead of XML")[2].replace(" without a title", "")
        sent = sent_as(media_type, "html")
        message, code = (
            Message(
                "HTML page instead of {kind}{named}{sent}: {url}",
                kind=kind,
                named=named,
                sent=sent,
                url=url,
            ),
            "html-page",
        )
    elif exc.message.startswith("the document is empty"):
        message = Message("the document at {url} is empty; expected {kind}", url=url, kind=kind)
        code = "empty-document"
    else:
        where = Message(" in line {line}", line=exc.line) if exc.line else ""
        message = Message(
            "not {kind}: {reason}{where} of {url}{sent}",
            kind=kind,
            reason=exc.message,
            where=where,
            url=url,
            sent=sent_as(media_type, "xml"),
        )
        code = "doctype" if exc.code == "doctype" else "xml-syntax"
    return ProtocolError(message, code=code, url=url, line=exc.line)


def beyond_repair(problem: Problem, kind: str, url: str) -> ProtocolError:
    """Return the error for a document that is not of this kind although it was repaired."""
    return ProtocolError(
        Message("not {kind}: {reason}", kind=kind, reason=problem.message),
        code="xml-syntax",
        url=url,
        line=problem.line,
    )


VALIDATION = Option(
    "validation",
    "text",
    "strict",
    "strict: a document that does not follow the schema, or has a date, licence address or type "
    "that is none, is refused. lenient: its readable datasets are harvested and the faults are "
    "reported.",
    choices={
        "strict": _("Refuse the whole document"),
        "lenient": _("Import what can be read and show the problems"),
    },
    label=_("Records that do not follow the standard"),
    form_help="",
)


@dataclass(frozen=True)
class XmlDocument(Reader):
    """Reads an XML document and cuts it into records."""

    shape: XmlShape

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record; complete if there is one, since the document was read to its end.

        Raises:
            SourceError: no answer, not XML, another document, or one that breaks its schema while
                the option ``validation`` is strict.
        """
        with closing(request(source, ACCEPT)) as reply:
            if reply.not_modified:
                return unchanged(source)
            strict = source.options.get("validation", "strict") == "strict"
            document = XmlRecords(self.shape, reply, source.url, strict=strict)
            yield from document.cut()
        total = document.count + self.shape.rest(document.head, document.count)
        ending = saved_ending(
            source.url, self.shape.singular, document.count, total, problems=document.problems
        )
        if not ending.complete:
            return ending
        if self.shape.alone and xml.local_name(document.head) == self.shape.paths[0][-1]:
            return replace(ending, complete=False, reason=f"{source.url} {self.shape.alone}")
        return replace(ending, validators={source.url: reply.validators})
