"""Answers of an OpenSearch service: pages of results in Atom or GeoJSON, and other documents.

Specifications: OpenSearch 1.1 draft 6, "response elements", in Atom (RFC 4287); OGC 17-047r1 in
GeoJSON (RFC 7946). What arrives decides how it is read, not what was requested.

A record's identity is ``atom:id``, in GeoJSON ``id``; both encodings give the same one (OGC
17-047r1, table 3). Links of a result to itself and to other pages are no content: they repeat the
request that was sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.error_answers import quote_xml
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.core.values.text import clean_text, parse_count
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.json_api import parse_json, wrong_shape
from ckanext.ukharvest.readers.opensearch import search as description
from ckanext.ukharvest.readers.opensearch.search import ATOM, GEOJSON, Description, absolute
from ckanext.ukharvest.readers.seen_records import missing_identifier
from ckanext.ukharvest.readers.xml_document import beyond_repair, open_answer, wrong_root

KIND = "an answer of OpenSearch"
EXPECTED = "an OpenSearch description document, or results in Atom or GeoJSON"
ACCEPT = (
    f"{description.MEDIA_TYPE}, {ATOM}, {GEOJSON}, application/xml;q=0.8, application/json;q=0.8,"
    " */*;q=0.1"
)
# Where answers in JSON have their numbers: OGC 17-047r1, services older than it, OGC API.
_TOTALS = ("totalResults", "os:totalResults", "opensearch:totalResults", "numberMatched")
NAVIGATION = frozenset(("self", "next", "previous", "prev", "first", "last"))
# Of extensions of OpenSearch, about the search and not about the record.
_ABOUT_SEARCH = (
    "http://a9.com/-/spec/opensearch/1.1/",
    "http://a9.com/-/opensearch/extensions/relevance/1.0/",
)
_GML_IDS = (
    "{http://www.opengis.net/gml}id",
    "{http://www.opengis.net/gml/3.2}id",
)
_BASE = "{http://www.w3.org/XML/1998/namespace}base"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of results.

    Attributes:
        url: the URL that was requested.
        records: its records, in order.
        total: number of all results as announced, -1 if it is not given.
        is_estimate: the server says that the number is not exact.
        start: number of the first record as announced, -1 if it is not given.
        next: URL of the next page, "" if the page names none.
        problems: of the document as a whole, which was repaired.
    """

    url: str
    records: tuple[RawRecord, ...]
    total: int = -1
    is_estimate: bool = False
    start: int = -1
    next: str = ""
    problems: tuple[Problem, ...] = ()


def ask(http: HttpClient, url: str, position: int = 0) -> Page | Description | tuple[str, ...]:
    """Request a document: of an HTML page, the links to description documents.

    Args:
        position: number of records on the pages before.

    Raises:
        ProtocolError: it is another document, or not well-formed.
        FetchError: no usable answer.
    """
    with closing(http.get(url, accept=ACCEPT)) as reply:
        return _read(reply, position)


def _read(reply: Reply, position: int) -> Page | Description | tuple[str, ...]:
    content = reply.content
    if content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return _geojson(reply, position)
    is_page = html_title(content) is not None
    links = description.linked(content) if is_page else ()
    if urls := tuple(absolute(reply.url, link) for link in links):
        return urls
    url = safe_url(reply.requested_url)
    problems: list[Problem] = []
    root = open_answer(reply, KIND, problems)
    name = xml.local_name(root)
    if name == "feed":
        return replace(_feed(root, reply, position), problems=tuple(problems))
    if problems:
        # Of a description, too: a template that got lost would select other records.
        raise beyond_repair(problems[0], KIND, url)
    if name == description.ROOT:
        return Description(reply.requested_url, description.templates(root, reply.url))
    reason = quote_xml(root) if "xception" in name else ""
    raise wrong_root(root, KIND, EXPECTED, url, f": {reason}" if reason else "")


def _feed(root: etree._Element, reply: Reply, position: int) -> Page:
    """Return the page of an Atom feed."""
    base = absolute(reply.url, root.get("{http://www.w3.org/XML/1998/namespace}base") or "")
    links = ((link.get("rel"), link.get("href")) for link in root.iterchildren("{*}link"))
    total, is_estimate = _total(root.findtext("{*}totalResults"))
    return Page(
        url=reply.requested_url,
        records=tuple(
            _entry(entry, number, base=base, url=reply.requested_url)
            for number, entry in enumerate(root.iterchildren("{*}entry"), position + 1)
        ),
        total=total,
        is_estimate=is_estimate,
        start=parse_count(root.findtext("{*}startIndex")),
        next=_next(links, base),
    )


