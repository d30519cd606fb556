"""Make raw records of the results on a page: identity, and the content that is compared.

A record's identity is ``atom:id``, in GeoJSON ``id``; both encodings give the same one (OGC
17-047r1, table 3). Links of a result to itself and to other pages are no content: they repeat the
request that was sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.opensearch.template import absolute

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


def of_entry(entry: etree._Element, number: int, *, base: str, url: str) -> RawRecord:
    """Return an entry of an Atom feed as a record.

    Args:
        number: its place among all results, from 1.
        base: the feed's base URL, for relative links.
        url: the page that it is on.
    """
    guid = clean_text(entry.findtext("{*}id")) or clean_text(entry.findtext("{*}identifier"))
    position = f"entry {number}"
    content = etree.tostring(_content(entry, base), encoding="unicode", with_tail=False)
    if not guid:
        return _nameless(content, position, url, "id")
    return RawRecord(guid, content, url=url, position=position)


def _content(entry: etree._Element, base: str) -> etree._Element:
    """Return a copy of an entry: without what changes with the request, with absolute links."""
    found = deepcopy(entry)
    base = absolute(base, found.get(_BASE) or "")
    _drop(found, _BASE)
    for child in list(found.iterchildren(etree.Element)):
        is_link = xml.local_name(child) == "link"
        if is_link and clean_text(child.get("rel")).lower() in NAVIGATION:
            found.remove(child)
        elif is_link and child.get("href"):
            child.set("href", absolute(base, clean_text(child.get("href"))))
        elif child.tag.startswith(tuple("{" + uri + "}" for uri in _ABOUT_SEARCH)):
            found.remove(child)
    # Servers number geometries anew in each answer.
    for element in found.iter(etree.Element):
        _drop(element, *_GML_IDS)
    return found


def _drop(element: etree._Element, *names: str) -> None:
    for name in names:
        if name in element.attrib:
            del element.attrib[name]


def of_feature(feature: Any, number: int, *, url: str) -> RawRecord:
    """Return a feature of a GeoJSON answer as a record; arguments as of ``of_entry``."""
    position = f"feature {number}"
    if not isinstance(feature, Mapping):
        message = f"{position} is no object in {{ }}; expected a Feature of GeoJSON"
        error = ParseError(message, code="not-an-object", url=url)
        return RawRecord("", canonical_json(feature), url=url, position=position, error=error)
    inner = feature.get("properties")
    inner = inner if isinstance(inner, Mapping) else {}
    guid = clean_text(feature.get("id")) or clean_text(inner.get("identifier"))
    content = canonical_json(_without_navigation(feature, inner, url))
    if not guid:
        return _nameless(content, position, url, "id")
    return RawRecord(guid, content, url=url, position=position)


def _without_navigation(
    feature: Mapping[str, Any], inner: Mapping[str, Any], url: str
) -> dict[str, Any]:
    found: dict[str, Any] = dict(feature)
    for part in (found, dict(inner)):
        if isinstance(part.get("links"), (Mapping, list)):
            part["links"] = list(_links(part["links"], url))
            if part is not found:
                found["properties"] = part
    return found


def _links(value: Any, url: str) -> Iterator[dict[str, Any]]:
    """Yield links, each with ``rel``: OGC 17-047 groups them by it, other services list them."""
    groups = value.items() if isinstance(value, Mapping) else ((None, value),)
    for rel, group in groups:
        for link in group if isinstance(group, list) else [group]:
            if not isinstance(link, Mapping):
                continue
            found = {**link, "rel": clean_text(rel or link.get("rel"))}
            if found["rel"].lower() in NAVIGATION:
                continue
            if href := clean_text(link.get("href")):
                found["href"] = absolute(url, href)
            yield found


def _nameless(content: str, position: str, url: str, name: str) -> RawRecord:
    message = f"{position}: {name} is missing; expected a text that stays the same"
    error = ParseError(message, code="missing-identifier", url=url)
    return RawRecord("", content, url=url, position=position, error=error)
