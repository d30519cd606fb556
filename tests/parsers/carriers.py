"""A minimal document of each format with one value in one field: the columns of the table tests.

``CARRIERS`` has, by kind of value, the formats that can carry it. A carrier takes the value as text
(some kinds take several) and returns the record that the format's parser made of the document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.ckan import parser as ckan_parser
from ckanext.ukharvest.parsers.data_json import parser as data_json_parser
from ckanext.ukharvest.parsers.dcat import parser as dcat_parser
from ckanext.ukharvest.parsers.dkan import parser as dkan_parser
from ckanext.ukharvest.parsers.gemini import parser as gemini_parser
from ckanext.ukharvest.parsers.inventory import parser as inventory_parser
from ckanext.ukharvest.parsers.oai_dc import parser as oai_dc_parser
from ckanext.ukharvest.parsers.ods import parser as ods_parser
from ckanext.ukharvest.parsers.opensearch import parser as opensearch_parser
from tests.parsers.dcat.turtle import ntriples

Carrier = Callable[..., DatasetRecord]

FILE = "https://files.example/a.csv"
PAGE = "https://data.example/explore/dataset/x/"

_OAI_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/"'
    ' xmlns:ows="http://www.opengis.net/ows">{}</oai_dc:dc>'
)
_ATOM = (
    '<entry xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dct="http://purl.org/dc/terms/" xmlns:georss="http://www.georss.org/georss"'
    ' xmlns:time="http://a9.com/-/opensearch/extensions/time/1.0/"'
    ' xmlns:gml="http://www.opengis.net/gml">{}</entry>'
)
_ISO = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"'
    ' xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:gco="http://www.isotc211.org/2005/gco"'
    ' xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:xlink="http://www.w3.org/1999/xlink">'
    "<gmd:fileIdentifier>{guid}</gmd:fileIdentifier>{record}"
    "<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>"
    "<gmd:title>{title}</gmd:title>{citation}</gmd:CI_Citation></gmd:citation>{identification}"
    "</gmd:MD_DataIdentification></gmd:identificationInfo>"
    "<gmd:distributionInfo><gmd:MD_Distribution>{distribution}</gmd:MD_Distribution>"
    "</gmd:distributionInfo></gmd:MD_Metadata>"
)
_INVENTORY = (
    '<Inventory xmlns="http://schemas.esd.org.uk/inventory">{above}<Datasets><Dataset>'
    "<Identifier>x</Identifier>{title}{body}<Resources>{resources}</Resources></Dataset>"
    "</Datasets></Inventory>"
)


# Documents.


def data_json(**fields: Any) -> DatasetRecord:
    """Parse an entry of data.json with these fields."""
    entry = {"identifier": "x", "title": "T", "accessLevel": "public", **fields}
    return data_json_parser.parse(RawRecord("x", json.dumps(entry)), {})


def dkan_2(**fields: Any) -> DatasetRecord:
    """Parse an entry of DKAN 2's metastore."""
    entry = {"identifier": "x", "title": "T", "accessLevel": "public", **fields}
    return dkan_parser.parse(RawRecord("x", json.dumps(entry)), {})


def dkan_7(**fields: Any) -> DatasetRecord:
    """Parse a package of DKAN 7."""
    package = {"id": "x", "title": "T", "notes": "N", "resources": [], **fields}
    return dkan_parser.parse(RawRecord("x", json.dumps(package), url=PAGE), {})


def ckan(**fields: Any) -> DatasetRecord:
    """Parse a package of CKAN."""
    package = {"id": "x", "name": "x", "title": "T", "type": "dataset", "state": "active", **fields}
    return ckan_parser.parse(RawRecord("x", json.dumps(package), url=PAGE), {})


def dcat(turtle: str, more: str = "") -> DatasetRecord:
    """Parse a dcat:Dataset with these predicates and objects, and further triples."""
    title = "" if "dct:title" in turtle else ' ; dct:title "T"'
    body = f"<https://a.example/x> a dcat:Dataset{title}{' ; ' if turtle else ''}{turtle} .\n{more}"
    return dcat_parser.parse(RawRecord("https://a.example/x", ntriples(body)), {})


def schema_org(turtle: str, more: str = "") -> DatasetRecord:
    """Parse a schema:Dataset."""
    title = "" if turtle.startswith("schema:name") else ' ; schema:name "T"'
    body = (
        f"<https://a.example/x> a schema:Dataset{title}{' ; ' if turtle else ''}{turtle} .\n{more}"
    )
    return dcat_parser.parse(RawRecord("https://a.example/x", ntriples(body)), {})


def gemini(
    identification: str = "",
    *,
    title: str = "T",
    citation: str = "",
    distribution: str = "",
    record: str = "",
) -> DatasetRecord:
    """Parse an ISO 19139 record with this markup at the places of its parts."""
    document = _ISO.format(
        guid=iso_text("x"),
        title=iso_text(title),
        citation=citation,
        identification=identification,
        distribution=distribution,
        record=record,
    )
    return gemini_parser.parse(RawRecord("x", document), {})


