"""The source type ``ckan``: other CKAN sites."""

from __future__ import annotations

from ckanext.ukharvest.parsers.ckan import parser as ckan_datasets
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.ckan_api import facets
from ckanext.ukharvest.readers.ckan_api import reader as ckan_site
from ckanext.ukharvest.source_types.source_type import SourceType

CKAN = SourceType(
    name="ckan",
    title="CKAN",
    description="Datasets of another CKAN site: all, or by organisation, group, tag, "
    "licence, type or search",
    reader=ckan_site.CkanSite(),
    parser=ckan_datasets,
    options=(*ckan_site.OPTIONS, *ckan_datasets.OPTIONS),
    field_names=FieldNames(issued="data_issued", modified="data_modified"),
    filter_fields=facets.filter_fields,
    usual_urls=("",),
)
