"""Dublin Core in XML: oai_dc, and the qualified forms of catalogues such as pycsw's csw:Record.

Specifications: www.openarchives.org/OAI/2.0/oai_dc.xsd; the Dublin Core Metadata Element Set 1.1
and DCMI Metadata Terms; DCMI Box and DCMI Period (encodings of coverage). Elements are read by
local names: those of dcterms stand beside those of dc. Names of extras are ckanext-dcat's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.mapping_table import Field, FieldValues, collect, read_apart
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import licences, parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span
from ckanext.ukharvest.core.values.record_licence import read_licence
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import uk_fields, unread_fields
from ckanext.ukharvest.parsers.dcat.node import as_list
from ckanext.ukharvest.parsers.oai_dc import coverage, links
from ckanext.ukharvest.parsers.oai_dc.entry import Entry
from ckanext.ukharvest.parsers.xml_fields import Node

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
    if not raw.guid:
        raise ParseError("header/identifier is missing", code="missing-identifier", url=raw.url)
    title = plain_line(entry.node.text("title"))
    if not title:
        message = f"{raw.display_name}: dc:title is missing; expected a text"
        raise ParseError(message, code="missing-title", url=raw.url)
    found, extras = collect(MAPPING, entry)
    extras = unread_fields.added_to(extras, entry.node.unread(_READ))
    for name, field, expected in _EXPECTED:
        if not found.get(field):
            entry.node.report("missing-field", name, f"missing; expected {expected}")
    reported = tuple(dict.fromkeys(problems))
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **found)


_EXPECTED = (
    ("description", "notes", "what the data is"),
    ("publisher", "publisher", "who publishes it"),
    ("rights", "licence", "the web address of a licence"),
)


def _titles(entry: Entry) -> FieldValues:
    others = (*entry.node.texts("title")[1:], *entry.node.texts("alternative"))
    return {"extras": {"alternative": ", ".join(map(plain_line, dict.fromkeys(others)))}}


def _notes(entry: Entry) -> FieldValues:
    texts = entry.node.texts("description") + entry.node.texts("abstract")
    return {"notes": "\n\n".join(dict.fromkeys(map(plain_text, texts)))}


def _tags(entry: Entry) -> FieldValues:
    subjects = entry.node.texts("subject")
    themes = [text for text in subjects if is_web_url(text)]
    words = [text for text in subjects if text not in themes]
    tags, problems = clean_tags(words, "dc:subject")
    entry.node.add(problems)
    return {"tags": tags, "themes": tuple(dict.fromkeys(themes))}


def _people(entry: Entry) -> FieldValues:
    node = entry.node
    return {
        "publisher": _agent(node.texts("publisher")),
        "author": _agent(node.texts("creator")),
        "extras": {
            "contributor": ", ".join(map(plain_line, node.texts("contributor"))),
            "rights_holder": ", ".join(map(plain_line, node.texts("rightsHolder"))),
        },
    }


def _agent(texts: tuple[str, ...]) -> Agent | None:
    """Return who is named: a URL beside a name is theirs, and several names are one text."""
    agents = [parties.parse_agent(text) for text in texts]
    agent = Agent(
        "; ".join(dict.fromkeys(agent.name for agent in agents if agent.name)),
        next((agent.email for agent in agents if agent.email), ""),
        next((agent.url for agent in agents if agent.url), ""),
    )
    return agent if texts else None


_ISSUED = ("issued", "available", "dateAccepted")


def _dates(entry: Entry) -> FieldValues:
    """Return the dates; a repository lists several as dc:date, the first of them in time counts."""
    node = entry.node
    named = {name: _first(node, name) for name in _ISSUED}
    dates = _all(node, "date")
    issued = next(filter(None, named.values()), "") or min(dates, default="")
    others = {name: day for name, day in named.items() if day != issued}
    return {
        "issued": issued,
        "modified": max(_all(node, "modified"), default=""),
        "metadata_modified": _stamp(entry.raw.modified),
        "extras": {
            "created": _first(node, "created"),
            "date": ", ".join(dict.fromkeys(day for day in dates if day != issued)),
            "available": others.get("available", ""),
            "date_accepted": others.get("dateAccepted", ""),
        },
    }


def _first(node: Node, name: str) -> str:
    return next(iter(_all(node, name)), "")


def _all(node: Node, name: str) -> list[str]:
    # A span is not when it was published, but what it is about: see coverage.
    texts = [text for text in node.texts(name) if name != "date" or not is_span(text)]
    return list(filter(None, (node.parse_value(name, t, parse_date, "bad-date") for t in texts)))


def _stamp(text: str) -> str:
    """Return the header's date, which the record itself does not have."""
    try:
        return parse_date(text)
    except ValueError:
        return ""


