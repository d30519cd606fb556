"""OpenSearch description documents: the templates of a search service.

Specifications: OpenSearch 1.1 draft 6, "OpenSearch description document", and the Parameter
extension 1.0. Elements are recognised by local names; parameters get their usual prefixes, whatever
prefix the document declares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.opensearch.template import Limits, Template, rename, slots

ROOT = "OpenSearchDescription"
MEDIA_TYPE = "application/opensearchdescription+xml"

_HEAD_SIZE = 1 << 16  # bytes of a page that hold its head

# Namespace → usual prefix of its parameters; the core has none.
_PREFIXES = {
    "http://a9.com/-/spec/opensearch/1.1/": "",
    "http://a9.com/-/opensearch/extensions/geo/1.0/": "geo",
    "http://a9.com/-/opensearch/extensions/time/1.0/": "time",
    "http://a9.com/-/opensearch/extensions/eo/1.0/": "eo",
    "http://a9.com/-/opensearch/extensions/sru/2.0/": "sru",
    "http://a9.com/-/opensearch/extensions/semantic/1.0/": "sem",
}


def templates(root: etree._Element, url: str) -> tuple[Template, ...]:
    """Return the templates of a description document that are sent by GET, in its order.

    Args:
        root: its root element.
        url: where it was read, for relative templates.
    """
    return tuple(_template(each, url) for each in root.iterchildren("{*}Url") if _is_for_get(each))


def _is_for_get(element: etree._Element) -> bool:
    methods = [value for name, value in element.attrib.items() if _local(name) == "method"]
    wanted = not methods or methods[0].strip().lower() == "get"
    return wanted and bool(clean_text(element.get("template")))


def _template(element: etree._Element, url: str) -> Template:
    names = {str(k): _PREFIXES[uri] for k, uri in element.nsmap.items() if k and uri in _PREFIXES}
    found = Template(
        text=rename(clean_text(element.get("template")).replace(" ", "%20"), names),
        base=url,
        media_type=clean_text(element.get("type")).partition(";")[0].strip().lower(),
        rel=tuple(clean_text(element.get("rel")).lower().split()) or ("results",),
        index_offset=_offset(element.get("indexOffset")),
        page_offset=_offset(element.get("pageOffset")),
    )
    limits: dict[str, Limits] = {}
    for each in element.iterchildren("{*}Parameter"):
        value = rename(clean_text(each.get("value")), names)
        for name in slots(value):
            limits[name] = _limits(each)
            if name not in found.parameters:
                found = replace(found, text=_with_parameter(found.text, each, value))
    return replace(found, limits=limits)


def _with_parameter(text: str, element: etree._Element, value: str) -> str:
    """Return a template with a parameter that is declared by an element only."""
    name = clean_text(element.get("name"))
    if not name:
        return text
    if clean_text(element.get("minimum")) == "0":
        value = value.replace("}", "?}").replace("??}", "?}")
    return f"{text}{'&' if '?' in text.replace('?}', '') else '?'}{name}={value}"


def _limits(element: etree._Element) -> Limits:
    choices = (clean_text(each.get("value")) for each in element.iterchildren("{*}Option"))
    return Limits(
        _number(element.get("minInclusive")),
        _number(element.get("maxInclusive")),
        tuple(filter(None, choices)),
    )


def _number(text: str | None) -> float | None:
    given = clean_text(text)
    return float(given) if given.removeprefix("-").isdecimal() and len(given) < 12 else None


def _offset(text: str | None) -> int:
    number = _number(text)
    return 1 if number is None else int(number)


def _local(name: object) -> str:
    return str(name).rpartition("}")[2]


class _Head:
    """Collects the links of an HTML page to description documents."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        rels = attributes.get("rel", "").lower().split()
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        if tag.lower() == "link" and "search" in rels and kind == MEDIA_TYPE:
            self.found.append(attributes.get("href", "").strip())

    def close(self) -> None:
        pass


def linked(page: bytes) -> Iterator[str]:
    """Yield where an HTML page says that its description documents are (autodiscovery)."""
    head = _Head()
    parser = xml.push_html_parser(head)
    try:
        parser.feed(page[:_HEAD_SIZE])
        parser.close()
    except etree.XMLSyntaxError:
        pass
    return filter(None, head.found)
