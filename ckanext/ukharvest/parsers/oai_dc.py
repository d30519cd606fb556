"""Dublin Core in XML: oai_dc, and the qualified forms of catalogues such as pycsw's csw:Record.

Specifications: www.openarchives.org/OAI/2.0/oai_dc.xsd; the Dublin Core Metadata Element Set 1.1
and DCMI Metadata Terms; DCMI Box and DCMI Period (encodings of coverage). Elements are read by
local names: those of dcterms stand beside those of dc. Names of extras are ckanext-dcat's.

Dublin Core has no links for files, so that identifiers serve as such; dc:coverage holds places or
times, as text or as DCMI Box and Period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord, ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.geometries import Geometry, parse_number
from ckanext.ukharvest.core.values.gml import box_of_corners
from ckanext.ukharvest.core.values.identifiers import doi_url
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_list
from ckanext.ukharvest.core.values.periods import is_span
from ckanext.ukharvest.core.values.places import Place, parse_spatial, read_places
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.reporting import ignore, parse_value, read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, row
from ckanext.ukharvest.parsers.xml_fields import Entry, Node

_PART = re.compile(r"(?<![A-Za-z])([A-Za-z]+)\s*=\s*([^;]*)")
_LIMITS = ("westlimit", "southlimit", "eastlimit", "northlimit")
_YEAR = re.compile(r"\d{4}\b")


def _coverage(entry: Entry) -> FieldValues:
    """Return the extent, the names of places and the time span."""
    node = entry.node
    dates = filter(is_span, node.texts("date"))
    times = [*node.texts("temporal"), *dates]
    places: list[str | Place] = []
    for text in (*node.texts("coverage"), *node.texts("spatial")):
        parts = {name.lower(): value.strip() for name, value in _PART.findall(text)}
        if all(name in parts for name in _LIMITS):
            places.append(Place([(text, parse_spatial)], parts.get("name", "")))
        elif "start" in parts or "end" in parts or _is_time(text):
            times.append(text)
        else:
            places.append(plain_line(text))
    periods = node.read_periods(times, "coverage")
    place = read_places((*_ows_boxes(entry), *places), node.reporter("coverage"))
    extras = periods.extras | place.extras
    return place.values | {"temporal": periods.whole, "extras": extras}


def _is_time(text: str) -> bool:
    is_date = parse_value(text, parse_date, ignore, "")
    return bool(_YEAR.match(text) or is_date or is_span(text))


def _ows_boxes(entry: Entry) -> Iterator[Place]:
    """Yield the boxes of OGC 06-121, section 10.2."""
    for element in entry.root.iterchildren("{*}BoundingBox", "{*}WGS84BoundingBox"):
        lower = clean_text(element.findtext("{*}LowerCorner"))
        upper = clean_text(element.findtext("{*}UpperCorner"))
        is_named = xml.local_name(element) == "BoundingBox"
        crs = clean_text(element.get("crs")) if is_named else ""
        if len(lower.split()) == len(upper.split()) == 2:
            yield Place([(f"{lower} {upper}", partial(_ows_box, crs))])


def _ows_box(crs: str, text: str) -> Geometry:
    x1, y1, x2, y2 = map(parse_number, text.split())
    return box_of_corners((x1, y1), (x2, y2), crs)


_HANDLE = re.compile(r"hdl:\s*(\S+/\S+)", re.IGNORECASE)


def _links(entry: Entry) -> FieldValues:
    """Return the resources, the page about the dataset, and its other identifiers."""
    by_url = {link.url: link for link in reversed(list(_resources(entry)))}
    resources = tuple(reversed(by_url.values()))
    pages = (link.url for link in resources if link.kind == "documentation")
    names = [text for text in entry.node.texts("identifier") if text != entry.raw.guid]
    others = [text for text in names if not parse_value(text, parse_url, ignore, "")]
    has_formats = any("formats" in link.extras for link in resources)
    others_of_format = [
        text for text in entry.node.texts("format") if not (has_formats and formats.label(text))
    ]
    return {
        "resources": resources,
        "url": next(pages, ""),
        "extras": {
            "identifier": next(iter(entry.node.texts("identifier")), ""),
            "alternate_identifier": as_list(others),
            "format": ", ".join(dict.fromkeys(others_of_format)),
        },
    }


def _resources(entry: Entry) -> Iterator[ResourceRecord]:
    labels = [label for text in entry.node.texts("format") if (label := formats.label(text))]
    for text in entry.node.texts("identifier"):
        if url := _url(entry.node, text):
            yield _identifier(url, labels)
    for element in entry.root.iterchildren("{*}references", "{*}URI"):
        text = clean_text(element.text)
        url = entry.node.parse_value("references", text, parse_url, "bad-url")
        if url:
            protocol = clean_text(element.get("scheme") or element.get("protocol"))
            yield _reference(url, protocol, clean_text(element.get("name")))


def _url(node: Node, text: str) -> str:
    """Return where an identifier leads, "" for one that leads nowhere."""
    if text[:4].lower() in ("http", "www.", "ftp:"):
        return node.parse_value("identifier", text, parse_url, "bad-url")
    if match := _HANDLE.fullmatch(text):
        return f"https://hdl.handle.net/{match[1]}"
    return doi_url(text)


def _identifier(url: str, labels: list[str]) -> ResourceRecord:
    """Return a file if the URL shows one, else a page; a page can lead to files of dc:format."""
    label = formats.of_url(url)
    if label and label != "HTML":
        return ResourceRecord(url, format=label, kind=_kind(label))
    extras = {"formats": ", ".join(dict.fromkeys(labels))} if labels else {}
    return ResourceRecord(
        url, name="Landing page", format="HTML", kind="documentation", extras=extras
    )


def _reference(url: str, protocol: str, name: str) -> ResourceRecord:
    label = formats.of_url(url) or formats.label(protocol.replace("OGC:", ""))
    return ResourceRecord(url, name=name, format=label, kind=_kind(label))


def _kind(label: str) -> str:
    if label in SERVICE_FORMATS:
        return "service"
    return "documentation" if label == "HTML" else "data"


VERSION = 3
FORM = "xml"
OPTIONS = ()

_NAMESPACES = ("http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/")
_OAI_DC = "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"


def is_record(root: etree._Element) -> bool:
    """Tell whether an element holds elements of Dublin Core, or is an empty oai_dc:dc."""
    if root.tag == _OAI_DC:
        return True
    names = (xml.namespace(child) for child in root.iterchildren(etree.Element))
    return any(name in _NAMESPACES for name in names)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: another document, or without title or identity.
    """
    problems: list[Problem] = []
    root = xml.parse(raw.content or "", url=raw.url)
    entry = Entry(root, Node(root, problems, "dc:"), raw)
    table.require(raw, raw.guid, "header/identifier", "missing-identifier")
    title = plain_line(entry.node.text("title"))
    table.require(raw, title, "dc:title", "missing-title")
    return table.read_record(
        raw,
        title,
        MAPPING,
        entry,
        problems,
        needed=_NEEDED,
        unread=lambda barren: entry.node.unread(_READ - barren),
    )


