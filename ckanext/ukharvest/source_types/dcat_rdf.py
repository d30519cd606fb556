"""The source type ``dcat_rdf``: DCAT in any RDF serialisation."""

from __future__ import annotations

from ckanext.ukharvest.core.options import Option
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
)

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
    usual_urls=("/catalog.xml", "/catalog.ttl"),
)
