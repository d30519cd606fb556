"""The source type ``data_json``: data.json documents."""

from __future__ import annotations

from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers import document
from ckanext.ukharvest.readers.json_document.outline import Shape
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
    left_out=(
        ("datasetSeries", "dataset series"),
        ("service", "data services"),
        ("record", "catalogue records"),
    ),
    schemas=("project-open-data.cio.gov/v1.1/schema", "project-open-data", "dcat-us"),
    signs=frozenset(
        ("identifier", "title", "uri", "distribution", "accessLevel", "keyword", "landingPage")
    ),
)

DATA_JSON = SourceType(
    name="data_json",
    title="data.json",
    description="Datasets listed in a data.json document"
    " (Project Open Data 1.0 and 1.1, DCAT-US 3), also in pages",
    reader=document.JsonDocument(_DATA_JSON_SHAPE, guid=datajson.identifier),
    parser=datajson,
    options=(*document.OPTIONS, *datajson.OPTIONS),
    aliases=("datajson", "dcat_json"),
    field_names=FieldNames(resources="distribution", tags="keyword"),
    usual_urls=("/data.json",),
)