_NEEDED = {
    "notes": ("dc:description", Message("what the data is")),
    "publisher": ("dc:publisher", Message("who publishes it")),
    "licence": ("dc:rights", Message("the web address of a licence")),
}


def _alternative(node: Node, _names: table.Names) -> str:
    titles = (*node.texts("title")[1:], *node.texts("alternative"))
    return ", ".join(map(plain_line, dict.fromkeys(titles)))


def _subjects(entry: Entry) -> FieldValues:
    subjects = entry.node.texts("subject")
    themes = tuple(dict.fromkeys(filter(is_web_url, subjects)))
    tags = read_tags(entry.node, (text for text in subjects if text not in themes), "dc:subject")
    return {"tags": tags, "themes": themes}


def _issued(entry: Entry) -> FieldValues:
    """Return dates of publication; of several as dc:date the first in time counts."""
    node = entry.node
    named = {name: node.date(name) for name in ("issued", "available", "dateAccepted")}
    # A span is not when it was published, but what it is about: see coverage.
    texts = (text for text in node.texts("date") if not is_span(text))
    parsed = (node.parse_value("date", text, parse_date, "bad-date") for text in texts)
    days = list(filter(None, parsed))
    issued = next(filter(None, named.values()), "") or min(days, default="")
    others = {name: day for name, day in named.items() if day != issued}
    return {
        "issued": issued,
        "extras": {
            "date": ", ".join(dict.fromkeys(day for day in days if day != issued)),
            "available": others.get("available", ""),
            "date_accepted": others.get("dateAccepted", ""),
        },
    }


