"""The datasets that a service's record names (GEMINI 38, ``srv:operatesOn``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urldefrag, urlsplit

from ckanext.ukharvest.core.deletions import UUID
from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

# Query parameters with which catalogues select a record, in lower case.
_IDENTIFIERS = ("uuid", "fileidentifier", "metadatauuid")
# A nested record: the dataset's whole identification instead of a reference.
_TITLE = "*/citation/*/title"
_CODE = "*/citation/*/identifier/*/code"
_COUPLED = "coupledResource/*/identifier"


def _coupled(entry: Entry) -> FieldValues:
    service = entry.identification
    found: list[dict[str, str]] = []
    references: dict[str, None] = {}
    for node in service.find_all("operatesOn"):
        href, uuid = " ".join(node.href.split()), node.attribute("uuidref")
        title = node.attribute("title") or node.text(_TITLE)
        given = (href, uuid, *_inner(node))
        own = dict.fromkeys(reference for text in given for reference in _references(text))
        if href or uuid or own:
            found.append({"title": title, "href": href, "uuid": uuid})
        if not own and not node.nil:
            _report(node, href)
        references |= own
    # operatesOn is repeated for each layer; an identifier there may be the record's.
    for text in service.texts(_COUPLED):
        references |= dict.fromkeys(_references(text))
    return {"coupled": tuple(references), "extras": {"coupled-resource": json_list(found)}}


def _inner(node: IsoNode) -> tuple[str, ...]:
    identification = node.first("*")
    uuid = identification.attribute("uuid") if identification else ""
    return (uuid, *node.texts(_CODE))


def _report(node: IsoNode, href: str) -> None:
    expected = "expected xlink:href with the address of the dataset's record"
    if href:
        words = f"'{shorten(href, 60)}' is no address and no identifier; {expected}"
        node.report("bad-url", "srv:operatesOn", words)
    else:
        node.report("missing-url", "srv:operatesOn", f"missing; {expected}")


def _references(text: str) -> Iterator[str]:
    """Yield the keys by which a record can be found: the identifiers in a text, and its URL.

    XML attributes contain no line breaks and URLs no blanks: a broken or twice escaped URL
    (``&amp;amp;``) is repaired. Text instead of a URL yields nothing.
    """
    address = re.sub(r"\s", "", text).replace("&amp;", "&")
    if not is_web_url(address):
        name = text.strip().removeprefix("#")
        if name and not re.search(r"\s", name):
            yield from (name, *UUID.findall(name))
        return
    whole, fragment = urldefrag(address)
    query = {key.lower(): value for key, value in parse_qsl(urlsplit(whole).query)}
    keys = [key for key in _IDENTIFIERS if key in query]
    if query.get("request", "").lower() == "getrecordbyid" and "id" in query:
        yield from (part.strip() for part in query["id"].split(",") if part.strip())
    yield from (query[key] for key in keys)
    yield from UUID.findall(address)
    yield from filter(None, (fragment, address, whole))


MAPPING: tuple[Field[Entry], ...] = (
    Field(("srv:operatesOn",), "coupled; extra coupled-resource", _coupled),
)
