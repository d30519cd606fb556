"""The source type ``dkan``: sites that run DKAN."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers import dkan_api as dkan_site
from ckanext.ukharvest.source_types.source_type import SourceType

# Of DKAN 7's packages; CKAN has no such fields.
_OF_DKAN_7 = frozenset(("dkan_additional_fields", "log_message"))


def recognise(content: bytes) -> bool:
    """Tell whether a document is a page of a DKAN site, or an answer that only DKAN gives."""
    head = read_head(content)
    if head.page_title is not None:
        return "dkan" in head.text.lower() and "drupal" in head.generator
    names = head.keys()
    if "result" in names and names <= {"help", "success", "result"}:
        # Some releases give no success; lists of packages are in another list.
        inside = head.keys("result") | head.keys("result.item") | head.keys("result.item.item")
        item = head.values.get("result.item")
        is_list = isinstance(item, str) and item not in ("start_map", "start_array")
        is_bare = "success" not in names and (is_list or not inside.isdisjoint(("title", "url")))
        return "result.item.item" in head.values or bool(inside & _OF_DKAN_7) or is_bare
    # DKAN 2 adds references to a dataset's own fields.
    names = head.keys("item" if head.text.startswith("[") else "")
    return "identifier" in names and any(name.startswith(("%Ref:", "%modified")) for name in names)


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
    recognise=recognise,
    usual_urls=("",),
    group="portals",
    summary=_("A DKAN site, version 7 or 2. Enter its home page."),
    url_hint=_("The URL of the site's home page."),
    url_example="https://opendata.example.gov.uk",
)
