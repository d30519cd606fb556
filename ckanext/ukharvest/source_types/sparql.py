"""The source type ``sparql``: SPARQL endpoints that describe datasets with DCAT."""

from __future__ import annotations

from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.readers.sparql import reader as sparql
from ckanext.ukharvest.readers.sparql import values
from ckanext.ukharvest.source_types.dcat_rdf import DCAT_RDF, PROFILES
from ckanext.ukharvest.source_types.source_type import SourceType

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
    filter_fields=values.filter_fields,
    usual_urls=("/sparql", "/query", "/api/sparql"),
    probe="?query=ASK%7B%7D",
)
