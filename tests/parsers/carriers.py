"""A minimal document of each format with one value in one field: the columns of the table tests.

``CARRIERS`` has, by kind of value, the formats that can carry it. A carrier takes the value as text
(some kinds take several) and returns the record that the format's parser made of the document.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, Source
from ckanext.ukharvest.parsers import oai_dc as oai_dc_parser
from ckanext.ukharvest.parsers.ckan import parser as ckan_parser
from ckanext.ukharvest.parsers.data_json import parser as data_json_parser
from ckanext.ukharvest.parsers.dcat import parser as dcat_parser
from ckanext.ukharvest.parsers.dkan import parser as dkan_parser
from ckanext.ukharvest.parsers.gemini import parser as gemini_parser
from ckanext.ukharvest.parsers.inventory import parser as inventory_parser
from ckanext.ukharvest.parsers.ods import parser as ods_parser
from ckanext.ukharvest.parsers.opensearch import parser as opensearch_parser
from ckanext.ukharvest.readers.sparql.request import COUNT, VARIABLE
from ckanext.ukharvest.reading.records import TextClient
from ckanext.ukharvest.source_types import TYPES
from tests.parsers.dcat.turtle import PREFIXES, ntriples

Carrier = Callable[..., DatasetRecord]

DATASET = "https://a.example/x"
FILE = "https://files.example/a.csv"
PAGE = "https://data.example/explore/dataset/x/"

_OAI_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/"'
    ' xmlns:ows="http://www.opengis.net/ows">{}</oai_dc:dc>'
)
_CSW = (
    '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/">'
    '<csw:SearchResults numberOfRecordsMatched="1" numberOfRecordsReturned="1" nextRecord="0">'
    "<csw:Record><dc:identifier>x</dc:identifier>{}</csw:Record></csw:SearchResults>"
    "</csw:GetRecordsResponse>"
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
    return data_json_parser.parse(RawRecord("x", json.dumps(entry), url=PAGE), {})


def dkan_2(**fields: Any) -> DatasetRecord:
    """Parse an entry of DKAN 2's metastore."""
    entry = {"identifier": "x", "title": "T", "accessLevel": "public", **fields}
    return dkan_parser.parse(RawRecord("x", json.dumps(entry), url=PAGE), {})


def dkan_7(**fields: Any) -> DatasetRecord:
    """Parse a package of DKAN 7."""
    package = {"id": "x", "title": "T", "notes": "N", "resources": [], **fields}
    return dkan_parser.parse(RawRecord("x", json.dumps(package), url=PAGE), {})


def ckan(**fields: Any) -> DatasetRecord:
    """Parse a package of CKAN."""
    package = {"id": "x", "name": "x", "title": "T", "type": "dataset", "state": "active", **fields}
    return ckan_parser.parse(RawRecord("x", json.dumps(package), url=PAGE), {})


def read_document(name: str, client: Any) -> DatasetRecord:
    """Read and parse the one record that a source of this type has."""
    kind = TYPES[name]
    source = Source("https://data.example/catalogue", options.validate({}, kind.options), client)
    (raw,) = kind.reader.records(source)
    return kind.parser.parse(raw, {})


class Endpoint(TextClient):
    """Answers to the queries for one dataset, as an endpoint of SPARQL 1.1."""

    def __init__(self, turtle: str) -> None:
        super().__init__("endpoint")
        self._turtle = turtle

    def get(self, url: str, **more: Any) -> Reply:
        """Return the dataset's description, or how many and which datasets there are."""
        is_count = "COUNT" in url
        cell = {"type": "literal", "value": "1"} if is_count else {"type": "uri", "value": DATASET}
        name = COUNT if is_count else VARIABLE
        rows = {"head": {"vars": [name]}, "results": {"bindings": [{name: cell}]}}
        text = self._turtle if "CONSTRUCT" in url else json.dumps(rows)
        return Reply(url, url, 200, {}, io.BytesIO(text.encode()))

    def post(self, url: str, *, body: bytes, **more: Any) -> Reply:
        """Do as ``get``."""
        return self.get(f"{url}?{body.decode()}")


_within: ContextVar[str] = ContextVar("within", default="")


def within(protocol: str, carrier: Carrier) -> Carrier:
    """Return the carrier of documents that come as another protocol has them.

    Args:
        protocol: "sparql" for DCAT, "csw" for Dublin Core, "19115-3" for ISO 19139.
    """

    def carry(*values: Any) -> DatasetRecord:
        token = _within.set(protocol)
        try:
            return carrier(*values)
        finally:
            _within.reset(token)

    return carry


