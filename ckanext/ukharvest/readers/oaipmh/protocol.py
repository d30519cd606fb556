"""Requests to an OAI-PMH 2.0 repository, and its responses: records, errors, what it can do.

Specification: www.openarchives.org/OAI/openarchivesprotocol.html (version 2.0 of 2015-01-08),
sections 2.7 (sets, dates), 3.1 (requests) and 4. Elements are recognised by local names: some
servers forget the namespace, or use an older one.

A record's identity is that of its header: unlike the metadata, a deleted record has one as well
(section 2.5). Its content is the metadata alone: some servers give headers a new date each time.
DCAT becomes the triples of its dataset, as from any other source of DCAT.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ParseError, ProtocolError, RecordError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.error_answers import quote_xml
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url, with_query, without_parameters
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import clean_text, counted, parse_count
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.readers.rdf.reader import only_record
from ckanext.ukharvest.readers.seen_records import missing_identifier
from ckanext.ukharvest.readers.xml_document import (
    ACCEPT,
    Refusal,
    beyond_repair,
    not_ours,
    status_error,
    wrong_root,
)

DAY = "YYYY-MM-DD"
OAI_DC = "oai_dc"  # every repository has to offer it

# Arguments that requests set themselves; others in a source's URL belong to the server, such as
# pycsw's mode=oaipmh.
_OURS = re.compile(r"verb|metadataPrefix|from|until|set|resumptionToken|identifier", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)

# From the format that says most about a dataset to the one that says least: what is looked for in
# its prefix and namespace. "datacite" is none of them.
_FORMATS = (
    re.compile(r"dcat"),
    re.compile(r"iso_?191(?:39|15)|isotc211|gmd\b"),
    re.compile(r"oai_dc"),
    re.compile(r"csw-record|cat/csw/2\.0|\bq?dc\b|purl\.org/dc/"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested records.

    Attributes:
        prefix: metadata format.
        from_, until: first and last date of change, as the server wants them; "" for none.
        set: name of a set (setSpec), "" for all records.
    """

    prefix: str
    from_: str = ""
    until: str = ""
    set: str = ""

    def query(self, token: str = "", *, with_all: bool = False) -> dict[str, str | int]:
        """Return the arguments of ListRecords.

        A resumptionToken excludes all others (section 3.5); ``with_all`` sends them with it.
        """
        query: dict[str, str | int] = {"verb": "ListRecords"}
        if not token or with_all:
            selection = {"from": self.from_, "until": self.until, "set": self.set}
            query["metadataPrefix"] = self.prefix
            query |= {name: value for name, value in selection.items() if value}
        if token:
            query["resumptionToken"] = token
        return query


def best_format(formats: Iterable[tuple[str, str]]) -> str:
    """Return the prefix of the format, as prefix and namespace, that says most about datasets.

    It is oai_dc if none of them can be read, since every repository has to offer that.
    """
    best, best_rank = OAI_DC, len(_FORMATS)
    for prefix, namespace in formats:
        text = f"{prefix} {namespace}".lower()
        ranks = (rank for rank, pattern in enumerate(_FORMATS) if pattern.search(text))
        if (rank := next(ranks, best_rank)) < best_rank:
            best, best_rank = prefix, rank
    return best


def endpoint(url: str) -> str:
    """Return the URL for requests, without the arguments of a pasted request."""
    return without_parameters(url, _OURS)


def record_url(base: str, identifier: str, prefix: str) -> str:
    """Return the URL of one record, which people can open as well."""
    query = {"verb": "GetRecord", "identifier": identifier, "metadataPrefix": prefix}
    return with_query(base, query)


def check_date(value: str) -> str:
    """Return what is wrong with the option from or until, "" if nothing."""
    return "" if _DATE.fullmatch(value) else "expected 2026-05-01 or 2026-05-01T10:00:00Z"


def as_granularity(value: str, granularity: str, *, is_end: bool = False) -> str:
    """Return a date at the server's granularity: a day, or a second in UTC.

    Args:
        value: a day or a second, "" for none.
        granularity: as Identify says it.
        is_end: a day then means its last second.
    """
    if not value or granularity == DAY:
        return value[:10]
    return value if "T" in value else value + ("T23:59:59Z" if is_end else "T00:00:00Z")


