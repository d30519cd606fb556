"""All that a source type of another distribution needs: version 2 of the interface.

What is here stays while ``INTERFACE`` does; everything else in the package can change in any
release. ``ckanext.ukharvest.testing`` is for its tests. Importing this needs no CKAN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ckanext.ukharvest.core.errors import (
    ConfigError,
    FetchError,
    ParseError,
    ProtocolError,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.core.records import (
    Agent,
    DatasetRecord,
    Ending,
    Licence,
    Parser,
    Period,
    Problem,
    RawRecord,
    Reader,
    Reading,
    ResourceRecord,
    Source,
    Validators,
)
from ckanext.ukharvest.core.values import (
    dates,
    formats,
    frequencies,
    geometries,
    licences,
    places,
    tags,
    text,
    web_addresses,
)
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import Fields, load_object
from ckanext.ukharvest.parsers.record_checks import FieldNames, field_names_in
from ckanext.ukharvest.parsers.table import row
from ckanext.ukharvest.readers.csw.reader import Csw
from ckanext.ukharvest.readers.document import JsonDocument
from ckanext.ukharvest.readers.json_api import read_json, wrong_shape
from ckanext.ukharvest.readers.json_document.outline import Shape
from ckanext.ukharvest.readers.json_document.records import json_record, not_an_object
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.readers.seen_records import (
    SeenContents,
    SeenIdentities,
    SeenPages,
    SeenRecords,
)
from ckanext.ukharvest.readers.waf.reader import Waf
from ckanext.ukharvest.readers.walk import Pages, Point, Walk, unchanged
from ckanext.ukharvest.readers.xml_document import XmlDocument, XmlShape
from ckanext.ukharvest.reading.type_detection import source_type as detect_type
from ckanext.ukharvest.source_types import TYPES, find, left_out, registered
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, INTERFACE, SourceType

if TYPE_CHECKING:
    from ckanext.ukharvest.harvesters.base import UkHarvester

__all__ = [
    "COMMON_OPTIONS",
    "INTERFACE",
    "PROBLEM_TEXTS",
    "TYPES",
    "Agent",
    "ConfigError",
    "Csw",
    "DatasetRecord",
    "Ending",
    "FetchError",
    "FieldNames",
    "Fields",
    "HttpClient",
    "JsonDocument",
    "Licence",
    "Option",
    "Pages",
    "ParseError",
    "Parser",
    "Period",
    "Point",
    "Problem",
    "ProtocolError",
    "RawRecord",
    "RdfReader",
    "Reader",
    "Reading",
    "RecordError",
    "Reply",
    "ResourceRecord",
    "SeenContents",
    "SeenIdentities",
    "SeenPages",
    "SeenRecords",
    "Shape",
    "SkipRecord",
    "Source",
    "SourceError",
    "SourceType",
    "UkharvestError",
    "Validators",
    "Waf",
    "Walk",
    "XmlDocument",
    "XmlShape",
    "dates",
    "detect_type",
    "field_names_in",
    "find",
    "formats",
    "frequencies",
    "geometries",
    "json_record",
    "left_out",
    "licences",
    "load_object",
    "not_an_object",
    "places",
    "plugin_class",
    "read_json",
    "read_licence",
    "registered",
    "row",
    "table",
    "tags",
    "text",
    "unchanged",
    "unique",
    "validate",
    "web_addresses",
    "wrong_shape",
]


def plugin_class(name: str) -> type[UkHarvester]:
    """Return the CKAN plugin of the source type with this name; needs CKAN.

    The type is found by name, because an error in its modules leaves it out and must not stop CKAN.
    """
    from ckanext.ukharvest.harvesters.base import make_plugin

    return make_plugin(registered(name), __name__)
