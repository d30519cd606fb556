"""Responses of an OAI-PMH 2.0 repository: records as they are read, errors, what it can do.

Elements are recognised by local names: some servers forget the namespace, or use an older one.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.core.http.error_answers import describe_status, quote_xml
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import clean_text, counted, parse_count, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.readers.oaipmh.request import Format
from ckanext.ukharvest.readers.xml_document.records import ACCEPT, beyond_repair, not_ours

KIND = "an answer of OAI-PMH"
ROOT = "OAI-PMH of the namespace http://www.openarchives.org/OAI/2.0/"
_LISTS = ("ListRecords", "GetRecord")
_PATHS = tuple(("OAI-PMH", verb, "record") for verb in _LISTS)

# pycsw 2.6 ends each list with it, and answers it with the first page.
_END = "0"

# The standard sends errors with status 200; these servers put them under others.
_REPORTED = (400, 403, 404, 405, 406, 422)


class Refused(ProtocolError):
    """The repository answers with errors of the protocol; ``codes`` are theirs (section 3.6)."""

    code = "oaipmh-refused"

    def __init__(self, message: str, *, codes: Collection[str], url: str) -> None:
        super().__init__(message, url=url)
        self.codes = frozenset(codes)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page of ListRecords says besides its records.

    Attributes:
        token: asks for the next page, "" if there is none.
        total: completeListSize, -1 if it is not given.
        date: the server's date and time, as written.
        is_list: False for a response of GetRecord.
    """

    token: str = ""
    total: int = -1
    date: str = ""
    is_list: bool = True


@dataclass(frozen=True, slots=True)
class Identity:
    """What Identify says: the granularity of dates, and how deleted records are kept."""

    granularity: str = "YYYY-MM-DD"  # which every repository has to understand
    deleted: str = "no"


def ask(http: HttpClient, url: str, query: Mapping[str, str | int]) -> Reply:
    """Send a request; errors of the protocol can come under any status of ``_REPORTED``.

    Raises:
        Refused: the server sends errors of the protocol under an error status.
        FetchError: no usable answer.
    """
    reply = http.get(url, params=query, accept=ACCEPT, allow_status=_REPORTED)
    if reply.status < 400:
        return reply
    with closing(reply):
        try:
            for _ in read(reply):
                break
        except Refused:
            raise
        except ProtocolError:
            pass  # a page that says no more than the status
        place = safe_url(reply.requested_url)
        raise BadStatus(f"{describe_status(reply, place)}.", status=reply.status, url=place)


def read(
    reply: Reply, problems: list[Problem] | None = None
) -> Generator[etree._Element, None, Facts]:
    """Yield each element ``record`` of a response; return what else it says.

    Args:
        problems: the problem of a document that had to be repaired is added to this list.

    Raises:
        Refused: it holds errors of the protocol.
        ProtocolError: it is another document, or not well-formed: possibly after some records.
    """
    url = safe_url(reply.requested_url)
    try:
        found = [] if problems is None else problems
        before = len(found)
        root = yield from repair.elements(reply.body, _PATHS, found, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    if len(found) > before and not _is_answer(root):
        raise beyond_repair(found[-1], KIND, url)
    _refuse(root, url)
    listed = next(root.iterchildren(*(f"{{*}}{verb}" for verb in _LISTS)), None)
    if listed is None:
        raise ProtocolError(_other_answer(root, url), code="wrong-shape", url=url)
    token, total = token_of(listed)
    return Facts(
        token=token,
        total=total,
        date=clean_text(root.findtext("{*}responseDate")),
        is_list=xml.local_name(listed) == "ListRecords",
    )


class ElementReading:
    """Iterate over the records of a response and keep what else it says."""

    def __init__(self, elements: Generator[etree._Element, None, Facts]) -> None:
        self._elements = elements
        self.facts = Facts()

    def __iter__(self) -> Iterator[etree._Element]:
        self.facts = yield from self._elements


def _is_answer(root: etree._Element) -> bool:
    """Tell whether a document has records or errors of the protocol."""
    parts = (*_LISTS, "error")
    return any(True for _ in root.iterchildren(*(f"{{*}}{name}" for name in parts)))


def token_of(found: etree._Element) -> tuple[str, int]:
    """Return the token for the next page, "" if there is none, and completeListSize or -1."""
    token = next(found.iterchildren("{*}resumptionToken"), None)
    if token is None:
        return "", -1
    text = clean_text(token.text)
    return "" if text == _END else text, parse_count(token.get("completeListSize"))


def formats(reply: Reply) -> list[Format]:
    """Return the formats of a response to ListMetadataFormats.

    Raises:
        ProtocolError: as ``read``.
    """
    found = answer_of(reply, "ListMetadataFormats")
    return [
        Format(prefix, clean_text(each.findtext("{*}metadataNamespace")))
        for each in found.iterchildren("{*}metadataFormat")
        if (prefix := clean_text(each.findtext("{*}metadataPrefix")))
    ]


def identity(reply: Reply) -> Identity:
    """Return what a response to Identify says.

    Raises:
        ProtocolError: as ``read``.
    """
    found = answer_of(reply, "Identify")
    return Identity(
        clean_text(found.findtext("{*}granularity")) or Identity().granularity,
        clean_text(found.findtext("{*}deletedRecord")).lower(),
    )


def answer_of(reply: Reply, verb: str) -> etree._Element:
    """Return the element of a verb in a response.

    Raises:
        Refused: it holds errors of the protocol.
        ProtocolError: it is another document.
    """
    url = safe_url(reply.requested_url)
    try:
        root = xml.parse(reply.content, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    _refuse(root, url)
    found = next(root.iterchildren(f"{{*}}{verb}"), None)
    if found is None:
        message = f"the answer of {url} has no {verb}; expected one"
        raise ProtocolError(message, code="wrong-shape", url=url)
    return found


def _refuse(root: etree._Element, url: str) -> None:
    """Raise ProtocolError for another document, Refused for errors of the protocol."""
    name = xml.local_name(root)
    if name != "OAI-PMH":
        message = (
            f"the document at {url} is not {KIND}: its root element is <{shorten(name)}>;"
            f" expected {ROOT}"
        )
        line = xml.line_of(root)
        raise ProtocolError(message, code="wrong-root", url=url, line=line)
    errors = list(root.iterchildren("{*}error"))
    if not errors:
        return
    server = url.partition("?")[0]
    raise Refused(
        f"the OAI-PMH server at {server} refused the request: {quote_xml(root)}",
        codes=[clean_text(each.get("code")) for each in errors],
        url=url,
    )


# Responses about other things than records → what they hold.
_OTHERS = {
    "Identify": "",
    "ListIdentifiers": "header",
    "ListMetadataFormats": "metadataFormat",
    "ListSets": "set",
}


def _other_answer(root: etree._Element, url: str) -> str:
    """Return the message for a response without records."""
    for verb, part in _OTHERS.items():
        found = next(root.iterchildren(f"{{*}}{verb}"), None)
        if found is not None:
            count = len(list(found.iterchildren(f"{{*}}{part}"))) if part else 0
            held = f" with {counted(count, part)} and no metadata" if part else ""
            return f"{url} is an answer of {verb}{held}; expected an answer of ListRecords"
    return f"the answer of {url} has no ListRecords; expected one with records"
