"""The source type ``ckan``: other CKAN sites."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.ckan import parser as ckan_datasets
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.ckan_api import reader as ckan_site
from ckanext.ukharvest.readers.ckan_api import site
from ckanext.ukharvest.source_types import dkan
from ckanext.ukharvest.source_types.source_type import SourceType

# Of a package, and not of other things with files, such as a data package.
_OF_PACKAGES = frozenset(("notes", "license_id", "owner_org", "metadata_modified"))


def _recognise(content: bytes) -> bool:
    """Tell whether a document is a page of a CKAN site, an answer of its API, or its packages.

    DKAN imitates both.
    """
    head = read_head(content)
    if dkan.recognise(content):
        return False
    if head.page_title is not None:
        return "ckan" in head.generator
    names = head.keys()
    if "success" in names:
        return not names.isdisjoint(("result", "help", "error"))
    if names == {"version"}:  # the API's root
        return isinstance(head.values["version"], int)
    if {"count", "results"} <= names and not names & {"next", "previous"}:  # of the first versions
        item = head.values.get("results.item")
        is_text = isinstance(item, str) and item not in ("start_map", "start_array")
        return is_text or _is_package(head.keys("results.item"))
    return _is_package(head.keys("item" if head.text.startswith("[") else ""))


def _is_package(names: frozenset[str]) -> bool:
    return "data_dict" in names or (
        "resources" in names and "name" in names and not _OF_PACKAGES.isdisjoint(names)
    )


CKAN = SourceType(
    name="ckan",
    title="CKAN",
    description="Datasets of another CKAN site: all, or by organisation, group, tag, "
    "licence, type or search",
    reader=ckan_site.CkanSite(),
    parser=ckan_datasets,
    options=(*ckan_site.OPTIONS, *ckan_datasets.OPTIONS),
    field_names=FieldNames(issued="data_issued", modified="data_modified"),
    filter_fields=site.filter_fields,
    recognise=_recognise,
    usual_urls=("",),
    group="portals",
    summary=_("Another CKAN site. Enter its home page."),
    url_hint=_("The URL of the site's home page."),
    url_example="https://data.example.gov.uk",
)
