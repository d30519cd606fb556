"""Datasets in RDF: DCAT 1 to 3, DCAT-AP, data.gov.uk's dialect, VoID, schema.org and Croissant.

Specifications: www.w3.org/TR/vocab-dcat-3 and its earlier versions; semiceu.github.io/DCAT-AP;
data.gov.uk's guide to DCAT fields; www.w3.org/TR/void. Names of extras are ckanext-dcat's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import MAX_RESOURCES, Option
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values import geometries, licences, multivalue, places, theme_names
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.dcat import coverage, croissant, distribution, extras, people
from ckanext.ukharvest.parsers.dcat.node import (
    Node,
    Scope,
    Term,
    page,
    read_graph,
    row,
)
from ckanext.ukharvest.parsers.reporting import read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row, collect, without_repeats

VERSION = 4
FORM = "rdf"

OPTIONS = (
    Option(
        "language",
        "text",
        "en",
        "The preferred language for texts in several languages: a code such as en or cy.",
        alias="default_catalog_language",
        label=_("Language"),
    ),
    MAX_RESOURCES,
    Option(
        "themes_as_tags",
        "boolean",
        False,
        "Whether the labels of a dataset's themes become tags as well.",
        label=_("Make tags of themes"),
        form_help=_("The labels of a dataset’s themes become tags as well."),
        is_rare=True,
    ),
)


_TITLE = ("dct:title", "schema:name", "rdfs:label", "dc:title", "skos:prefLabel", "foaf:name")


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one dataset and its nested nodes.

    Raises:
        ParseError: not N-Triples, no dataset in it, or without title or identity.
    """
    if not raw.guid:
        where = raw.position or "dataset"
        raise ParseError(
            Message("{where}: it has neither a URI nor an identifier", where=where),
            code="missing-identifier",
        )
    node = _dataset(raw, options)
    table.require(raw, table.line(node, _TITLE), "dct:title", "missing-title")
    barren: set[str] = set()
    values, more = collect(MAPPING, node, barren)
    read = _READ - {name for name in barren if not node.is_settled(name)}
    if options.get("themes_as_tags"):
        values["tags"] = read_tags(node, (*values["tags"], *_theme_labels(node)), "dcat:theme")
    table.report_missing(node, values, _NEEDED)
    more |= extras.as_ckanext_dcat(values)
    more = table.add_unread(more, extras.unread_predicates(node, read))
    return DatasetRecord(raw.guid, extras=more, problems=node.problems(), **values)


def _dataset(raw: RawRecord, options: Mapping[str, Any]) -> Node:
    """Return the record's only dataset node."""
    graph = read_graph(raw.content or "")
    language = options.get("language") or "en"
    limit = options.get("max_resources", 1000)
    scope = Scope(graph, language.lower(), limit, base=raw.url)
    for kind in (*rdf.DATASET_TYPES, *rdf.OTHER_DATASET_TYPES, rdf.SERVICE_TYPE):
        typed = Term("uri", kind)
        for subject, properties in graph.items():
            if typed in properties.get("rdf:type", ()):
                return Node(scope, subject)
    raise ParseError(
        Message("dataset '{guid}': no node is a dcat:Dataset", guid=raw.guid), code="no-dataset"
    )


_NEEDED = {
    "notes": ("dct:description", Message("what the data is")),
    "publisher": ("dct:publisher", Message("a foaf:Agent with a foaf:name")),
    "contact": ("dcat:contactPoint", Message("a vcard:Kind with vcard:fn and vcard:hasEmail")),
    "licence": ("dct:license", Message("the web address of a licence")),
}
_NOTES = ("dct:description", "rdfs:comment")
_ABSTRACTS = ("dct:abstract", "schema:description", "dc:description", "skos:definition")
_KEYWORDS = ("dcat:keyword", "dct:keyword", "schema:keywords", "dc:subject")
_THEMES = (
    "dcat:theme",
    "dct:theme",
    "dct:subject",
    "schema:about",
    "foaf:theme",
    "folder:inFolder",
)


def _notes(node: Node) -> FieldValues:
    # data.gov.uk's guide: both together. A summary is used where there is no description.
    texts = [text for name in _NOTES for text in node.best(name)] or node.best(*_ABSTRACTS)
    texts = texts or [node.text(*_NOTES)]
    abstracts = node.best("dct:abstract") if node.has(*_NOTES) else []
    return {
        "notes": "\n\n".join(dict.fromkeys(map(plain_text, texts))),
        "extras": {"abstract": "\n\n".join(map(plain_text, abstracts))},
    }


def _tags(node: Node, names: table.Names) -> table.Names:
    # Concepts give their name: nobody searches for a URI.
    words = [part.label() for part in node.nodes(*names)]
    return read_tags(node, filter(None, words), names[0])


def _themes(node: Node, names: table.Names) -> table.Several:
    """Return themes, and the functions and services of local government among them.

    The main one comes first in our own export, and says so: a graph has no order.
    """
    first = [part.value() for part in node.nodes(*names) if part.text("schema:position") == "1"]
    texts = (*first, *table.texts(node, names))
    report = node.reporter(names[0])
    return table.Several(uk_fields.authority(uk_fields.FieldTexts("", texts, report)))


