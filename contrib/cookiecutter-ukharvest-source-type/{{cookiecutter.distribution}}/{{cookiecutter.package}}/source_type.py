"""The declaration of the source type."""

from __future__ import annotations

from ckanext.ukharvest.source_type_api import SourceType, field_names_in

from {{ cookiecutter.package }} import parser, reader

KIND = SourceType(
    name="{{ cookiecutter.type_name }}",
    title="{{ cookiecutter.title }}",
    description="{{ cookiecutter.description }}",
    reader=reader.ItemList(),
    parser=parser,
    options=(*reader.OPTIONS, *parser.OPTIONS),
    field_names=field_names_in(parser.MAPPING),
    # The version of the interface that this was made for: a number, not INTERFACE, so that a
    # later version can tell.
    interface=2,
    group="files",
    url_hint="The URL of the list's first page.",
    url_example="https://data.example.org/items.json",
    docs_url="{{ cookiecutter.docs_url }}",
    recognise=reader.is_list,
    usual_urls=("/items.json",),
)
