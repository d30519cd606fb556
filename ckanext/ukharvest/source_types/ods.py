"""The source type ``ods``: Opendatasoft portals."""

from __future__ import annotations

from ckanext.ukharvest.parsers.ods import parser as ods
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.ods import facets
from ckanext.ukharvest.readers.ods import reader as ods_portal
from ckanext.ukharvest.source_types.source_type import SourceType

ODS = SourceType(
    name="ods",
    title="Opendatasoft",
    description="Datasets of an Opendatasoft portal: all, or those with certain publishers, themes "
    "or keywords",
    reader=ods_portal.Ods(),
    parser=ods,
    options=(*ods_portal.OPTIONS, *ods.OPTIONS),
    volatile=ods.VOLATILE,
    # Names of version 2.1.
    field_names=FieldNames(
        resources="has_records, attachments and references",
        tags="metas.default.keyword",
        spatial="metas.default.bbox",
        issued="metas.dcat.issued",
        modified="metas.default.modified",
        created="metas.dcat.created",
    ),
    filter_fields=facets.filter_fields,
    usual_urls=("",),
    probe="/api/explore/v2.1/catalog/datasets?limit=1",
)
