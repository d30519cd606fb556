"""The types of open data portals: ``ckan``, ``dkan``, ``ods`` and ``data_json``."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import DocumentHead, read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.ckan import parser as ckan_datasets
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.parsers.ods import parser as ods
from ckanext.ukharvest.parsers.record_checks import FieldNames, field_names_in
from ckanext.ukharvest.readers import dkan_api as dkan_site
from ckanext.ukharvest.readers import document
from ckanext.ukharvest.readers import ods as ods_portal
from ckanext.ukharvest.readers.ckan_api import reader as ckan_site
from ckanext.ukharvest.readers.ckan_api import site as ckan_facets
from ckanext.ukharvest.readers.json_document.exchange_model import DISTRIBUTION, is_model
from ckanext.ukharvest.readers.json_document.outline import Shape
from ckanext.ukharvest.source_types.source_type import SourceType

_HOME_PAGE = _("The URL of the site's home page.")

# Of DKAN 7's packages; CKAN has no such fields.
_OF_DKAN_7 = frozenset(("dkan_additional_fields", "log_message"))


def _is_dkan(content: bytes) -> bool:
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
    reader=dkan_site.Dkan(dkan.identifier, dkan.names, dkan.is_left_out),
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
    recognise=_is_dkan,
    usual_urls=("",),
    group="portals",
    summary=_("A DKAN site, version 7 or 2. Enter its home page."),
    url_hint=_HOME_PAGE,
    url_example="https://opendata.example.gov.uk",
    software=("DKAN 7", "DKAN 2"),
)

# Of a package, and not of other things with files, such as a data package.
_OF_PACKAGES = frozenset(("notes", "license_id", "owner_org", "metadata_modified"))


def _is_ckan(content: bytes) -> bool:
    """Tell whether a document is a page of a CKAN site, an answer of its API, or its packages.

    DKAN imitates both.
    """
    head = read_head(content)
    if _is_dkan(content):
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
    filters=tuple(ckan_facets.FILTER_FIELDS.values()),
    ignored=ckan_site.IGNORED,
    field_names=FieldNames(issued="data_issued", modified="data_modified"),
    filter_fields=ckan_facets.filter_fields,
    recognise=_is_ckan,
    usual_urls=("",),
    group="portals",
    summary=_("Another CKAN site. Enter its home page."),
    url_hint=_HOME_PAGE,
    url_example="https://data.example.gov.uk",
    software=("CKAN",),
)

# The portal's own program, and the files that each of its pages loads.
_ODS_PAGE = re.compile(
    r"\bng-app\s*=\s*[\"']ods\.|(?:src|href)\s*=\s*[\"'](?:https?:)?//[\w.-]*\bopendatasoft\.com/"
)
# Where an answer of version 2.1 or 1.0, of 2.0, an export, or that of one dataset has its datasets.
_ODS_PLACES = ("results.item", "datasets.item", "datasets.item.dataset", "item", "", "dataset")
_ODS_TOTALS = frozenset(("total_count", "nhits"))


def is_ods(content: bytes) -> bool:
    """Tell whether this is a page of an Opendatasoft portal, or an answer of its catalogue."""
    head = read_head(content)
    if head.page_title is not None:
        return bool(_ODS_PAGE.search(head.text))
    names = head.keys()
    if names == {"total_count", "results"} and "results.item" not in head.values:
        return True  # an empty list
    return any(
        {"dataset_id", "datasetid"} & inside and (names & _ODS_TOTALS or "metas" in inside)
        for inside in map(head.keys, _ODS_PLACES)
    )


ODS = SourceType(
    name="ods",
    title="Opendatasoft",
    description="Datasets of an Opendatasoft portal: all, or those with certain publishers, themes "
    "or keywords",
    reader=ods_portal.Ods(),
    parser=ods,
    options=(*ods_portal.OPTIONS, *ods.OPTIONS),
    filters=ods_portal.FILTER_FIELDS,
    volatile=ods.VOLATILE,
    # Names of version 2.1.
    field_names=field_names_in(ods.MAPPING, resources="has_records, attachments and references"),
    recognise=is_ods,
    usual_urls=("",),
    probe="/api/explore/v2.1/catalog/datasets?limit=1",
    group="portals",
    summary=_("An Opendatasoft (Huwise) portal. Enter its home page."),
    url_hint=_HOME_PAGE,
    url_example="https://opendata.example.gov.uk",
    software=("Opendatasoft (Huwise)",),
)

# "dataset" is Project Open Data's key, "datasets" that of data.gov.uk's guide.
_DATA_JSON_SHAPE = Shape(
    keys=("dataset", "datasets"),
    nested=("catalog",),
    embedded=(
        "datasetSeries.seriesMember",
        "datasetSeries.first",
        "datasetSeries.last",
        "service.servesDataset",
    ),
    left_out=(
        ("record", "catalogue records"),
        (DISTRIBUTION, "distributions that no dataset names"),
    ),
    by_rule=("service", "datasetSeries"),
    schemas=("project-open-data.cio.gov/v1.1/schema", "project-open-data", "dcat-us"),
    signs=frozenset(
        ("identifier", "title", "uri", "distribution", "accessLevel", "keyword", "landingPage")
    ),
)

_IDENTITY = frozenset(("identifier", "uri", "distribution"))
# Fields of Project Open Data that data of other kinds have as well.
_USUAL = frozenset(
    ("title", "description", "keyword", "theme", "license", "publisher", "contactPoint", "modified")
    + ("issued", "landingPage", "spatial", "temporal", "accrualPeriodicity")
)


def _is_data_json(content: bytes) -> bool:
    """Tell whether a document begins as data.json: a catalogue, a list of datasets, or one.

    JSON-LD of schema.org has the key ``dataset`` as well. DKAN 2 lists the same datasets, with
    references.
    """
    head = read_head(content)
    if is_model(head.text):
        return True
    if head.is_schema_org or "@graph" in head.values:
        return False
    if any(_is_list_of_datasets(head, prefix) for prefix in head.values):
        return True
    hints = (head.values.get(key) for key in ("conformsTo", "@context", "describedBy"))
    if any(schema in str(hint).lower() for hint in hints for schema in _DATA_JSON_SHAPE.schemas):
        return True
    place = "item" if head.text.startswith("[") else ""
    return _is_dataset(head.keys(place)) and not _is_dkan(content)


def _is_list_of_datasets(head: DocumentHead, prefix: str) -> bool:
    kind, name, is_item = _DATA_JSON_SHAPE.place(prefix)
    if kind == "embedded":
        return head.values[prefix] == "start_map"
    if kind != "key" or is_item or head.values[prefix] != "start_array":
        return False
    if name == "dataset":
        return head.values.get(f"{prefix}.item", "start_map") == "start_map"
    return not _DATA_JSON_SHAPE.signs.isdisjoint(head.keys(f"{prefix}.item"))


def _is_dataset(keys: frozenset[str]) -> bool:
    """Tell whether an object without a catalogue around it has the fields of a dataset.

    Lists of many things have a title and a description. ``accessLevel`` is Project Open Data's own.
    """
    count = len(keys & (_IDENTITY | _USUAL))
    is_enough = count > 0 if "accessLevel" in keys else bool(keys & _IDENTITY) and count > 2
    return is_enough and "@context" not in keys


DATA_JSON = SourceType(
    name="data_json",
    title="data.json",
    description="Datasets listed in a data.json document"
    " (Project Open Data 1.0 and 1.1, DCAT-US 3), also in pages",
    reader=document.JsonDocument(_DATA_JSON_SHAPE, guid=datajson.identifier),
    parser=datajson,
    options=(*document.OPTIONS, *datajson.OPTIONS),
    aliases=("datajson", "dcat_json"),
    field_names=field_names_in(datajson.MAPPING),
    recognise=_is_data_json,
    # The second is that of ArcGIS Hub.
    usual_urls=("/data.json", "/api/feed/dcat-us/1.1.json"),
    group="portals",
    summary=_(
        "One JSON file listing datasets, from Socrata, ArcGIS Hub, DKAN 2 or your own "
        "system. Enter the file's URL."
    ),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://data.example.gov.uk/data.json",
    software=("Socrata", "ArcGIS Hub", "DKAN 2", "data.gov.uk's guide"),
)
