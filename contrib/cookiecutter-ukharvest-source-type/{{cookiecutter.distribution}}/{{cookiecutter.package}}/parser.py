"""Parses one item of the list, by a table of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.source_type_api import (
    DatasetRecord,
    Fields,
    Option,
    Problem,
    RawRecord,
    ResourceRecord,
    formats,
    load_object,
    row,
    table,
    tags,
)

# Part of the fingerprint: raise it if records come out differently, and all are imported again.
VERSION = 1
FORM = "json"  # what the reader makes of an item
OPTIONS = (
    Option(
        "default_licence",
        "text",
        "",
        "Name or URL of the licence of items that name none.",
        label="Licence of items that name none",
    ),
)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Return an item's dataset.

    Raises:
        ParseError: it is no JSON object, or has no title.
    """
    problems: list[Problem] = []
    item = Fields({"licence": options["default_licence"], **load_object(raw)}, problems)
    title = table.require(raw, item.text("title"), "title", "missing-title")
    return table.read_record(raw, title, MAPPING, item, problems, needed=_NEEDED)


# What a portal shows first → the field, and what it should say.
_NEEDED = {"notes": ("description", "what the data are about")}


def _resources(item: Fields, names: table.Names) -> tuple[ResourceRecord, ...]:
    url = item.url(names[0])
    return (ResourceRecord(url, format=formats.of_url(url)),) if url else ()


def _tags(item: Fields, names: table.Names) -> table.Names:
    words, faults = tags.clean_tags(item.texts(names[0]), names[0])
    item.add(faults)
    return words


# Fields of the item, the field of the dataset that they become, and what reads them.
MAPPING = (
    row("description", "notes", table.paragraph),
    row("licence", "licence", table.licence),
    row("keywords", "tags", _tags),
    row("modified", "modified", table.date),
    row("url", "resources", _resources),
)