def iso_text(words: str) -> str:
    """Return a property's content."""
    return f"<gco:CharacterString>{escape(words)}</gco:CharacterString>"


def iso_link(url: str, name: str = "", description: str = "") -> str:
    """Return a distribution's transferOptions with one link."""
    return (
        "<gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine><gmd:CI_OnlineResource>"
        f"<gmd:linkage><gmd:URL>{escape(url)}</gmd:URL></gmd:linkage>"
        f"<gmd:name>{iso_text(name)}</gmd:name>"
        f"<gmd:description>{iso_text(description)}</gmd:description>"
        "</gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions>"
        "</gmd:transferOptions>"
    )


def oai_dc(inside: str, title: str = "T") -> DatasetRecord:
    """Parse a record of Dublin Core with these elements."""
    content = _OAI_DC.format(element("dc:title", title) + inside)
    return oai_dc_parser.parse(RawRecord("oai:a:x", content), {})


def atom(inside: str, title: str = "T") -> DatasetRecord:
    """Parse an entry of Atom with these elements."""
    content = _ATOM.format(element("title", title) + inside)
    return opensearch_parser.parse(RawRecord("x", content, url="https://search.example/"), {})


def geojson(own: Mapping[str, Any] | None = None, **properties: Any) -> DatasetRecord:
    """Parse a feature with these properties, and members of its own."""
    feature = {**(own or {}), "properties": {"title": "T", **properties}}
    return opensearch_parser.parse(RawRecord("x", json.dumps(feature)), {})


def ods(
    default: Mapping[str, Any] | None = None,
    *,
    dcat: Mapping[str, Any] | None = None,
    inspire: Mapping[str, Any] | None = None,
    **own: Any,
) -> DatasetRecord:
    """Parse a dataset of Explore API 2.1 with these fields of its groups of metadata."""
    metas = {"default": {"title": "T", **(default or {})}}
    metas |= {"dcat": dict(dcat or {}), "inspire": dict(inspire or {})}
    data = {"dataset_id": "x", "has_records": True, "metas": metas, **own}
    given = options.validate({}, ods_parser.OPTIONS)
    return ods_parser.parse(RawRecord("x", json.dumps(data), url=PAGE), given)


def inventory(
    body: str = "", *, title: str = "T", above: str = "", resources: str = ""
) -> DatasetRecord:
    """Parse a dataset of an inventory."""
    text = _INVENTORY.format(
        above=above, title=element("Title", title), body=body, resources=resources
    )
    return inventory_parser.parse(RawRecord("x", text), {})


def inventory_file(url: str = FILE, title: str = "R", description: str = "") -> str:
    """Return an inventory's resource with one rendition."""
    inside = element("Identifier", url) + element("Title", title)
    inside += element("Description", description) + element("MimeType", "text/csv")
    return (
        '<Resource Type="Data"><Identifier>r</Identifier><Title>R</Title><Renditions><Rendition>'
        f"{inside}</Rendition></Renditions></Resource>"
    )


def element(name: str, text: str) -> str:
    """Return an element of XML with this text."""
    return f"<{name}>{escape(text)}</{name.split()[0]}>"


def literal(text: str) -> str:
    """Return a literal of Turtle."""
    return json.dumps(text, ensure_ascii=False)


# Kind of value → format → carrier.
CARRIERS: dict[str, dict[str, Carrier]] = {
    "title": {
        "data_json": lambda text: data_json(title=text),
        "dkan_2": lambda text: dkan_2(title=text),
        "dkan_7": lambda text: dkan_7(title=text),
        "ckan": lambda text: ckan(title=text),
        "dcat": lambda text: dcat(f"dct:title {literal(text)}"),
        "schema_org": lambda text: schema_org(f"schema:name {literal(text)}"),
        "gemini": lambda text: gemini(title=text),
        "oai_dc": lambda text: oai_dc("", title=text),
        "atom": lambda text: atom("", title=text),
        "geojson": lambda text: geojson(title=text),
        "ods": lambda text: ods({"title": text}),
        "inventory": lambda text: inventory(title=text),
    },
    "notes": {
        "data_json": lambda text: data_json(description=text),
        "dkan_2": lambda text: dkan_2(description=text),
        "dkan_7": lambda text: dkan_7(notes=text),
        "ckan": lambda text: ckan(notes=text),
        "dcat": lambda text: dcat(f"dct:description {literal(text)}"),
        "schema_org": lambda text: schema_org(f"schema:description {literal(text)}"),
        "gemini": lambda text: gemini(f"<gmd:abstract>{iso_text(text)}</gmd:abstract>"),
        "oai_dc": lambda text: oai_dc(element("dc:description", text)),
        "atom": lambda text: atom(element("summary", text)),
        "geojson": lambda text: geojson(abstract=text),
        "ods": lambda text: ods({"description": text}),
        "inventory": lambda text: inventory(element("Description", text)),
    },
}


def formats(kind: str) -> pytest.MarkDecorator:
    """Return the parameter ``carrier`` of a test that runs once for each format."""
    cases = [pytest.param(carrier, id=name) for name, carrier in CARRIERS[kind].items()]
    return pytest.mark.parametrize("carrier", cases)