def dcat(turtle: str, more: str = "") -> DatasetRecord:
    """Parse a dcat:Dataset with these predicates and objects, and further triples."""
    title = "" if turtle.startswith("dct:title") else ' ; dct:title "T"'
    body = f"<{DATASET}> a dcat:Dataset{title}{' ; ' if turtle else ''}{turtle} .\n{more}"
    if _within.get() == "sparql":
        return read_document("sparql", Endpoint(PREFIXES + body))
    return dcat_parser.parse(RawRecord(DATASET, ntriples(body), url=PAGE), {})


def schema_org(turtle: str, more: str = "") -> DatasetRecord:
    """Parse a schema:Dataset."""
    title = "" if turtle.startswith("schema:name") else ' ; schema:name "T"'
    body = f"<{DATASET}> a schema:Dataset{title}{' ; ' if turtle else ''}{turtle} .\n{more}"
    return dcat_parser.parse(RawRecord(DATASET, ntriples(body), url=PAGE), {})


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
    document = _as_19115_3(document) if _within.get() == "19115-3" else document
    return gemini_parser.parse(RawRecord("x", document, url=PAGE), {})


# Prefix of ISO 19115-3 → the names of ISO 19139 that it has; others have mri.
_PREFIXES = {
    name: prefix
    for prefix, names in {
        "mdb": "MD_Metadata identificationInfo distributionInfo",
        "cit": "CI_Citation CI_Date CI_DateTypeCode CI_Contact CI_Address CI_RoleCode title date"
        " dateType role contactInfo address electronicMailAddress name description linkage protocol"
        " CI_OnlineResource",
        "gex": "EX_Extent EX_TemporalExtent temporalElement",
        "mco": "MD_LegalConstraints MD_Constraints MD_RestrictionCode useLimitation useConstraints"
        " accessConstraints otherConstraints",
        "mmi": "MD_MaintenanceInformation maintenanceAndUpdateFrequency",
        "mrd": "MD_Distribution MD_DigitalTransferOptions transferOptions onLine",
    }.items()
    for name in names.split()
}
# Elements of ISO 19139 → what ISO 19115-3 has instead.
_MOVED = {
    "gmd:fileIdentifier>(.*?)</gmd:fileIdentifier>": "mdb:metadataIdentifier><mcc:MD_Identifier>"
    r"<mcc:code>\1</mcc:code></mcc:MD_Identifier></mdb:metadataIdentifier>",
    "gmd:language>(.*?)</gmd:language>": r"mri:defaultLocale><lan:PT_Locale><lan:language>\1"
    "</lan:language></lan:PT_Locale></mri:defaultLocale>",
    "gmd:CI_ResponsibleParty>(.*?)<gmd:role>(.*?)</gmd:role></gmd:CI_ResponsibleParty>": "cit:"
    r"CI_Responsibility><cit:role>\2</cit:role><cit:party><cit:CI_Organisation>\1"
    "</cit:CI_Organisation></cit:party></cit:CI_Responsibility>",
    "(/?)gmd:organisationName>": r"\1cit:name>",
    "(/?)gmd:URL>": r"\1gco:CharacterString>",
}


def _as_19115_3(document: str) -> str:
    """Return a document of ISO 19139 in the elements of ISO 19115-3."""
    spaces = dict.fromkeys((*_PREFIXES.values(), "mri", "mcc", "lan"))
    names = "".join(
        f' xmlns:{prefix}="http://standards.iso.org/iso/19115/-3/{prefix}/'
        f'{"2.0" if prefix == "mdb" else "1.0"}"'
        for prefix in spaces
    )
    document = document.replace(' xmlns:gmd="http://www.isotc211.org/2005/gmd"', names)
    document = document.replace(
        "http://www.isotc211.org/2005/gco", "http://standards.iso.org/iso/19115/-3/gco/1.0"
    )
    for pattern, moved in _MOVED.items():
        document = re.sub(f"<{pattern}", f"<{moved}", document)
    return re.sub(
        r"(</?)gmd:(\w+)", lambda tag: f"{tag[1]}{_PREFIXES.get(tag[2], 'mri')}:{tag[2]}", document
    )


def iso_text(words: str) -> str:
    """Return a property's content."""
    return f"<gco:CharacterString>{escape(words)}</gco:CharacterString>"


