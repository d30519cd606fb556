"""The declaration of the source type."""

from __future__ import annotations

from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.source_types import SourceType

from {{ cookiecutter.package }} import parser, reader

KIND = SourceType(
    name="{{ cookiecutter.type_name }}",
    title="{{ cookiecutter.title }}",
    description="{{ cookiecutter.description }}",
    reader=reader.CsvList(),
    parser=parser,
    options=(*reader.OPTIONS, *parser.OPTIONS),
    field_names=FieldNames(resources="url", tags="keywords", modified="modified"),
    # The version of the interface that this was made for: a number, not INTERFACE, so that a
    # later version can tell.
    interface=1,
    group="files",
    url_hint="The URL of the CSV file.",
    url_example="https://data.example.org/datasets.csv",
    docs_url="{{ cookiecutter.docs_url }}",
    recognise=reader.is_list,
    usual_urls=("/datasets.csv",),
)
