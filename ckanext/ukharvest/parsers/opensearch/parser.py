"""Results of an OpenSearch service: entries of Atom, or features of GeoJSON.

A service has its results in one or both of them; the record itself decides how it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import is_xml
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import Fields, load_object
from ckanext.ukharvest.parsers.opensearch import atom, geojson
from ckanext.ukharvest.parsers.xml_fields import Entry, Node

VERSION = 2
FORM = "xml_or_json"
OPTIONS = ()
MAPPING: tuple[Any, ...] = (*atom.MAPPING, *geojson.MAPPING)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one result.

    Raises:
        ParseError: neither an entry nor a feature, or without title or identity.
    """
    table.require(raw, raw.guid, "id", "missing-identifier")
    problems: list[Problem] = []
    if is_xml(raw.content or ""):
        return _atom(raw, problems)
    own = Fields(load_object(raw), problems, base=raw.url)
    inner = own.data.get("properties")
    node = Fields(inner if isinstance(inner, Mapping) else {}, problems, "properties.", raw.url)
    feature = geojson.Feature(own, node)
    return table.read_record(
        raw,
        table.require(raw, plain_line(node.text("title")), "properties.title", "missing-title"),
        geojson.MAPPING,
        feature,
        problems,
        needed={"notes": ("properties.abstract", "what the data is")},
        unread=lambda: geojson.unread(feature),
    )


def _atom(raw: RawRecord, problems: list[Problem]) -> DatasetRecord:
    root = xml.parse(raw.content or "", url=raw.url)
    if xml.local_name(root) != "entry":
        name = shorten(xml.local_name(root))
        message = f"{raw.display_name}: its root element is <{name}>; expected <entry> of Atom"
        raise ParseError(message, code="wrong-root", url=raw.url, line=xml.line_of(root))
    node = Node(root, problems, base=raw.url)
    return table.read_record(
        raw,
        table.require(raw, plain_line(node.text("title")), "atom:title", "missing-title"),
        atom.MAPPING,
        Entry(root, node, raw),
        problems,
        needed={"notes": ("atom:summary", "what the data is")},
        unread=lambda: node.unread(atom.READ),
    )
