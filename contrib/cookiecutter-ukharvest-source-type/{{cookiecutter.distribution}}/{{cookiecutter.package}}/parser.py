"""Parses one row of the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.source_type_api import (
    DatasetRecord,
    Fields,
    Option,
    ParseError,
    Problem,
    RawRecord,
    ResourceRecord,
    formats,
    licences,
    load_object,
    tags,
)

# Part of the fingerprint: raise it if records come out differently, and all are imported again.
VERSION = 1
FORM = "json"  # what the reader makes of a row
OPTIONS = (
    Option(
        "default_licence",
        "text",
        "",
        "Name or URL of the licence of rows that name none.",
        label="Licence of rows that name none",
    ),
)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Return a row's dataset.

    Raises:
        ParseError: the row has no title.
    """
    problems: list[Problem] = []
    row = Fields(load_object(raw), problems)
    title = row.text("title")
    if not title:
        message = f"{raw.display_name}: title is empty; expected the dataset's title"
        raise ParseError(message, code="missing-title")
    if not row.has("description"):
        row.report("missing-field", "description", "empty; expected what the data are about")
    licence = licences.find(row.text("licence") or options["default_licence"])
    if licence and not licence.id:
        row.report("unknown-licence", "licence", "not a known licence; expected its name or URL")
    url = row.url("url")
    keywords, faults = tags.clean_tags([row.text("keywords")], "keywords")
    row.add(faults)
    return DatasetRecord(
        raw.guid,
        title,
        notes=row.text("description"),
        licence=licence,
        tags=keywords,
        modified=row.date("modified"),
        resources=(ResourceRecord(url, format=formats.of_url(url)),) if url else (),
        problems=tuple(problems),
    )
