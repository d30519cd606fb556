"""The declaration of the source type."""

from __future__ import annotations

from ckanext.ukharvest.source_type_api import FieldNames, SourceType

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
    interface=2,
    group="files",
    url_hint="The URL of the CSV file.",
    url_example="https://data.example.org/datasets.csv",
    docs_url="{{ cookiecutter.docs_url }}",
    recognise=reader.is_list,
    usual_urls=("/datasets.csv",),
)