def iso_link(url: str, name: str = "", description: str = "", protocol: str = "") -> str:
    """Return a distribution's transferOptions with one link."""
    return (
        "<gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine><gmd:CI_OnlineResource>"
        f"<gmd:linkage><gmd:URL>{escape(url)}</gmd:URL></gmd:linkage>"
        + (f"<gmd:protocol>{iso_text(protocol)}</gmd:protocol>" if protocol else "")
        + f"<gmd:name>{iso_text(name)}</gmd:name>"
        f"<gmd:description>{iso_text(description)}</gmd:description>"
        "</gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions>"
        "</gmd:transferOptions>"
    )


def oai_dc(inside: str, title: str = "T") -> DatasetRecord:
    """Parse a record of Dublin Core with these elements."""
    content = element("dc:title", title) + inside
    if _within.get() == "csw":
        return read_document("gemini-single", TextClient("x", _CSW.format(content).encode()))
    content = _OAI_DC.format(content)
    return oai_dc_parser.parse(RawRecord("oai:a:x", content), {})


def atom(inside: str, title: str = "T") -> DatasetRecord:
    """Parse an entry of Atom with these elements."""
    content = _ATOM.format(element("title", title) + inside)
    return opensearch_parser.parse(RawRecord("x", content, url=PAGE), {})


def geojson(own: Mapping[str, Any] | None = None, **properties: Any) -> DatasetRecord:
    """Parse a feature with these properties, and members of its own."""
    feature = {**(own or {}), "properties": {"title": "T", **properties}}
    return opensearch_parser.parse(RawRecord("x", json.dumps(feature), url=PAGE), {})


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
    return inventory_parser.parse(RawRecord("x", text, url=PAGE), {})


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


def node(text: str) -> str:
    """Return a URL as a node of Turtle, another text as a literal."""
    return f"<{text}>" if text.startswith("http") else literal(text)


def mail(name: str) -> dict[str, str]:
    """Return a person with a name and an email address."""
    return {"name": name, "email": f"{name}@a.example"}


def agents(predicate: str, names: tuple[str, ...]) -> str:
    """Return nodes of Turtle, each with a name and an email address."""
    return ", ".join(
        f'[ {predicate} {literal(each)} ; vcard:hasEmail "{each}@a.example" ]' for each in names
    )


def with_bodies_above(*names: str) -> dict[str, Any]:
    """Return a body of data.json by its name, and those above it by theirs."""
    name, *above = names
    return {"name": name, **({"subOrganizationOf": with_bodies_above(*above)} if above else {})}