def _datestamp(entry: Entry) -> FieldValues:
    return {"metadata_modified": parse_value(entry.raw.modified, parse_date, ignore, "")}


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    texts = dict.fromkeys(table.texts(node, ("license", "rights")))
    access = [text for text in texts if text.startswith(_ACCESS)]
    terms = [text for text in texts if text not in access]
    return {
        "licence": read_licence(terms, node.reporter("rights"), node.texts("accessRights")),
        "rights": "\n\n".join(map(plain_text, terms)),
        "extras": {
            "access_rights": ", ".join(dict.fromkeys((*node.texts("accessRights"), *access)))
        },
    }


# The vocabulary of OpenAIRE's guidelines, which repositories put into dc:rights.
_ACCESS = "info:eu-repo/semantics/"

MAPPING: tuple[Field | table.Row, ...] = (
    Field(("header/identifier",), "guid"),
    Field(("dc:title",), "title"),
    row("dc:title dct:alternative", "extra alternative", _alternative),
    row("dc:description dct:abstract", "notes", table.paragraphs),
    Field(("dc:subject",), "tags, themes", _subjects),
    row("dc:publisher", "publisher", table.agent),
    row("dc:creator", "author", table.agent),
    row("dc:contributor", "extra contributor", table.lines),
    row("dct:rightsHolder", "extra rights_holder", table.lines),
    Field(
        ("dct:issued", "dct:available", "dct:dateAccepted", "dc:date"),
        "issued; extras date, available, date_accepted",
        _issued,
    ),
    row("dct:modified", "modified", table.last_date),
    Field(("header/datestamp",), "metadata_modified", _datestamp),
    row("dct:created", "extra created", table.date),
    Field(
        ("dc:rights", "dct:license", "dct:accessRights"),
        "licence, rights; extra access_rights",
        _terms,
    ),
    row("dc:language", "language", table.languages),
    Field(
        ("dc:coverage", "dct:spatial", "dct:temporal", "ows:BoundingBox", "ows:WGS84BoundingBox"),
        "spatial, spatial_text, temporal",
        _coverage,
    ),
    Field(
        ("dc:identifier", "dct:references", "dc:URI", "dc:format"),
        "resources, url; extras identifier, alternate_identifier, format",
        _links,
    ),
    row("dct:accrualPeriodicity", "frequency", table.frequency),
    row("dct:conformsTo", "schema_urls", table.schemas),
    row("dct:conformsTo", "extra conforms_to", table.json_list),
    row("dc:type", "extra dcat_type", table.words),
    row("dct:isPartOf", "extra is_part_of", table.words),
    row("dct:accrualMethod", "extra accrual_method", table.words),
    row("dct:accrualPolicy", "extra accrual_policy", table.words),
    row("dct:audience", "extra audience", table.words),
    row("dct:bibliographicCitation", "extra bibliographic_citation", table.words),
    row("dct:dateCopyrighted", "extra date_copyrighted", table.words),
    row("dct:dateSubmitted", "extra date_submitted", table.words),
    row("dct:educationLevel", "extra education_level", table.words),
    row("dct:extent", "extra extent", table.words),
    row("dct:instructionalMethod", "extra instructional_method", table.words),
    row("dct:mediator", "extra mediator", table.words),
    row("dct:medium", "extra medium", table.words),
    row("dct:tableOfContents", "extra table_of_contents", table.words),
    row("dct:valid", "extra valid", table.words),
    row("dc:source", "extra source", table.json_list),
    row("dc:relation", "extra related_resource", table.json_list),
    row("dct:hasFormat", "extra has_format", table.json_list),
    row("dct:hasPart", "extra has_part", table.json_list),
    row("dct:hasVersion", "extra has_version", table.json_list),
    row("dct:isFormatOf", "extra is_format_of", table.json_list),
    row("dct:isReferencedBy", "extra is_referenced_by", table.json_list),
    row("dct:isReplacedBy", "extra is_replaced_by", table.json_list),
    row("dct:isRequiredBy", "extra is_required_by", table.json_list),
    row("dct:isVersionOf", "extra is_version_of", table.json_list),
    row("dct:replaces", "extra replaces", table.json_list),
    row("dct:requires", "extra requires", table.json_list),
    row("dct:provenance", "extra provenance", table.paragraphs),
    Field(("every other element",), "extras"),
)
_READ = frozenset(name.rpartition(":")[2] for row in MAPPING for name in row.source)
