"""The source type ``sparql``: SPARQL endpoints that describe datasets with DCAT."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.readers.sparql import reader as sparql
from ckanext.ukharvest.source_types.dcat_rdf import DCAT_RDF, PROFILES, SERVICE_DESCRIPTION
from ckanext.ukharvest.source_types.source_type import SourceType


def recognise(content: bytes) -> bool:
    """Tell whether this is an endpoint's page, its service description, or results of a query."""
    head = read_head(content)
    if head.page_title is not None:
        return "sparql" in head.page_title.lower()
    if head.root_name == "sparql":
        return True
    has_results = {"boolean", "results.bindings"} & head.values.keys()
    return bool("head" in head.values and has_results) or SERVICE_DESCRIPTION in head.text


SPARQL = SourceType(
    name="sparql",
    title="SPARQL",
    description=(
        "A SPARQL 1.1 endpoint (Virtuoso, Fuseki, GraphDB, Oxigraph and others): all datasets, "
        "those of named graphs, or those of a query of your own, described with DCAT"
    ),
    reader=sparql.Sparql(),
    parser=dcat,
    options=(*sparql.OPTIONS, *dcat.OPTIONS, PROFILES),
    field_names=DCAT_RDF.field_names,
    recognise=recognise,
    usual_urls=("/sparql", "/query", "/api/sparql"),
    probe="?query=ASK%7B%7D",
    group="files",
    summary=_(
        "A SPARQL endpoint that describes datasets with DCAT, such as Virtuoso or Fuseki. "
        "Enter its URL without query=."
    ),
    url_hint=_("The URL of the SPARQL endpoint, without query= and what follows it."),
    url_example="https://data.example.gov.uk/sparql",
)