def body_with_above(name_of: str, above: str, *names: str) -> str:
    """Do the same as a node of Turtle, given the predicates of a name and of the body above."""
    name, *rest = names
    more = f" ; {above} {body_with_above(name_of, above, *rest)}" if rest else ""
    return f"[ {name_of} {literal(name)}{more} ]"


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
    "tag": {
        "data_json": lambda text: data_json(keyword=[text]),
        "dkan_2": lambda text: dkan_2(keyword=[text]),
        "dkan_7": lambda text: dkan_7(tags=[{"name": text}]),
        "ckan": lambda text: ckan(tags=[{"name": text}]),
        "dcat": lambda text: dcat(f"dcat:keyword {literal(text)}"),
        "schema_org": lambda text: schema_org(f"schema:keywords {literal(text)}"),
        "gemini": lambda text: gemini(
            "<gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword>"
            f"{iso_text(text)}</gmd:keyword></gmd:MD_Keywords></gmd:descriptiveKeywords>"
        ),
        "oai_dc": lambda text: oai_dc(element("dc:subject", text)),
        "atom": lambda text: atom(f"<category term={quoteattr(text)}/>"),
        "geojson": lambda text: geojson(keywords=[text]),
        "ods": lambda text: ods({"keyword": [text]}),
    },
    "publisher": {
        "data_json": lambda text: data_json(publisher={"name": text}),
        "data_json-text": lambda text: data_json(publisher=text),
        "dkan_2": lambda text: dkan_2(publisher={"name": text}),
        "dkan_7": lambda text: dkan_7(groups=[{"id": "g", "name": "g", "title": text}]),
        "ckan": lambda text: ckan(organization={"id": "o", "name": "o", "title": text}),
        "ckan-extra": lambda text: ckan(extras=[{"key": "dcat_publisher_name", "value": text}]),
        "dcat": lambda text: dcat(f"dct:publisher [ foaf:name {literal(text)} ]"),
        "dcat-text": lambda text: dcat(f"dct:publisher {literal(text)}"),
        "schema_org": lambda text: schema_org(f"schema:publisher [ schema:name {literal(text)} ]"),
        "gemini": lambda text: gemini(
            "<gmd:pointOfContact><gmd:CI_ResponsibleParty>"
            f"<gmd:organisationName>{iso_text(text)}</gmd:organisationName>"
            '<gmd:role><gmd:CI_RoleCode codeListValue="publisher"/></gmd:role>'
            "</gmd:CI_ResponsibleParty></gmd:pointOfContact>"
        ),
        "oai_dc": lambda text: oai_dc(element("dc:publisher", text)),
        "atom": lambda text: atom(element("dc:publisher", text)),
        "geojson": lambda text: geojson(publisher=text),
        "ods": lambda text: ods({"publisher": text}),
        "inventory": lambda text: inventory(
            above=f"<Metadata>{element('Publisher', text)}</Metadata>"
        ),
    },
    # Bodies by name, in the role of publisher.
    "publishers": {
        "data_json": lambda *names: data_json(publisher=[{"name": each} for each in names]),
        "dkan_2": lambda *names: dkan_2(publisher=[{"name": each} for each in names]),
        "ckan": lambda *names: ckan(publisher=[{"name": each} for each in names]),
        "dcat": lambda *names: dcat(f"dct:publisher {agents('foaf:name', names)}"),
        "schema_org": lambda *names: schema_org(f"schema:publisher {agents('schema:name', names)}"),
        "atom": lambda *names: atom("".join(element("dc:publisher", each) for each in names)),
        "geojson": lambda *names: geojson(publisher=list(names)),
        "inventory": lambda *names: inventory(
            above=f"<Metadata>{''.join(element('Publisher', each) for each in names)}</Metadata>"
        ),
    },
    # A body by name, the one above it, and so on; as publisher.
    "bodies": {
        "data_json": lambda *names: data_json(publisher=with_bodies_above(*names)),
        "dkan_2": lambda *names: dkan_2(publisher=with_bodies_above(*names)),
        "ckan-extra": lambda *names: ckan(
            extras=[{"key": "publisher_hierarchy", "value": " > ".join(reversed(names))}]
            if len(names) > 1
            else []
        ),
        "dcat": lambda *names: dcat(
            f"dct:publisher {body_with_above('foaf:name', 'org:subOrganizationOf', *names)}"
        ),
        "schema_org": lambda *names: schema_org(
            "schema:publisher "
            + body_with_above("schema:name", "schema:parentOrganization", *names)
        ),
    },
    # People by name, each with an email address.
    "contacts": {
        "data_json": lambda *names: data_json(
            contactPoint=[{"fn": each, "hasEmail": f"mailto:{each}@a.example"} for each in names]
        ),
        "dkan_2": lambda *names: dkan_2(
            contactPoint=[{"fn": each, "hasEmail": f"mailto:{each}@a.example"} for each in names]
        ),
        "ckan": lambda *names: ckan(contact_point=[mail(each) for each in names]),
        "ckan-scheming": lambda *names: ckan(contact=[mail(each) for each in names]),
        "dcat": lambda *names: dcat(f"dcat:contactPoint {agents('vcard:fn', names)}"),
        "schema_org": lambda *names: schema_org(
            f"schema:contactPoint {agents('schema:name', names)}"
        ),
        "gemini": lambda *names: gemini(
            "".join(
                "<gmd:pointOfContact><gmd:CI_ResponsibleParty>"
                f"<gmd:individualName>{iso_text(each)}</gmd:individualName><gmd:contactInfo>"
                "<gmd:CI_Contact><gmd:address><gmd:CI_Address><gmd:electronicMailAddress>"
                f"{iso_text(each + '@a.example')}</gmd:electronicMailAddress></gmd:CI_Address>"
                "</gmd:address></gmd:CI_Contact></gmd:contactInfo>"
                '<gmd:role><gmd:CI_RoleCode codeListValue="pointOfContact"/></gmd:role>'
                "</gmd:CI_ResponsibleParty></gmd:pointOfContact>"
                for each in names
            )
        ),
        "geojson": lambda *names: geojson(contactPoint=[mail(each) for each in names]),
        "ods": lambda name, other="": ods(
            dcat={"contact_name": name, "contact_email": f"{name}@a.example"},
            inspire={"contact_individual_name": other, "contact_email": f"{other}@a.example"},
        ),
    },
    "authors": {
        "data_json": lambda *names: data_json(creator=[mail(each) for each in names]),
        "dkan_2": lambda *names: dkan_2(creator=[mail(each) for each in names]),
        "ckan": lambda *names: ckan(creator=[mail(each) for each in names]),
        "dcat": lambda *names: dcat(f"dct:creator {agents('foaf:name', names)}"),
        "schema_org": lambda *names: schema_org(f"schema:creator {agents('schema:name', names)}"),
        "atom": lambda *names: atom(
            "".join(
                f"<author>{element('name', each)}{element('email', each + '@a.example')}</author>"
                for each in names
            )
        ),
        "geojson": lambda *names: geojson(authors=[mail(each) for each in names]),
    },
    # A file's name and URL.
    "file": {
        "data_json": lambda name, url=FILE: data_json(
            distribution=[{"title": name, "downloadURL": url}]
        ),
        "dkan_2": lambda name, url=FILE: dkan_2(distribution=[{"title": name, "downloadURL": url}]),
        "dkan_7": lambda name, url=FILE: dkan_7(resources=[{"id": "r", "name": name, "url": url}]),
        "ckan": lambda name, url=FILE: ckan(resources=[{"id": "r", "name": name, "url": url}]),
        "dcat": lambda name, url=FILE: dcat(
            f"dcat:distribution [ dct:title {literal(name)} ; dcat:downloadURL {literal(url)} ]"
        ),
        "schema_org": lambda name, url=FILE: schema_org(
            f"schema:distribution [ schema:name {literal(name)} ;"
            f" schema:contentUrl {literal(url)} ]"
        ),
        "gemini": lambda name, url=FILE: gemini(distribution=iso_link(url, name)),
        "atom": lambda name, url=FILE: atom(
            f'<link rel="enclosure" href={quoteattr(url)} title={quoteattr(name)}/>'
        ),
        "geojson": lambda name, url=FILE: geojson(
            links=[{"rel": "enclosure", "href": url, "title": name}]
        ),
        "inventory": lambda name, url=FILE: inventory(resources=inventory_file(url, name)),
    },
    # Several texts: in the fields for the licence, or the first there and the others in rights.
    "licence": {
        "data_json": lambda *texts: data_json(license=texts),
        "data_json-rights": lambda text, *more: data_json(license=text, rights=more),
        "dkan_2": lambda text, *more: dkan_2(license=text, rights=more),
        "dkan_7": lambda text, *more: dkan_7(license_title=text, rights="; ".join(more)),
        "ckan": lambda text, *more: ckan(license_url=text, license_title="; ".join(more)),
        "ckan-extra": lambda text, *more: ckan(
            license_id=text, extras=[{"key": "licence", "value": "; ".join(more)}]
        ),
        "dcat": lambda *texts: dcat(f"dct:license {', '.join(map(node, texts))}"),
        "dcat-rights": lambda text, *more: dcat(
            " ; ".join([f"dct:license {node(text)}", *(f"dct:rights {node(t)}" for t in more)])
        ),
        "schema_org": lambda *texts: schema_org(f"schema:license {', '.join(map(node, texts))}"),
        "gemini": lambda *texts: gemini(
            "".join(
                "<gmd:resourceConstraints><gmd:MD_Constraints><gmd:useLimitation>"
                f"{iso_text(text)}</gmd:useLimitation></gmd:MD_Constraints>"
                "</gmd:resourceConstraints>"
                for text in texts
            )
        ),
        "oai_dc": lambda *texts: oai_dc("".join(element("dc:rights", text) for text in texts)),
        "atom": lambda *texts: atom("".join(element("dc:rights", text) for text in texts)),
        "atom-link": lambda text, *more: atom(
            f'<link rel="license" href={quoteattr(text)}/>{element("rights", "; ".join(more))}'
        ),
        "geojson": lambda text, *more: geojson(license=text, rights="; ".join(more)),
        "geojson-list": lambda *texts: geojson(license=texts),
        "ods": lambda text, *more: ods({"license_url": text, "license": "; ".join(more)}),
        "inventory": lambda *texts: inventory("".join(element("Rights", text) for text in texts)),
    },
}


def formats(kind: str) -> pytest.MarkDecorator:
    """Return the parameter ``carrier`` of a test that runs once for each format."""
    cases = [pytest.param(carrier, id=name) for name, carrier in CARRIERS[kind].items()]
    return pytest.mark.parametrize("carrier", cases)
