"""The types of lists and linked data: ``dcat_rdf``, ``sparql``, ``inventory``, ``oaipmh``,
``opensearch`` and ``dataset_table``.
"""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_filter import FilterField
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import oaipmh
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.data_json.resources import RESOURCE_MAPPING
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.inventory import document as inventory_document
from ckanext.ukharvest.parsers.inventory import parser as inventory
from ckanext.ukharvest.parsers.opensearch import parser as opensearch
from ckanext.ukharvest.parsers.record_checks import FieldNames, field_names_in
from ckanext.ukharvest.parsers.table import names_read
from ckanext.ukharvest.readers import dataset_table, spreadsheet, xml_document
from ckanext.ukharvest.readers.oaipmh import reader as oai_pmh
from ckanext.ukharvest.readers.opensearch import reader as open_search
from ckanext.ukharvest.readers.rdf import reader as rdf
from ckanext.ukharvest.readers.sparql import reader as sparql
from ckanext.ukharvest.readers.xml_document import XmlShape
from ckanext.ukharvest.source_types.source_type import SourceType

# Used by harvest/hooks/plugin_hooks.py.
_PROFILES = Option(
    "profiles",
    "list",
    (),
    "ckanext-dcat's profiles, such as euro_dcat_ap_3, that read each dataset too. Fields that "
    "only they find are added.",
    label=_("Profiles of ckanext-dcat"),
)

# In RDF, too, but of an endpoint: the type ``sparql``.
_SERVICE_DESCRIPTION = "http://www.w3.org/ns/sparql-service-description#"
# The vocabularies that describe datasets, by names that a document has near its beginning.
_VOCABULARY = re.compile(
    r"w3\.org/ns/dcat#|rdfs\.org/ns/void#|publishmydata\.com/def/dataset#"
    r"|\bschema\.org\b(?=[\s\S]*\b(?:Dataset|DataCatalog)\b)"  # it has names for everything
)
# RDF as text begins with a declaration or a triple, or with comments before them.
_DECLARATION = re.compile(r"@?(?:prefix|base|version)\s", re.IGNORECASE)
_TRIPLE = re.compile(
    r"(?:<[a-z][a-z0-9+.-]*:[^<>\s]*>|_:\S+|\[\s*\]?)\s+(?:<[^<>\s]+>|a\s|[\w.-]*:)", re.IGNORECASE
)
_COMMENTS = re.compile(r"(?:\s*#[^\n]*(?:\n|\Z))*\s*")
# The context of JSON-LD may be elsewhere, so that no prefix shows in the document.
_CLASS = r"(?:Dataset|DatasetSeries|Catalog|DataCatalog)"
_JSON_LD = re.compile(
    rf'"@?type"\s*:\s*(?:\[[^\]]*)?"(?:[^"]*[:/#])?{_CLASS}"|w3\.org/ns/dcat#|"dcat:'
)
# Without a context names are written in full.
_EXPANDED = re.compile(rf'"@type"\s*:\s*(?:\[[^\]]*)?"https?://[^"]*[/#]{_CLASS}"')


def _is_dcat(content: bytes) -> bool:
    """Tell whether a document begins as RDF that describes datasets, in any syntax."""
    head = read_head(content)
    if head.is_json:
        is_short = "@context" in head.keys() | head.keys("item")
        return bool((_JSON_LD if is_short else _EXPANDED).search(head.text))
    if _SERVICE_DESCRIPTION in head.text or not _VOCABULARY.search(head.text):
        return False
    if head.root_name == "RDF":
        return True
    start = _COMMENTS.match(head.text)
    beginning = head.text[start.end() if start else 0 :]
    return bool(_DECLARATION.match(beginning) or _TRIPLE.match(beginning))


