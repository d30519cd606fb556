"""Responses of a CSW: parse records or exception reports, and make raw records of them.

Elements are recognised by local names: besides csw/2.0.2, servers use the namespaces of 2.0.0,
2.0.1 and 3.0, and ows, ows/1.1 and ows/2.0 for errors (OGC 05-008, 06-121). SOAP envelopes are
opened, whatever was requested.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace

from lxml import etree

from ckanext.ukharvest.core.errors import (
    BadStatus,
    ProtocolError,
    RecordError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.core.http.error_answers import quote_xml
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import clean_text, parse_count, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.csw.filters import CSW, GMD
from ckanext.ukharvest.readers.csw.request import SOAP, Send, record_url
from ckanext.ukharvest.readers.rdf.reader import only_record
from ckanext.ukharvest.readers.seen_records import failed_record
from ckanext.ukharvest.readers.xml_document import (
    Refusal,
    XmlShape,
    beyond_repair,
    open_answer,
    status_error,
    wrong_root,
)

KIND = "an answer of a CSW"

# Statuses under which servers send an exception report.
_REPORTED = (400, 403, 404, 405, 406, 415, 500, 501)
_OVERLOADED = (429, 502, 503, 504)
_NOT_FULL = ("brief", "summary")
_EXCEPTIONS = ("{*}Exception", "{*}ServiceException")
_RDF = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/ns/dcat#",
)
# Dublin Core: a list of records, or all that a catalogue has of them.
_LISTED = ("Record", "SummaryRecord", "BriefRecord")


class Refused(Refusal):
    """The server answers with a refusal: another way of requesting may work."""

    code = "csw-refused"
    method = ""


class Fault(Refused):
    """The refusal is a SOAP fault; ``method`` is that of its version, "" if it is none of ours."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response to GetRecords or GetRecordById.

    Attributes:
        records: the elements of the records, of whatever kind.
        matched: total number of records; -1 if the server does not report it.
        following: start of the next page, 0 if there is none; -1 if the server does not report it.
        is_full: no brief or summary records.
        is_list: a response of GetRecords.
        problems: of the document as a whole, which was repaired.
        start: position of its first record in the catalogue.
    """

    records: list[etree._Element]
    matched: int = -1
    following: int = -1
    is_full: bool = True
    is_list: bool = True
    problems: tuple[Problem, ...] = ()
    start: int = 1

    @property
    def behind(self) -> int:
        """Return the start of the next page, 0 if there is none."""
        behind = self.start + len(self.records) if self.records else max(self.following, 0)
        if behind <= self.start or (self.matched < 0 and self.following == 0):
            return 0
        return behind if self.matched < 0 or behind <= self.matched else 0

    @property
    def is_doubtful(self) -> bool:
        """Whether only our own count, not the server, implies a next page."""
        unknown = self.matched < 0 and self.following < 0
        return self.behind > 0 and (unknown or self.following == 0)


def ask(send: Send, operation: str, *, patient: bool = True) -> Answer:
    """Send a request and read the response.

    Args:
        send: sends it.
        operation: its name.
        patient: whether a failed request is retried after a while.

    Raises:
        Refused: the server sends an exception report, under any status.
        ProtocolError: another document.
        FetchError: no usable answer.
    """
    expected = _REPORTED if patient else _REPORTED + _OVERLOADED
    with closing(send(allow_status=expected)) as reply:
        if reply.status < 400:
            return read(reply, operation)
        error = status_error(reply, lambda reply: read(reply, operation))
    if not patient:
        raise error
    # Repeat the request without allowing error statuses: the client retries it and words the error.
    with closing(send(allow_status=())) as reply:
        return read(reply, operation)


def read(reply: Reply, operation: str) -> Answer:
    """Read one response.

    Raises:
        Refused: it is an exception report or a fault.
        ProtocolError: it is another document.
    """
    url = safe_url(reply.requested_url)
    problems: list[Problem] = []
    root = read_root(reply, operation, problems)
    name = xml.local_name(root)
    if name == "GetRecordsResponse":
        results = next(root.iterchildren("{*}SearchResults"), None)
        if results is None:
            message = Message(
                "the answer of {url} has no csw:SearchResults; expected one with records", url=url
            )
            raise ProtocolError(message, code="wrong-shape", url=url)
        return Answer(
            list(results.iterchildren(etree.Element)),
            matched=parse_count(results.get("numberOfRecordsMatched")),
            following=parse_count(results.get("nextRecord")),
            is_full=clean_text(results.get("elementSet")).lower() not in _NOT_FULL,
            problems=tuple(problems),
        )
    if name == "GetRecordByIdResponse":
        records = list(root.iterchildren(etree.Element))
        return Answer(records, is_list=False, problems=tuple(problems))
    if problems:
        raise beyond_repair(problems[0], KIND, url)
    if name == "Capabilities":
        title = shorten(first_text(root, "Title"))
        form = Message(", in SOAP") if root.getparent() is not None else ""
        message = Message(
            "{url} answered with its Capabilities, titled '{title}'{form}; expected"
            " csw:{operation}Response",
            url=url,
            title=title,
            form=form,
            operation=operation,
        )
        raise ProtocolError(message, code="wrong-root", url=url, line=xml.line_of(root))
    raise wrong_root(root, KIND, f"csw:{operation}Response", url)


def read_root(
    reply: Reply, operation: str, problems: list[Problem] | None = None
) -> etree._Element:
    """Return the root of a response, or what its envelope holds.

    Args:
        problems: the problem of a document that had to be repaired is added to this list.

    Raises:
        Refused: it is an exception report or a fault.
        ProtocolError: it is not XML, or an empty envelope.
    """
    url = safe_url(reply.requested_url)
    root = envelope = open_answer(reply, KIND, [] if problems is None else problems)
    is_envelope = xml.local_name(root) == "Envelope"
    if is_envelope:
        body = next(root.iterchildren("{*}Body"), None)
        content = None if body is None else next(body.iterchildren(etree.Element), None)
        if content is None:
            message = Message(
                "{url} answered with an empty SOAP envelope; expected csw:{operation}Response",
                url=url,
                operation=operation,
            )
            raise ProtocolError(message, code="wrong-root", url=url)
        root = content
    name = xml.local_name(root)
    refused: type[Refused]
    if name == "Fault" and is_envelope:
        why, refused = shorten(_describe_fault(root), 300), Fault
    elif name in ("ExceptionReport", "ServiceExceptionReport"):
        why, refused = quote_xml(root) or Message("without a reason"), Refused
    else:
        return root
    server = url.partition("?")[0]
    error = refused(
        Message(
            "the CSW server at {server} refused {operation}: {why}",
            server=server,
            operation=operation,
            why=why,
        ),
        url=url,
    )
    error.codes = frozenset(
        clean_text(report.get("exceptionCode") or report.get("code"))
        for report in root.iterdescendants(*_EXCEPTIONS)
    )
    namespace = xml.namespace(envelope)
    error.method = next((key for key in SOAP if SOAP[key][0] == namespace), "")
    raise error


def _describe_fault(fault: etree._Element) -> str:
    """Return code, text and reports of a fault: "SOAP fault soap:Client: No rights".

    SOAP 1.1 names them faultcode and faultstring, SOAP 1.2 Code/Value and Reason/Text.
    """
    codes, texts = (
        [
            text
            for path in paths
            for element in fault.iterfind(path)
            if (text := " ".join(clean_text(str(element.xpath("string()"))).split()))
        ]
        for paths in (
            ("{*}faultcode", "{*}Code//{*}Value"),
            ("{*}faultstring", "{*}Reason/{*}Text"),
        )
    )
    reports = quote_xml(fault) if next(fault.iter(*_EXCEPTIONS), None) is not None else ""
    return ": ".join(filter(None, [" ".join(["SOAP fault", *codes]), *texts[:1], reports]))


def first_text(element: etree._Element, *names: str) -> str:
    """Return the text of the first descendant with one of these local names, "" if none."""
    first = next(element.iterdescendants(*(f"{{*}}{name}" for name in names)), None)
    return "" if first is None else clean_text(str(first.xpath("string()")))


def may_be_one_record(exc: SourceError) -> bool:
    """Tell whether a page may have failed because of one record in it."""
    if isinstance(exc, BadStatus):
        return exc.status >= 500
    # GeoNetwork returns an exception report if it cannot write one of the records.
    return isinstance(exc, (Refused, TooLarge)) or exc.code in ("xml-syntax", "empty-document")


def rank(exc: SourceError) -> int:
    """Return how well an error explains why no way works; lower is better."""
    if isinstance(exc, Refused):
        return 0
    return 2 if isinstance(exc, BadStatus) and exc.status < 500 else 1


@dataclass(frozen=True)
class RecordMaker:
    """Makes raw records of elements.

    Attributes:
        shape: what a whole record is.
        base: the catalogue's URL; "" for a saved response, from which nothing can be fetched.
        url: URL of a saved response.
        schema: outputSchema of whole records.
    """

    shape: XmlShape
    base: str = ""
    url: str = ""
    schema: str = GMD

    def records(self, answer: Answer, source: Source) -> list[RawRecord]:
        """Return all records of a response."""
        return [
            self._record(element, answer, f"{self.shape.singular} {position}", source)
            for position, element in enumerate(answer.records, answer.start)
        ]

    def content(self, answer: Answer, source: Source) -> str | None:
        """Return the first whole record's text, None if there is none."""
        for element in answer.records:
            is_listed = xml.local_name(element) in _LISTED
            if self._is_whole(element) and not (is_listed and not len(element)):
                return self.shape.text(element, element)
            if _is_rdf(element):
                return self._described(element, self.shape.singular, source).content
        return None

    def _record(
        self, element: etree._Element, answer: Answer, position: str, source: Source
    ) -> RawRecord:
        if _is_rdf(element):
            raw = self._described(element, position, source)
            if raw.error is not None:
                return raw
        elif self._is_whole(element):
            raw = RawRecord(
                guid=self.shape.guid(element),
                # A saved response has no more than their brief records.
                content=self.shape.text(element, element)
                if answer.is_full or not self.base
                else None,
                modified=self.shape.modified(element, element),
                position=position,
            )
        elif xml.local_name(element) in _LISTED:
            title = shorten(first_text(element, "title"))
            raw = RawRecord(
                guid=first_text(element, "identifier"),
                modified=first_text(element, "modified"),
                position=f"{position} '{title}'" if title else position,
            )
        else:
            other = Message(
                "{position} is a {element}, not {kind}",
                position=position,
                element=xml.local_name(element),
                kind=self.shape.kind,
            )
            return failed_record(
                position,
                Message("{other}; the option types can skip such records", other=other),
                code="other-kind",
                url=self._where,
            )
        if not raw.guid:
            error = self.shape.nameless(raw.position, self._where)
            return replace(raw, url=self._where, error=error)
        url = record_url(self.base, raw.guid, self.schema) if self.base else self.url
        return replace(raw, url=url)

    def _described(self, element: etree._Element, position: str, source: Source) -> RawRecord:
        """Return a record in RDF: its only dataset, or its only service."""
        try:
            raw = only_record(element, position, self._where, source)
        except RecordError as exc:
            return RawRecord("", url=self._where, position=position, error=exc)
        return replace(raw, position=position)

    @property
    def _where(self) -> str:
        return self.base or self.url

    def _is_whole(self, element: etree._Element) -> bool:
        name = xml.local_name(element)
        is_listed = name in _LISTED and self.base and self.schema != CSW
        return not is_listed and name in {path[-1] for path in self.shape.paths}


def _is_rdf(element: etree._Element) -> bool:
    return xml.namespace(element) in _RDF