def _terms(entry: Entry) -> FieldValues:
    texts = tuple(dict.fromkeys((*entry.node.texts("license"), *entry.node.texts("rights"))))
    access = (*entry.node.texts("accessRights"), *(t for t in texts if _is_access(t)))
    terms = [text for text in texts if not _is_access(text)]
    return {
        "licence": read_licence(map(licences.find, terms), entry.node.reporter("rights")),
        "rights": "\n\n".join(map(plain_text, terms)),
        "extras": {"access_rights": ", ".join(dict.fromkeys(access))},
    }


def _is_access(text: str) -> bool:
    # The vocabulary of OpenAIRE's guidelines, which repositories put into dc:rights.
    return text.startswith("info:eu-repo/semantics/")


def _language(entry: Entry) -> FieldValues:
    node = entry.node
    return {"language": read_languages(node.texts("language"), node.reporter("language"))}


def _frequency(entry: Entry) -> FieldValues:
    node, key = entry.node, "accrualPeriodicity"
    frequency, unread = read_frequency(node.text(key), node.reporter(key))
    return {"frequency": frequency, "extras": unread}


def _standards(entry: Entry) -> FieldValues:
    texts = entry.node.texts("conformsTo")
    return {
        "schema_urls": uk_fields.schemas(texts),
        "extras": {"conforms_to": as_list(list(texts))},
    }


# Elements that become extras: texts, and lists of what a record is related to.
_TEXTS = {
    "type": "dcat_type",
    "isPartOf": "is_part_of",
    "accrualMethod": "accrual_method",
    "accrualPolicy": "accrual_policy",
    "audience": "audience",
    "bibliographicCitation": "bibliographic_citation",
    "dateCopyrighted": "date_copyrighted",
    "dateSubmitted": "date_submitted",
    "educationLevel": "education_level",
    "extent": "extent",
    "instructionalMethod": "instructional_method",
    "mediator": "mediator",
    "medium": "medium",
    "tableOfContents": "table_of_contents",
    "valid": "valid",
}
_LISTS = {
    "source": "source",
    "relation": "related_resource",
    "hasFormat": "has_format",
    "hasPart": "has_part",
    "hasVersion": "has_version",
    "isFormatOf": "is_format_of",
    "isReferencedBy": "is_referenced_by",
    "isReplacedBy": "is_replaced_by",
    "isRequiredBy": "is_required_by",
    "isVersionOf": "is_version_of",
    "replaces": "replaces",
    "requires": "requires",
}

_OF_DC = ("type", "source", "relation")


def _more(entry: Entry) -> FieldValues:
    node = entry.node
    return {
        "extras": {
            **{name: ", ".join(node.texts(element)) for element, name in _TEXTS.items()},
            **{name: as_list(list(node.texts(element))) for element, name in _LISTS.items()},
            "provenance": plain_text(node.text("provenance")),
        }
    }


MAPPING: tuple[Field[Entry], ...] = (
    Field(("header/identifier",), "guid", read_apart),
    Field(("dc:title",), "title", read_apart),
    Field(("dc:title", "dct:alternative"), "extra alternative", _titles),
    Field(("dc:description", "dct:abstract"), "notes", _notes),
    Field(("dc:subject",), "tags, themes", _tags),
    Field(
        ("dc:publisher", "dc:creator", "dc:contributor", "dct:rightsHolder"),
        "publisher, author; extras contributor, rights_holder",
        _people,
    ),
    Field(
        ("header/datestamp", "dc:date", "dct:issued", "dct:available", "dct:dateAccepted")
        + ("dct:modified", "dct:created"),
        "issued, modified, metadata_modified; extras created, date, available, date_accepted",
        _dates,
    ),
    Field(
        ("dc:rights", "dct:license", "dct:accessRights"),
        "licence, rights; extra access_rights",
        _terms,
    ),
    Field(("dc:language",), "language", _language),
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
    Field(("dct:accrualPeriodicity",), "frequency", _frequency),
    Field(("dct:conformsTo",), "schema_urls; extra conforms_to (list)", _standards),
    Field(
        ("dc:type", "dc:source", "dc:relation", "dct:provenance")
        + tuple(f"dct:{name}" for name in (*_TEXTS, *_LISTS) if name not in _OF_DC),
        f"extras {', '.join((*_TEXTS.values(), *_LISTS.values(), 'provenance'))}",
        _more,
    ),
    Field(("every other element",), "extras", read_apart),
)
_READ = frozenset(name.rpartition(":")[2] for row in MAPPING for name in row.source)
