"""The source type ``data_json``: data.json documents."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import DocumentHead, read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.record_checks import field_names_in
from ckanext.ukharvest.readers import document
from ckanext.ukharvest.readers.json_document.outline import Shape
from ckanext.ukharvest.source_types import dkan
from ckanext.ukharvest.source_types.source_type import SourceType

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
    left_out=(("record", "catalogue records"),),
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


def _recognise(content: bytes) -> bool:
    """Tell whether a document begins as data.json: a catalogue, a list of datasets, or one.

    JSON-LD of schema.org has the key ``dataset`` as well. DKAN 2 lists the same datasets, with
    references.
    """
    head = read_head(content)
    if head.is_schema_org:
        return False
    if any(_is_list_of_datasets(head, prefix) for prefix in head.values):
        return True
    said = (head.values.get(key) for key in ("conformsTo", "@context", "describedBy"))
    if any(part in str(text).lower() for text in said for part in _DATA_JSON_SHAPE.schemas):
        return True
    place = "item" if head.text.startswith("[") else ""
    return _is_dataset(head.keys(place)) and not dkan.recognise(content)


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
    if "@context" in keys:
        return False
    if "accessLevel" in keys:
        return len(keys & (_IDENTITY | _USUAL)) > 0
    return bool(keys & _IDENTITY) and len(keys & (_IDENTITY | _USUAL)) > 2


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
    recognise=_recognise,
    # The second is that of ArcGIS Hub.
    usual_urls=("/data.json", "/api/feed/dcat-us/1.1.json"),
    group="portals",
    summary=_(
        "One JSON file listing datasets, from Socrata, ArcGIS Hub, DKAN 2 or your own "
        "system. Enter the file's URL."
    ),
    url_hint=_("The URL of the file."),
    url_example="https://data.example.gov.uk/data.json",
)