def sets_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sets to read one after another; ("",) reads all records."""
    return tuple(dict.fromkeys(options.get("sets", ()))) or ("",)


KIND = "an answer of OAI-PMH"
ROOT = "OAI-PMH of the namespace http://www.openarchives.org/OAI/2.0/"
_LISTS = ("ListRecords", "GetRecord")
_PATHS = tuple(("OAI-PMH", verb, "record") for verb in _LISTS)

# pycsw 2.6 ends each list with it, and answers it with the first page.
_END = "0"

# The standard sends errors with status 200; these servers put them under others.
_REPORTED = (400, 403, 404, 405, 406, 422)
# Responses about other things than records → what they hold.
_OTHERS = {
    "Identify": "",
    "ListIdentifiers": "header",
    "ListMetadataFormats": "metadataFormat",
    "ListSets": "set",
}


class Refused(Refusal):
    """The repository answers with errors of the protocol; ``codes`` are theirs (section 3.6)."""

    code = "oaipmh-refused"


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
        raise status_error(reply, lambda reply: next(read(reply), None))


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
    problems = [] if problems is None else problems
    before = len(problems)
    try:
        root = yield from repair.elements(reply.body, _PATHS, problems, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    parts = tuple(f"{{*}}{name}" for name in (*_LISTS, "error"))
    if len(problems) > before and next(root.iterchildren(*parts), None) is None:
        raise beyond_repair(problems[-1], KIND, url)
    _refuse(root, url)
    listed = next(root.iterchildren(*(f"{{*}}{verb}" for verb in _LISTS)), None)
    if listed is None:
        raise _without(root, url, "ListRecords")
    token = next(listed.iterchildren("{*}resumptionToken"), None)
    text = "" if token is None else clean_text(token.text)
    return Facts(
        token="" if text == _END else text,
        total=-1 if token is None else parse_count(token.get("completeListSize")),
        date=clean_text(root.findtext("{*}responseDate")),
        is_list=xml.local_name(listed) == "ListRecords",
    )


def formats(reply: Reply) -> list[tuple[str, str]]:
    """Return prefix and namespace of the formats of a response to ListMetadataFormats.

    Raises:
        ProtocolError: as ``read``.
    """
    return [
        (prefix, clean_text(element.findtext("{*}metadataNamespace")))
        for element in _answer(reply, "ListMetadataFormats").iterchildren("{*}metadataFormat")
        if (prefix := clean_text(element.findtext("{*}metadataPrefix")))
    ]


def identity(reply: Reply) -> tuple[str, str]:
    """Return the granularity of dates and the policy of deletion in a response to Identify.

    Raises:
        ProtocolError: as ``read``.
    """
    answer = _answer(reply, "Identify")
    granularity = clean_text(answer.findtext("{*}granularity")) or DAY
    return granularity, clean_text(answer.findtext("{*}deletedRecord")).lower()


def _answer(reply: Reply, verb: str) -> etree._Element:
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
    answer = next(root.iterchildren(f"{{*}}{verb}"), None)
    if answer is None:
        raise _without(root, url, verb)
    return answer


def _refuse(root: etree._Element, url: str) -> None:
    """Raise ProtocolError for another document, Refused for errors of the protocol."""
    if xml.local_name(root) != "OAI-PMH":
        raise wrong_root(root, KIND, ROOT, url)
    if errors := list(root.iterchildren("{*}error")):
        server = url.partition("?")[0]
        message = Message(
            "the OAI-PMH server at {server} refused the request: {root}",
            server=server,
            root=quote_xml(root),
        )
        refused = Refused(message, url=url)
        refused.codes = frozenset(clean_text(error.get("code")) for error in errors)
        raise refused


def _without(root: etree._Element, url: str, verb: str) -> ProtocolError:
    """Return the error for a response without what was asked for."""
    message = Message("the answer of {url} has no {verb}; expected one", url=url, verb=verb)
    if verb == "ListRecords":
        message = Message("{message} with records", message=message)
        for other, part in _OTHERS.items():
            answer = next(root.iterchildren(f"{{*}}{other}"), None)
            if answer is not None:
                count = len(list(answer.iterchildren(f"{{*}}{part}"))) if part else 0
                held = (
                    Message(" with {count} and no metadata", count=counted(count, part))
                    if part
                    else ""
                )
                message = Message(
                    "{url} is an answer of {other}{held}; expected an answer of {verb}",
                    url=url,
                    other=other,
                    held=held,
                    verb=verb,
                )
                break
    return ProtocolError(message, code="wrong-shape", url=url)


@dataclass(frozen=True)
class RecordMaker:
    """Makes raw records of elements.

    Attributes:
        source: the source, for the reader of RDF, which asks nothing for RDF/XML.
        base: the repository's URL; "" for a saved response.
        prefix: metadata format, for the records' own URLs.
        url: URL of a saved response.
    """

    source: Source
    base: str = ""
    prefix: str = ""
    url: str = ""

    def record(self, element: etree._Element, position: str) -> RawRecord:
        """Return one element ``record``; never raises."""
        header = element.find("{*}header")
        guid = "" if header is None else clean_text(header.findtext("{*}identifier"))
        if header is None or not guid:
            url = self.base or self.url
            error = missing_identifier(position, "header/identifier", url=url)
            return RawRecord("", url=url, position=position, error=error)
        raw = RawRecord(
            guid=guid,
            url=record_url(self.base, guid, self.prefix) if self.base else self.url,
            # pycsw 2.6 writes dateStamp.
            modified=clean_text(header.findtext("{*}datestamp") or header.findtext("{*}dateStamp")),
            position=position,
            deleted=clean_text(header.get("status")).lower() == "deleted",
        )
        if raw.deleted:
            return raw
        try:
            return replace(raw, content=self._content(element, raw))
        except RecordError as exc:
            return replace(raw, error=exc)

    def _content(self, element: etree._Element, raw: RawRecord) -> str:
        metadata = element.find("{*}metadata")
        root = None if metadata is None else next(metadata.iterchildren(etree.Element), None)
        if root is None:
            message = Message(
                "{record} has no metadata and is not deleted; expected metadata",
                record=raw.display_name,
            )
            raise RecordError(message, code="not-shown", url=raw.url)
        if xml.namespace(root) in (rdf.RDF, rdf.DCAT):
            return only_record(root, raw.display_name, raw.url, self.source).content or ""
        return etree.tostring(root, encoding="unicode", with_tail=False)
