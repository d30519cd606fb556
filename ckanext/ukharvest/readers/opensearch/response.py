"""Answers of an OpenSearch service: pages of results in Atom or GeoJSON, and other documents.

Specifications: OpenSearch 1.1 draft 6, "response elements", in Atom (RFC 4287); OGC 17-047r1 in
GeoJSON (RFC 7946). What arrives decides how it is read, not what was requested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.core.http.error_answers import quote_xml
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.core.values.text import clean_text, parse_count, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.readers.json_api import parse_json, wrong_shape
from ckanext.ukharvest.readers.opensearch import description, records
from ckanext.ukharvest.readers.opensearch.template import Template, absolute
from ckanext.ukharvest.readers.xml_document.records import beyond_repair, not_ours

KIND = "an answer of OpenSearch"
EXPECTED = "an OpenSearch description document, or results in Atom or GeoJSON"
ATOM, GEOJSON = "application/atom+xml", "application/geo+json"
ACCEPT = (
    f"{description.MEDIA_TYPE}, {ATOM}, {GEOJSON}, application/xml;q=0.8, application/json;q=0.8,"
    " */*;q=0.1"
)
# Where answers in JSON have their numbers: OGC 17-047r1, services older than it, OGC API.
_TOTALS = ("totalResults", "os:totalResults", "opensearch:totalResults", "numberMatched")


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


@dataclass(frozen=True, slots=True)
class Description:
    """A description document: its templates."""

    url: str
    templates: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Website:
    """An HTML page that names description documents."""

    links: tuple[str, ...]


def ask(http: HttpClient, url: str, position: int = 0) -> Page | Description | Website:
    """Request a document.

    Args:
        position: number of records on the pages before.

    Raises:
        ProtocolError: it is another document, or not well-formed.
        FetchError: no usable answer.
    """
    with closing(http.get(url, accept=ACCEPT)) as reply:
        return _read(reply, position)


def _read(reply: Reply, position: int) -> Page | Description | Website:
    content = reply.content
    head = content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in (b"{", b"["):
        return _geojson(reply, position)
    if html_title(content) is not None:
        links = tuple(absolute(reply.url, each) for each in description.linked(content))
        if links:
            return Website(links)
    return _xml(reply, content, position)


def _xml(reply: Reply, content: bytes, position: int) -> Page | Description:
    url = safe_url(reply.requested_url)
    problems: list[Problem] = []
    try:
        root = repair.parse(content, problems, url=url)
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    name = xml.local_name(root)
    if problems and name != "feed":
        # Of a description, too: a template that got lost would select other records.
        raise beyond_repair(problems[0], KIND, url)
    if name == description.ROOT:
        return Description(reply.requested_url, description.templates(root, reply.url))
    if name != "feed":
        said = quote_xml(root) if "xception" in name else ""
        message = (
            f"the document at {url} is not {KIND}: its root element is <{shorten(name)}>"
            f"{': ' + said if said else ''}; expected {EXPECTED}"
        )
        raise ProtocolError(message, code="wrong-root", url=url, line=xml.line_of(root))
    return replace(_feed(root, reply, position), problems=tuple(problems))


def _feed(root: etree._Element, reply: Reply, position: int) -> Page:
    """Return the page of an Atom feed."""
    base = absolute(reply.url, root.get("{http://www.w3.org/XML/1998/namespace}base") or "")
    links = ((each.get("rel"), each.get("href")) for each in root.iterchildren("{*}link"))
    total, is_estimate = _total(root.findtext("{*}totalResults"))
    return Page(
        url=reply.requested_url,
        records=tuple(
            records.of_entry(entry, number, base=base, url=reply.requested_url)
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
    found = parse_json(reply)
    if not isinstance(found, Mapping) or not isinstance(found.get("features"), list):
        raise wrong_shape(safe_url(url), found, "a FeatureCollection of GeoJSON with features")
    inner = found.get("properties")
    parts = [found, inner] if isinstance(inner, Mapping) else [found]
    values = [part[name] for part in parts for name in _TOTALS if name in part]
    total, is_estimate = _total(values[0] if values else None)
    # resto, the software of several satellite catalogues, counts roughly by default.
    is_rough = any(each.get("exactCount") in (False, 0) for each in parts if "exactCount" in each)
    starts = (parse_count(part.get("startIndex")) for part in parts)
    return Page(
        url=url,
        records=tuple(
            records.of_feature(feature, number, url=url)
            for number, feature in enumerate(found["features"], position + 1)
        ),
        total=total,
        is_estimate=is_estimate or is_rough,
        start=max(starts),
        next=_next((link for part in parts for link in json_links(part.get("links"))), reply.url),
    )


def json_links(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield relation and URL of links in JSON: by relation as in OGC 17-047, or in one list."""
    if isinstance(value, Mapping):
        value = [
            {**each, "rel": rel}
            for rel, found in value.items()
            for each in (found if isinstance(found, list) else [found])
            if isinstance(each, Mapping)
        ]
    for each in value if isinstance(value, list) else ():
        if isinstance(each, Mapping):
            yield each.get("rel"), each.get("href")


def _next(links: Iterator[tuple[Any, Any]], base: str) -> str:
    found = (clean_text(href) for rel, href in links if clean_text(rel).lower() == "next")
    target = next(filter(None, found), "")
    return absolute(base, target) if target else ""


def _total(value: Any) -> tuple[int, bool]:
    """Return an announced number, and whether it is an estimate ("1000+", "> 1000")."""
    text = clean_text(value)
    plain = text.strip("+~<>≈ ")
    return parse_count(plain), plain != text
