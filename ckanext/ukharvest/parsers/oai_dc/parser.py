"""Dublin Core in XML: oai_dc, and the qualified forms of catalogues such as pycsw's csw:Record.

Specifications: www.openarchives.org/OAI/2.0/oai_dc.xsd; the Dublin Core Metadata Element Set 1.1
and DCMI Metadata Terms; DCMI Box and DCMI Period (encodings of coverage). Elements are read by
local names: those of dcterms stand beside those of dc. Names of extras are ckanext-dcat's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.oai_dc import coverage, links
from ckanext.ukharvest.parsers.table import row
from ckanext.ukharvest.parsers.xml_fields import Entry, Node

VERSION = 2
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
        unread=lambda: entry.node.unread(_READ),
    )


_NEEDED = {
    "notes": ("dc:description", "what the data is"),
    "publisher": ("dc:publisher", "who publishes it"),
    "licence": ("dc:rights", "the web address of a licence"),
}


def _alternative(node: Node, _names: table.Names) -> str:
    titles = (*node.texts("title")[1:], *node.texts("alternative"))
    return ", ".join(map(plain_line, dict.fromkeys(titles)))


def _subjects(entry: Entry) -> FieldValues:
    subjects = entry.node.texts("subject")
    themes = tuple(dict.fromkeys(filter(is_web_url, subjects)))
    tags, problems = clean_tags((text for text in subjects if text not in themes), "dc:subject")
    entry.node.add(problems)
    return {"tags": tags, "themes": themes}


def _issued(entry: Entry) -> FieldValues:
    """Return dates of publication; of several as dc:date the first in time counts."""
    node = entry.node
    named = {name: table.first_date(node, (name,)) for name in _ISSUED}
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


_ISSUED = ("issued", "available", "dateAccepted")


def _datestamp(entry: Entry) -> FieldValues:
    try:
        return {"metadata_modified": parse_date(entry.raw.modified)}
    except ValueError:
        return {}


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    texts = dict.fromkeys(table.texts(node, ("license", "rights")))
    access = [text for text in texts if _is_access(text)]
    terms = [text for text in texts if text not in access]
    return {
        "licence": read_licence(map(licences.find, terms), node.reporter("rights")),
        "rights": "\n\n".join(map(plain_text, terms)),
        "extras": {
            "access_rights": ", ".join(dict.fromkeys((*node.texts("accessRights"), *access)))
        },
    }


def _is_access(text: str) -> bool:
    # The vocabulary of OpenAIRE's guidelines, which repositories put into dc:rights.
    return text.startswith("info:eu-repo/semantics/")


def _frequency(node: Node, names: table.Names) -> table.Several:
    frequency, unread = read_frequency(node.text(names[0]), node.reporter(names[0]))
    return table.Several(frequency=frequency, extras=unread)


MAPPING: tuple[Field[Entry] | table.Row, ...] = (
    Field(("header/identifier",), "guid", read_apart),
    Field(("dc:title",), "title", read_apart),
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
    row("dct:created", "extra created", table.first_date),
    Field(
        ("dc:rights", "dct:license", "dct:accessRights"),
        "licence, rights; extra access_rights",
        _terms,
    ),
    row("dc:language", "language", table.languages),
    Field(
        ("dc:coverage", "dct:spatial", "dct:temporal", "ows:BoundingBox", "ows:WGS84BoundingBox"),
        "spatial, spatial_text, temporal",
        coverage.read,
    ),
    Field(
        ("dc:identifier", "dct:references", "dc:URI", "dc:format"),
        "resources, url; extras identifier, alternate_identifier, format",
        links.read,
    ),
    row("dct:accrualPeriodicity", "frequency", _frequency),
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
    row("dct:provenance", "extra provenance", table.paragraph),
    Field(("every other element",), "extras", read_apart),
)
_READ = frozenset(name.rpartition(":")[2] for row in MAPPING for name in row.source)
