"""Read a schema and find out what it is, from its content and not from its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.schema_check import encodings
from ckanext.ukharvest.schema_check.collector import Collector, Unchecked

# The types, named as in ``core/values/schema_types``.
CSVLINT, TABLE_SCHEMA, JSON_SCHEMA, XSD = "csvlint", "tableschema", "json-schema", "xsd"
TITLES = {
    CSVLINT: "a schema of the LGA (csvlint)",
    TABLE_SCHEMA: "a Table Schema",
    JSON_SCHEMA: "a JSON Schema",
    XSD: "an XML schema (XSD)",
    "geojson": "the rules of GeoJSON",
}
_KNOWN = "expected a Table Schema, a schema of the LGA, a JSON Schema or an XML schema"

_XSD_ROOT = "{http://www.w3.org/2001/XMLSchema}schema"
_OTHER_ROOTS = {
    "SchemaRestDefinition": "DataShare's description of a schema",
    "grammar": "a RELAX NG schema",
}
_OF_TABLE_SCHEMA = ("missingValues", "primaryKey", "foreignKeys", "uniqueKeys", "fieldsMatch")
_OF_JSON_SCHEMA = frozenset(
    ("properties", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "items", "prefixItems")
    + ("required", "$defs", "definitions", "enum", "const", "additionalProperties")
    + ("patternProperties", "type")
)


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema: its type, and the parsed document (an object, a boolean or an element)."""

    type: str
    document: Any


def read(content: bytes, collector: Collector) -> Schema:
    """Parse a schema and recognise its type.

    Raises:
        Unchecked: it is empty, invalid, or of a type that is not supported.
    """
    if not content.strip(b"\x00 \t\r\n"):
        raise Unchecked("The schema is empty.")
    title = html_title(content)
    if title is not None:
        named = f", “{title}”" if title else ""
        raise Unchecked(f"The schema's address leads to a web page{named}; {_KNOWN}.")
    if len(content) > collector.limits.schema_bytes:
        raise Unchecked(too_large(collector.limits.schema_bytes))
    schema = _read_xml(content) if _is_xml(content) else _read_json(content, collector)
    collector.set_schema_type(schema.type)
    return schema


def too_large(size: int) -> str:
    """Return the reason for a schema of more than ``size`` bytes."""
    return f"The schema is larger than {size / 1024 / 1024:.4g} MB, the most that is read."


def _is_xml(content: bytes) -> bool:
    head = content[:64].replace(b"\x00", b"")
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def _read_xml(content: bytes) -> Schema:
    try:
        root = xml.parse(content)
    except ParseError as exc:
        line = f" (line {exc.line})" if exc.line else ""
        raise Unchecked(f"The schema is invalid: {exc.message}{line}.") from exc
    if root.tag == _XSD_ROOT:
        return Schema(XSD, root)
    name = xml.local_name(root)
    found = _OTHER_ROOTS.get(name, f"an XML document with the root {shorten(name, 60)}")
    if etree.QName(root).namespace == "http://purl.oclc.org/dsdl/schematron":
        found = "a Schematron schema"
    raise Unchecked(f"The schema is {found}, which is not supported; {_KNOWN}.")


def _read_json(content: bytes, collector: Collector) -> Schema:
    text, label = encodings.decode_json(content)
    if label:
        collector.note(f"The schema is {label}; expected UTF-8.")
    try:
        json_limits.check(text.encode("utf-8", "replace"))
        document = json.loads(text)
    except json_limits.BeyondLimit as exc:
        raise Unchecked(f"The schema {exc.message} and is not read.") from exc
    except json.JSONDecodeError as exc:
        where = f"line {exc.lineno}, column {exc.colno}"
        raise Unchecked(f"The schema is not valid JSON ({where}: {exc.msg}).") from exc
    return Schema(_type_of(document), document)


def _type_of(document: Any) -> str:
    """Return the type of a JSON document that is a schema.

    Raises:
        Unchecked: it is none, or of a type that is not supported.
    """
    if not isinstance(document, Mapping):
        raise Unchecked(f"The schema is JSON but not an object; {_KNOWN}.")
    fields = document.get("fields")
    if isinstance(fields, list) and fields and all(isinstance(each, Mapping) for each in fields):
        return CSVLINT if _is_csvlint(document, fields) else TABLE_SCHEMA
    if "csvw" in json.dumps(document.get("@context", "")) or "tableSchema" in document:
        raise Unchecked(f"The schema is CSV on the Web, which is not supported; {_KNOWN}.")
    if isinstance(document.get("resources"), list):
        raise Unchecked("The schema is a data package; expected one of the schemas that it lists.")
    if "fields" in document:
        raise Unchecked("The schema has no fields; expected a list of objects with a name each.")
    if "json-schema.org" in str(document.get("$schema", "")) or _OF_JSON_SCHEMA & set(document):
        return JSON_SCHEMA
    raise Unchecked(f"The schema is JSON of an unknown type; {_KNOWN}.")


def _is_csvlint(document: Mapping[str, Any], fields: list[Mapping[str, Any]]) -> bool:
    """Tell csvlint's dialect, with types in ``constraints``, from Table Schema."""
    if any(key in document for key in _OF_TABLE_SCHEMA) or "$schema" in document:
        return False
    constraints = [each.get("constraints") for each in fields]
    own = [each for each in constraints if isinstance(each, Mapping)]
    if any("type" in each or "datePattern" in each for each in own):
        return True
    return not any("type" in each or "format" in each for each in fields)
