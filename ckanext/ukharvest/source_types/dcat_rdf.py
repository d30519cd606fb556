"""The source type ``dcat_rdf``: DCAT in any RDF serialisation."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.rdf import reader as rdf
from ckanext.ukharvest.source_types.source_type import SourceType

# Used by engine/profiles.py.
PROFILES = Option(
    "profiles",
    "list",
    (),
    "ckanext-dcat's profiles, such as euro_dcat_ap_3, that read each dataset too. Fields that "
    "only they find are added.",
    label=_("Profiles of ckanext-dcat"),
)

# In RDF, too, but of an endpoint: the type ``sparql``.
SERVICE_DESCRIPTION = "http://www.w3.org/ns/sparql-service-description#"
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


def _recognise(content: bytes) -> bool:
    """Tell whether a document begins as RDF that describes datasets, in any syntax."""
    head = read_head(content)
    if head.is_json:
        is_short = "@context" in head.keys() | head.keys("item")
        return bool((_JSON_LD if is_short else _EXPANDED).search(head.text))
    if SERVICE_DESCRIPTION in head.text or not _VOCABULARY.search(head.text):
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
    options=(*rdf.OPTIONS, *dcat.OPTIONS, PROFILES),
    aliases=("dcat_xml",),
    field_names=FieldNames(
        resources="dcat:distribution",
        tags="dcat:keyword",
        spatial="dct:spatial",
        issued="dct:issued",
        modified="dct:modified",
        created="dct:created",
    ),
    recognise=_recognise,
    # Those of ckanext-dcat, and that of ArcGIS Hub.
    usual_urls=(
        *("/catalog.xml", "/catalog.ttl", "/catalog.rdf", "/catalog.jsonld"),
        "/api/feed/dcat-ap/2.1.1.json",
    ),
    group="files",
    summary=_(
        "RDF (XML, Turtle, JSON-LD and others) that lists datasets. Enter the URL of the catalogue."
    ),
    url_hint=_("The URL of the catalogue, not of its web page."),
    url_example="https://data.example.gov.uk/catalog.ttl",
)
