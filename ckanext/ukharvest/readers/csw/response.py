"""Responses of a CSW: parse records or exception reports.

Elements are recognised by local names: besides csw/2.0.2, servers use the namespaces of 2.0.0,
2.0.1 and 3.0, and ows, ows/1.1 and ows/2.0 for errors (OGC 05-008, 06-121). SOAP envelopes are
opened, whatever was requested.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from lxml import etree

from ckanext.ukharvest.core.errors import (
    BadStatus,
    ParseError,
    ProtocolError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.http.error_answers import describe_status, quote_xml
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import clean_text, parse_count, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.readers.csw import soap
from ckanext.ukharvest.readers.xml_document.records import beyond_repair, not_ours

KIND = "an answer of a CSW"

# Statuses under which servers send an exception report.
_REPORTED = (400, 403, 404, 405, 406, 415, 500, 501)
_OVERLOADED = (429, 502, 503, 504)
_NOT_FULL = ("brief", "summary")
_EXCEPTIONS = ("{*}Exception", "{*}ServiceException")


class Refused(ProtocolError):
    """The server answers with a refusal: another way of requesting may work.

    ``codes`` are its exception codes.
    """

    code = "csw-refused"
    codes: tuple[str, ...] = ()


class Fault(Refused):
    """The refusal is a SOAP fault; ``method`` is that of its version, "" if it is none of ours."""

    method = ""


class Send(Protocol):
    """Sends one request, the same each time."""

    def __call__(self, *, allow_status: Collection[int]) -> Reply: ...


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
    """

    records: list[etree._Element]
    matched: int = -1
    following: int = -1
    is_full: bool = True
    is_list: bool = True
    problems: tuple[Problem, ...] = ()


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
        try:
            read(reply, operation)
        except Refused:
            raise
        except ProtocolError:
            pass  # a page that says no more than the status
        if not patient:
            url = safe_url(reply.requested_url)
            raise BadStatus(f"{describe_status(reply, url)}.", status=reply.status, url=url)
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
        return replace(_results(root, url), problems=tuple(problems))
    if name == "GetRecordByIdResponse":
        records = list(root.iterchildren(etree.Element))
        return Answer(records, is_list=False, problems=tuple(problems))
    if problems:
        raise beyond_repair(problems[0], KIND, url)
    line = xml.line_of(root)
    raise ProtocolError(_other(root, name, operation, url), code="wrong-root", url=url, line=line)


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
    try:
        root = repair.parse(reply.content, [] if problems is None else problems, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    envelope = root if soap.is_envelope(root) else None
    if envelope is not None:
        content = soap.content(envelope)
        if content is None:
            message = (
                f"{url} answered with an empty SOAP envelope; expected csw:{operation}Response"
            )
            raise ProtocolError(message, code="wrong-root", url=url)
        root = content
    server = url.partition("?")[0]
    head = f"the CSW server at {server} refused {operation}"
    name = xml.local_name(root)
    if name == "Fault" and envelope is not None:
        reports = quote_xml(root) if next(root.iter(*_EXCEPTIONS), None) is not None else ""
        why = ": ".join(filter(None, (soap.describe_fault(root), reports)))
        fault = Fault(f"{head}: {shorten(why, 300)}", url=url)
        fault.codes, fault.method = _codes(root), soap.method_of(envelope)
        raise fault
    if name in ("ExceptionReport", "ServiceExceptionReport"):
        refused = Refused(f"{head}: {quote_xml(root) or 'without a reason'}", url=url)
        refused.codes = _codes(root)
        raise refused
    return root


def first_text(element: etree._Element, *names: str) -> str:
    """Return the text of the first descendant with one of these local names, "" if none."""
    found = next(element.iterdescendants(*(f"{{*}}{name}" for name in names)), None)
    return "" if found is None else clean_text(str(found.xpath("string()")))


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


def _results(root: etree._Element, url: str) -> Answer:
    results = next(root.iterchildren("{*}SearchResults"), None)
    if results is None:
        message = f"the answer of {url} has no csw:SearchResults; expected one with records"
        raise ProtocolError(message, code="wrong-shape", url=url)
    return Answer(
        list(results.iterchildren(etree.Element)),
        matched=parse_count(results.get("numberOfRecordsMatched")),
        following=parse_count(results.get("nextRecord")),
        is_full=clean_text(results.get("elementSet")).lower() not in _NOT_FULL,
    )


def _codes(root: etree._Element) -> tuple[str, ...]:
    return tuple(map(_code, root.iterdescendants(*_EXCEPTIONS)))


def _code(element: etree._Element) -> str:
    return clean_text(element.get("exceptionCode") or element.get("code"))


def _other(root: etree._Element, name: str, operation: str, url: str) -> str:
    """Return the message for a document that is not records."""
    if name == "Capabilities":
        title = shorten(first_text(root, "Title"))
        words = f"{url} answered with its Capabilities, titled '{title}'"
        words += ", in SOAP" if root.getparent() is not None else ""
        return f"{words}; expected csw:{operation}Response"
    return (
        f"the document at {url} is not {KIND}: its root element is <{name}>;"
        f" expected csw:{operation}Response"
    )