def _geojson(reply: Reply, position: int) -> Page:
    """Return the page of a FeatureCollection."""
    url = reply.requested_url
    answer = parse_json(reply)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("features"), list):
        raise wrong_shape(safe_url(url), answer, "a FeatureCollection of GeoJSON with features")
    inner = answer.get("properties")
    parts = [answer, inner] if isinstance(inner, Mapping) else [answer]
    totals = (part[name] for part in parts for name in _TOTALS if name in part)
    total, is_estimate = _total(next(totals, None))
    # resto, the software of several satellite catalogues, counts roughly by default.
    is_rough = any(part.get("exactCount", True) in (False, 0) for part in parts)
    links = (link for part in parts for link in _links(part.get("links")))
    return Page(
        url=url,
        records=tuple(
            _feature(feature, number, url=url)
            for number, feature in enumerate(answer["features"], position + 1)
        ),
        total=total,
        is_estimate=is_estimate or is_rough,
        start=max(parse_count(part.get("startIndex")) for part in parts),
        next=_next(((link["rel"], link.get("href")) for link in links), reply.url),
    )


def _links(value: Any) -> Iterator[dict[str, Any]]:
    """Yield links in JSON, each with ``rel``: OGC 17-047 groups them by it, others list them."""
    groups = value.items() if isinstance(value, Mapping) else ((None, value),)
    for rel, group in groups:
        for item in group if isinstance(group, list) else [group]:
            link = {"href": item} if isinstance(item, str) else item
            if isinstance(link, Mapping):
                yield {**link, "rel": clean_text(rel or link.get("rel"))}


def _next(links: Iterator[tuple[Any, Any]], base: str) -> str:
    targets = (clean_text(href) for rel, href in links if clean_text(rel).lower() == "next")
    target = next(filter(None, targets), "")
    return absolute(base, target) if target else ""


def _total(value: Any) -> tuple[int, bool]:
    """Return an announced number, and whether it is an estimate ("1000+", "> 1000")."""
    text = clean_text(value)
    plain = text.strip("+~<>≈ ")
    return parse_count(plain), plain != text


def _entry(entry: etree._Element, number: int, *, base: str, url: str) -> RawRecord:
    """Return an entry of an Atom feed as a record.

    Args:
        number: its place among all results, from 1.
        base: the feed's base URL, for relative links.
        url: the page that it is on.
    """
    guid = clean_text(entry.findtext("{*}id")) or clean_text(entry.findtext("{*}identifier"))
    position = f"entry {number}"
    content = etree.tostring(_content(entry, base), encoding="unicode", with_tail=False)
    return _record(guid, content, position, url)


def _content(entry: etree._Element, base: str) -> etree._Element:
    """Return a copy of an entry: without what changes with the request, with absolute links."""
    copy = deepcopy(entry)
    base = absolute(base, str(copy.attrib.pop(_BASE, "")))
    for child in list(copy.iterchildren(etree.Element)):
        is_link = xml.local_name(child) == "link"
        if is_link and clean_text(child.get("rel")).lower() in NAVIGATION:
            copy.remove(child)
        elif is_link and child.get("href"):
            child.set("href", absolute(base, clean_text(child.get("href"))))
        elif xml.namespace(child) in _ABOUT_SEARCH:
            copy.remove(child)
    # Servers number geometries anew in each answer.
    for element in copy.iter(etree.Element):
        for name in _GML_IDS:
            element.attrib.pop(name, "")
    return copy


def _feature(feature: Any, number: int, *, url: str) -> RawRecord:
    """Return a feature of a GeoJSON answer as a record; arguments as of ``_entry``."""
    position = Message("feature {number}", number=number)
    if not isinstance(feature, Mapping):
        message = Message(
            "{position} is not an object in {{ }}; expected a Feature of GeoJSON", position=position
        )
        error = ParseError(message, code="not-an-object", url=url)
        return RawRecord("", canonical_json(feature), url=url, position=position, error=error)
    inner = feature.get("properties")
    inner = inner if isinstance(inner, Mapping) else {}
    guid = clean_text(feature.get("id")) or clean_text(inner.get("identifier"))
    content: dict[str, Any] = dict(feature)
    if isinstance(inner.get("links"), (Mapping, list)):
        content["properties"] = {**inner, "links": _own_links(inner["links"], url)}
    if isinstance(feature.get("links"), (Mapping, list)):
        content["links"] = _own_links(feature["links"], url)
    return _record(guid, canonical_json(content), position, url)


def _own_links(value: Any, url: str) -> list[dict[str, Any]]:
    """Return absolute links, without those to other pages."""
    return [
        {**link, "href": absolute(url, href)} if (href := clean_text(link.get("href"))) else link
        for link in _links(value)
        if link["rel"].lower() not in NAVIGATION
    ]


def _record(guid: str, content: str, position: str, url: str) -> RawRecord:
    error = None if guid else missing_identifier(position, "id", url=url)
    return RawRecord(guid, content, url=url, position=position, error=error)