def _theme_labels(node: Node) -> Iterator[str]:
    """Yield the labels of themes: the document's own, else those of the lists that they are of."""
    for theme in node.nodes(*_THEMES):
        known = (find(theme.uri)[1] for find in _LISTS_OF_THEMES) if theme.uri else ()
        yield next(filter(None, (theme.label(), *known)), "")


_LISTS_OF_THEMES = (theme_names.of_eu, theme_names.of_inspire, theme_names.of_topic)


def _place(node: Node) -> FieldValues:
    place = node.places(*coverage.SPATIAL)
    place = place._replace(geometry=place.geometry or _bounding_box(node))
    return place.values | {"extras": {"spatial_text": place.names, **place.extras}}


def _bounding_box(node: Node) -> geometries.Geometry | None:
    """Return the first box of DCAT-US 3; report one that is none."""
    for part in node.nodes("dcatus:geographicBoundingBox"):
        sides = [part.text(f"dcatus:{side}Bounding{way}") for side, way in extras.SIDES.items()]
        if box := places.read_box(sides, node.reporter("dcatus:geographicBoundingBox")):
            return box
    return None


def _mandate(node: Node, names: table.Names) -> str:
    # What is not a URL stays in applicable_legislation.
    return multivalue.as_text(filter(is_web_url, node.values(*names)))


def _resources(node: Node) -> FieldValues:
    files = distribution.distributions(node)
    served = distribution.services_of(node, files)
    report, terms = node.reporter("dct:license"), people.terms(node)
    return {
        "licence": licences.of_dataset(people.licence(node), terms, files, report),
        "resources": without_repeats(files + served, distribution.other_resources(node)),
    }


MAPPING: tuple[Field | Row, ...] = (
    Field(("the dataset's URI", "dct:identifier", "schema:identifier", "schema:url"), "guid"),
    row(_TITLE, "title", table.line),
    Field((*_NOTES, *_ABSTRACTS), "notes; extra abstract", _notes),
    row(_KEYWORDS, "tags", _tags),
    row(_TITLE, "text_language", coverage.text_language),
    Field(
        (*_TITLE, *_NOTES, *_ABSTRACTS, *_KEYWORDS),
        "translations",
        partial(coverage.dataset_translations, _TITLE, _NOTES, _ABSTRACTS, _KEYWORDS),
    ),
    row(_THEMES, "themes; extras la_function, la_service", _themes),
    row(("dct:issued", "schema:datePublished", "dc:date", "dct:date"), "issued", table.date),
    row(("dct:modified", "schema:dateModified", "dct:updated"), "modified", table.last_date),
    row(("dct:created", "schema:dateCreated"), "extra created", table.date),
    row(coverage.TEMPORAL, "temporal", table.period),
    row(coverage.FREQUENCY, "frequency", coverage.frequency),
    Field((*people.PUBLISHER, people.ATTRIBUTION), "publisher", people.publisher),
    Field((*people.CONTACT, people.ATTRIBUTION), "contact", people.contact),
    Field((*people.CREATOR, people.ATTRIBUTION), "author", people.author),
    Field(
        (*people.PUBLISHER, *people.CONTACT, *people.CREATOR, *people.PARTIES)
        + ("dct:contributor", "dct:rightsHolder", people.ATTRIBUTION),
        "extra responsible-organisation",
        people.others,
    ),
    # Before the licence: the terms of files narrow it.
    Field(
        (
            *distribution.DISTRIBUTION,
            "dcat:servesDataset",
            "dcat:accessService",
            *distribution.WAYS,
            *distribution.PAGES,
        ),
        "resources, licence",
        _resources,
    ),
    row((*people.LICENCE, *people.RIGHTS), "licence", people.licence),
    row(people.RIGHTS, "rights", people.rights),
    row(coverage.LANGUAGE, "language", table.languages),
    Field((*coverage.SPATIAL, "dcatus:geographicBoundingBox"), "spatial, spatial_text", _place),
    row(("dct:conformsTo", "void:vocabulary"), "schema_urls", table.schemas),
    row(("dcatap:applicableLegislation",), "extra mandate", _mandate),
    row(("dcat:landingPage", "foaf:homepage", "schema:url"), "url", page),
    row(
        ("dcat:version", "owl:versionInfo", "adms:version", "schema:version", "pav:version"),
        "version",
        table.text,
    ),
    Field(("the dataset's URI",), "uri, metadata_uri", extras.identity),
    Field(
        ("the dataset's type", *extras.SERIES), "extras resource-type, series_members", extras.kind
    ),
    Field(
        tuple(extras.OBJECTS),
        f"extras {', '.join(name for name, _ in extras.OBJECTS.values())}, spatial_identifier",
        extras.nested,
    ),
    Field((croissant.RECORD_SETS,), "extras record_sets, archived_files", croissant.structure),
    Field(extras.IDENTIFIER, "extra identifier", extras.identifiers),
    Field(extras.LINKSETS, "extra linksets (list)", extras.linksets),
    *(row((predicate,), f"extra {name}", table.words) for predicate, name in extras.SINGLE.items()),
    *(
        row((predicate,), f"extra {name} (list)", table.json_list)
        for predicate, name in extras.LISTS.items()
    ),
    Field(("every other predicate",), "extras"),
)
_READ = table.names_read(MAPPING) | extras.NOT_READ

# The fields of a distribution: the documentation's second table.
RESOURCE_MAPPING = distribution.RESOURCE_MAPPING
