"""What a CSW answers: records, or why there are none.

Elements are known by their local names: besides csw/2.0.2 servers write the namespaces of 2.0.0,
2.0.1 and 3.0, and ows, ows/1.1 and ows/2.0 for what went wrong (OGC 05-008, 06-121).
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.address import shown
from ckanext.ukharvest.core.errors import (
    BadStatus,
    ParseError,
    ProtocolError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.core.http import Reply
from ckanext.ukharvest.core.text import clean_text, shorten
from ckanext.ukharvest.readers.xml_records import not_ours

KIND = "an answer of a CSW"

# Statuses under which servers send an exception report.
_REPORTED = (400, 403, 404, 405, 406, 415, 500, 501)
_OVERLOADED = (429, 502, 503, 504)
_NOT_FULL = ("brief", "summary")


class Refused(ProtocolError):
    """The server is there and says no: it may know another way of asking."""

    code = "csw-refused"


class Send(Protocol):
    """Sends one request, the same each time."""

    def __call__(self, *, allow_status: Collection[int]) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What GetRecords or GetRecordById brought.

    Attributes:
        records: the elements of the records, of whatever kind.
        matched: how many records there are in all; -1 if the server does not say.
        following: where the next page begins, 0 if there is none; -1 if the server does not say.
        is_full: no brief or summary records.
        is_list: an answer of GetRecords.
    """

    records: list[etree._Element]
    matched: int = -1
    following: int = -1
    is_full: bool = True
    is_list: bool = True


def ask(send: Send, operation: str, *, patient: bool = True) -> Answer:
    """Send a request and read its answer.

    Args:
        send: sends it.
        operation: its name.
        patient: whether a server that fails is asked again, after a while.

    Raises:
        Refused: the server says no, by an exception report under whatever status.
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
            url = shown(reply.requested_url)
            raise BadStatus(f"{url} answered {reply.status}.", status=reply.status, url=url)
    # Once more as the client asks where no report is expected: with its retries and its words.
    with closing(send(allow_status=())) as reply:
        return read(reply, operation)


def read(reply: Reply, operation: str) -> Answer:
    """Read one answer.

    Raises:
        Refused: it is an exception report.
        ProtocolError: it is another document.
    """
    url = shown(reply.requested_url)
    try:
        root = xml.parse(reply.content, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url) from exc
    name = xml.local_name(root)
    if name == "GetRecordsResponse":
        return _results(root, url)
    if name == "GetRecordByIdResponse":
        return Answer(list(root.iterchildren(etree.Element)), is_list=False)
    if name in ("ExceptionReport", "ServiceExceptionReport"):
        why = shorten(_exceptions(root), 300)
        server = url.partition("?")[0]
        raise Refused(f"the CSW server at {server} refused {operation}: {why}", url=url)
    line = xml.line_of(root)
    raise ProtocolError(_other(root, name, operation, url), code="wrong-root", url=url, line=line)


def first_text(element: etree._Element, *names: str) -> str:
    """The words of the first element below with one of these local names, "" if there is none."""
    found = next(element.iterdescendants(*(f"{{*}}{name}" for name in names)), None)
    return "" if found is None else clean_text(str(found.xpath("string()")))


def may_be_one_record(exc: SourceError) -> bool:
    """Whether a page can have failed because of one record in it."""
    if isinstance(exc, BadStatus):
        return exc.status >= 500
    # GeoNetwork answers with an exception report where it cannot write one of the records.
    return isinstance(exc, (Refused, TooLarge)) or exc.code in ("xml-syntax", "empty-document")


def rank(exc: SourceError) -> int:
    """How much a fault tells of why no way leads in; less is more."""
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
        matched=_number(results, "numberOfRecordsMatched"),
        following=_number(results, "nextRecord"),
        is_full=clean_text(results.get("elementSet")).lower() not in _NOT_FULL,
    )


def _number(element: etree._Element, attribute: str) -> int:
    text = clean_text(element.get(attribute))
    return int(text) if text.isdecimal() and len(text) < 12 else -1


def _exceptions(root: etree._Element) -> str:
    found = [
        _exception(each) for each in root.iterdescendants("{*}Exception", "{*}ServiceException")
    ]
    return "; ".join(found) or clean_text(str(root.xpath("string()"))) or "without a reason"


def _exception(element: etree._Element) -> str:
    """One reason: ``InvalidParameterValue (sortby): no such property``."""
    code = clean_text(element.get("exceptionCode") or element.get("code"))
    locator = clean_text(element.get("locator"))
    said = " ".join(str(element.xpath("string()")).split())
    head = f"{code} ({locator})" if locator else code
    return ": ".join(filter(None, (head, said)))


def _other(root: etree._Element, name: str, operation: str, url: str) -> str:
    """Say what came instead of records."""
    if name == "Capabilities":
        title = shorten(first_text(root, "Title"))
        words = f"{url} answered with its Capabilities, titled '{title}'"
        return f"{words}; expected csw:{operation}Response"
    if name == "Envelope":
        inside = ", ".join(map(xml.local_name, root.iterfind("{*}Body/*")))
        said = shorten(first_text(root, "faultstring", "Reason", "ExceptionText"), 200)
        words = f"{url} answered in SOAP ({inside or 'empty'}), which is not read here"
        return f"{words}: {said}" if said else f"{words}; expected csw:{operation}Response"
    return (
        f"the document at {url} is not {KIND}: its root element is <{name}>;"
        f" expected csw:{operation}Response"
    )
