"""Results of an OpenSearch service: entries of Atom, or features of GeoJSON.

A service has its results in one or both of them; the record itself decides how it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import is_xml
from ckanext.ukharvest.core.mapping_table import collect
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import unread_fields
from ckanext.ukharvest.parsers.json_fields import Fields, load_object
from ckanext.ukharvest.parsers.opensearch import atom, geojson
from ckanext.ukharvest.parsers.opensearch.entry import Entry
from ckanext.ukharvest.parsers.opensearch.geojson import Feature
from ckanext.ukharvest.parsers.xml_fields import Node

VERSION = 2
FORM = "xml_or_json"
OPTIONS = ()
MAPPING: tuple[Any, ...] = (*atom.MAPPING, *geojson.MAPPING)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one result.

    Raises:
        ParseError: neither an entry nor a feature, or without title or identity.
    """
    if not raw.guid:
        raise ParseError("id is missing; expected a text", code="missing-identifier", url=raw.url)
    problems: list[Problem] = []
    if is_xml(raw.content or ""):
        return _atom(raw, problems)
    return _geojson(raw, problems)


def _atom(raw: RawRecord, problems: list[Problem]) -> DatasetRecord:
    root = xml.parse(raw.content or "", url=raw.url)
    if xml.local_name(root) != "entry":
        name = shorten(xml.local_name(root))
        message = f"{raw.display_name}: its root element is <{name}>; expected <entry> of Atom"
        raise ParseError(message, code="wrong-root", url=raw.url, line=xml.line_of(root))
    entry = Entry(root, Node(root, problems, base=raw.url), raw)
    title = atom.title(entry)
    if not title:
        raise _untitled(raw, "atom:title")
    found, extras = collect(atom.MAPPING, entry)
    extras = unread_fields.added_to(extras, entry.node.unread(atom.READ))
    return _record(raw, title, found, extras, problems, "atom:summary")


def _geojson(raw: RawRecord, problems: list[Problem]) -> DatasetRecord:
    own = Fields(load_object(raw), problems, base=raw.url)
    inner = own.data.get("properties")
    node = Fields(inner if isinstance(inner, Mapping) else {}, problems, "properties.", raw.url)
    feature = Feature(own, node)
    title = geojson.title(feature)
    if not title:
        raise _untitled(raw, "properties.title")
    found, extras = collect(geojson.MAPPING, feature)
    extras = unread_fields.added_to(extras, geojson.unread(feature))
    return _record(raw, title, found, extras, problems, "properties.abstract")


def _record(  # noqa: PLR0913
    raw: RawRecord,
    title: str,
    found: dict[str, Any],
    extras: dict[str, str],
    problems: list[Problem],
    notes: str,
) -> DatasetRecord:
    """Return the record; report what a description of data has to say and this one does not."""
    if not found.get("notes"):
        message = f"{notes}: missing; expected what the data is"
        problems.append(Problem("missing-field", notes, message))
    reported = tuple(dict.fromkeys(problems))
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **found)


def _untitled(raw: RawRecord, field: str) -> ParseError:
    message = f"{raw.display_name}: {field} is missing; expected a title"
    return ParseError(message, code="missing-title", url=raw.url)