DCAT_RDF = SourceType(
    name="dcat_rdf",
    title="DCAT",
    description="Datasets described with DCAT in RDF/XML, Turtle, N-Triples, JSON-LD and others,"
    " also in pages (Hydra, Link headers, ?page=n)",
    reader=rdf.RdfReader(),
    parser=dcat,
    options=(*rdf.OPTIONS, *dcat.OPTIONS, _PROFILES),
    aliases=("dcat_xml",),
    field_names=FieldNames(
        resources="dcat:distribution",
        tags="dcat:keyword",
        spatial="dct:spatial",
        issued="dct:issued",
        modified="dct:modified",
        created="dct:created",
    ),
    recognise=_is_dcat,
    # Those of ckanext-dcat, and that of ArcGIS Hub.
    usual_urls=(
        *("/catalog.xml", "/catalog.ttl", "/catalog.rdf", "/catalog.jsonld"),
        "/api/feed/dcat-ap/2.1.1.json",
    ),
    group="files",
    summary=_(
        "RDF (XML, Turtle, JSON-LD and others) that lists datasets. Enter the URL of the catalogue."
    ),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://data.example.gov.uk/catalog.ttl",
    software=("CKAN with ckanext-dcat", "ArcGIS Hub"),
)


def is_sparql(content: bytes) -> bool:
    """Tell whether this is an endpoint's page, its service description, or results of a query."""
    head = read_head(content)
    if head.page_title is not None:
        return "sparql" in head.page_title.lower()
    if head.root_name == "sparql":
        return True
    has_results = {"boolean", "results.bindings"} & head.values.keys()
    return bool("head" in head.values and has_results) or _SERVICE_DESCRIPTION in head.text


SPARQL = SourceType(
    name="sparql",
    title="SPARQL",
    description=(
        "A SPARQL 1.1 endpoint (Virtuoso, Fuseki, GraphDB, Oxigraph and others): all datasets, "
        "those of named graphs, or those of a query of your own, described with DCAT"
    ),
    reader=sparql.Sparql(),
    parser=dcat,
    options=(*sparql.OPTIONS, *dcat.OPTIONS, _PROFILES),
    field_names=DCAT_RDF.field_names,
    recognise=is_sparql,
    usual_urls=("/sparql", "/query", "/api/sparql"),
    probe="?query=ASK%7B%7D",
    group="files",
    summary=_(
        "A SPARQL endpoint that describes datasets with DCAT, such as Virtuoso or Fuseki. "
        "Enter its URL without query=."
    ),
    url_hint=_("The URL of the service, without the question mark and what follows it."),
    url_example="https://data.example.gov.uk/sparql",
    software=("Virtuoso", "Fuseki", "GraphDB", "Oxigraph"),
)

_INVENTORY_SHAPE = XmlShape(
    kind=inventory_document.KIND,
    paths=inventory_document.PATHS,
    root=inventory_document.ROOT,
    guid=inventory_document.identifier,
    content=inventory_document.content,
    modified=inventory_document.modified,
    is_gone=inventory_document.is_gone,
    checker=inventory_document.Checker,
    alone="is one Dataset without an Inventory around it, which does not tell of others",
)


def _is_inventory(content: bytes) -> bool:
    """Tell whether the root is an inventory, or one of its datasets."""
    head = read_head(content)
    # Without a namespace an inventory is read too; datasets are many things.
    expected = ("Inventory", "Dataset") if head.root_namespace else ("Inventory",)
    return head.root_name in expected and (
        not head.root_namespace or "esd.org.uk" in head.root_namespace
    )


INVENTORY = SourceType(
    name="inventory",
    title="Inventory XML",
    description="Datasets of an inventory in the LGA's format (versions 0.1 to 0.3),"
    " as the DataShare software of councils publishes it",
    reader=xml_document.XmlDocument(_INVENTORY_SHAPE),
    parser=inventory,
    options=(xml_document.VALIDATION, *inventory.OPTIONS),
    recognise=_is_inventory,
    old_guids=inventory_document.old_guids,
    field_names=field_names_in(inventory.MAPPING, resources="Rendition", tags="Subject"),
    # DataShare ends its download URLs with the date of the request for the inventory: without this
    # every run would import every dataset of a council.
    volatile=re.compile(r"(?<=[?&;])version=\d{1,4}([/.-]|%2F)\d{1,2}\1\d{1,4}\b", re.IGNORECASE),
    group="files",
    summary=_("A local authority's inventory, for example from DataShare. Enter the file's URL."),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://www.example.gov.uk/inventory.xml",
    software=("DataShare",),
)

