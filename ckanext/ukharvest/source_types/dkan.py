"""The source type ``dkan``: sites that run DKAN."""

from __future__ import annotations

from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.dkan_api import reader as dkan_site
from ckanext.ukharvest.source_types.source_type import SourceType

DKAN = SourceType(
    name="dkan",
    title="DKAN",
    description="Datasets of a site that runs DKAN 7 or 2. The site can be upgraded from one to "
    "the other",
    reader=dkan_site.Dkan(guid=dkan.identifier, names=dkan.names),
    parser=dkan,
    options=dkan.OPTIONS,
    old_guids=dkan.old_guids,
    # DKAN 7's names, and those of DKAN 2.
    field_names=FieldNames(
        resources="resources or distribution",
        tags="tags or keyword",
        issued="metadata_created or issued",
        modified="metadata_modified or modified",
        metadata_modified="metadata_modified or modified",
    ),
    usual_urls=("",),
)