OAIPMH = SourceType(
    name="oaipmh",
    title="OAI-PMH",
    description=(
        "An OAI-PMH 2.0 repository (pycsw, GeoNetwork, DSpace and others): all records or sets, "
        "described in DCAT, ISO 19139 (GEMINI) or Dublin Core"
    ),
    reader=oai_pmh.OaiPmh(),
    parser=oaipmh,
    options=(*oai_pmh.OPTIONS, *oaipmh.OPTIONS),
    filters=(
        FilterField("set", include="sets"),
        FilterField("party", exclude="skip_responsible_party"),
    ),
    # "OAI-PMH" is openresearchdata's ckanext-oaipmh.
    aliases=("OAI-PMH", "oai_pmh", "oai-pmh"),
    recognise=lambda content: read_head(content).root_name == "OAI-PMH",
    usual_urls=("/oai/request", "/oai", "/oai2", "/server/oai/request", "/oaipmh"),
    probe="?verb=Identify",
    group="files",
    summary=_(
        "A repository with OAI-PMH 2.0, such as DSpace, pycsw or a research archive. Enter its "
        "base URL without verb=."
    ),
    url_hint=_("The URL of the service, without the question mark and what follows it."),
    url_example="https://repository.example.ac.uk/oai/request",
    software=("DSpace", "pycsw", "GeoNetwork"),
)

# Where GeoJSON has the number of results; that of other services is data.
_TOTALS = frozenset(("totalResults", "os:totalResults", "opensearch:totalResults"))


def _is_opensearch(content: bytes) -> bool:
    """Tell whether this is a description document, or results in Atom or GeoJSON."""
    head = read_head(content)
    if head.root_name == "feed":
        return "a9.com/-/spec/opensearch" in head.text
    if head.values.get("type") == "FeatureCollection":
        return bool(_TOTALS & (head.keys() | head.keys("properties")))
    return head.root_name == "OpenSearchDescription"


OPENSEARCH = SourceType(
    name="opensearch",
    title="OpenSearch",
    description=(
        "A search service with an OpenSearch description document (Geo, Time and EO extensions): "
        "collections or products, in Atom or GeoJSON"
    ),
    reader=open_search.OpenSearch(),
    parser=opensearch,
    options=(*open_search.OPTIONS, *opensearch.OPTIONS),
    # Many services write the time of their answer; a real change changes something else as well.
    volatile=re.compile(r'(?<="updated":")[^"\\]*(?=")|(?<=updated>)[^<]*(?=</)'),
    field_names=FieldNames(resources="link", spatial="georss:where", metadata_modified="updated"),
    recognise=_is_opensearch,
    usual_urls=("/opensearch/description.xml", "/opensearch.xml", "/opensearch"),
    group="files",
    summary=_(
        "A search service with a description document, such as a catalogue of satellite "
        "images. Enter the URL of that document."
    ),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://catalogue.example.gov.uk/opensearch/description.xml",
)


def _is_table(content: bytes) -> bool:
    """Tell whether a document begins as an XLSX, or as CSV whose columns describe datasets."""
    if content.startswith(spreadsheet.XLSX):
        return b"xl/" in content
    head = read_head(content)
    return not head.is_json and head.page_title is None and _TABLE.recognise(head.text)


_TABLE = dataset_table.DatasetTable(
    names_read(datajson.MAPPING)
    | {dataset_table.OF_FILE + name for name in names_read(RESOURCE_MAPPING)}
)
DATASET_TABLE = SourceType(
    name="dataset_table",
    title="Table of datasets",
    description="Datasets listed in a CSV or XLSX file or a Google sheet, a row for each dataset or"
    " each of its files, with columns named as data.json's fields",
    reader=_TABLE,
    parser=datajson,
    options=datajson.OPTIONS,
    field_names=field_names_in(datajson.MAPPING, resources="downloadURL"),
    recognise=_is_table,
    group="files",
    summary=_(
        "A CSV or XLSX file or a Google sheet that everyone can open, with a row for each dataset "
        "or file. Enter its URL."
    ),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://www.example.gov.uk/datasets.csv",
    template="/ukharvest/dataset-table.csv",
    software=("Excel", "LibreOffice", "Google Sheets"),
)
