"""Checks of a parsed record for faults that look the same in every format.

They only add problems: a record is imported with or without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord, Problem
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.geometries import Box, bounds, is_within


@dataclass(frozen=True, slots=True)
class FieldNames:
    """A format's own names of the fields that are checked, for messages."""

    resources: str = "resources"
    tags: str = "tags"
    spatial: str = "spatial"
    issued: str = "issued"
    modified: str = "modified"
    created: str = "created"
    metadata_modified: str = "metadata_modified"


def field_names_in(mapping: Iterable[Any], **own: str) -> FieldNames:
    """Return the names in a parser's table: the first one of the first row for each field.

    Args:
        own: names of fields that the table has no good name for.
    """
    names: dict[str, str] = {}
    for row in mapping:
        for word in re.findall(r"\w+", row.target):
            names.setdefault(word, row.source[0])
    checked = [field.name for field in fields(FieldNames)]
    return FieldNames(**{name: names[name] for name in checked if name in names} | own)


def check(record: DatasetRecord, names: FieldNames, today: date) -> tuple[Problem, ...]:
    """Return the problems of a record that its parser did not report."""
    return (
        *_without_resources(record, names.resources),
        *_swapped(record, names.spatial),
        *_future(record, names, today),
    )


_MISSING_LINK = {"missing-url", "gemini-o19-needed"}
_REFUSED = {"bad-url", "wrong-type"}
_LINK_FIELD = re.compile(
    r"distribution|resources|linkage|(?:download|access|endpoint)url|page$|references"
    r"|dictionary|describedby|webservice|dump$|sparqlendpoint",
    re.IGNORECASE,
)
# Access levels of Project Open Data, and access rights of the EU's list.
_NOT_PUBLIC = re.compile(
    r"(?:.*/)?(?:non[-_ ]?public|private|restricted(?: public)?|confidential)", re.IGNORECASE
)


def _without_resources(record: DatasetRecord, field: str) -> Iterator[Problem]:
    # A link that was reported is the reason why there are no resources.
    if record.resources or _is_meant_without(record) or any(map(_is_of_link, record.problems)):
        return
    message = (
        f"{field}: the dataset has no files and no links;"
        " expected the URL of a file, a service or a page"
    )
    yield Problem("no-resources", field, message)


def _is_of_link(problem: Problem) -> bool:
    is_refused = problem.code in _REFUSED and _LINK_FIELD.search(problem.field)
    return problem.code in _MISSING_LINK or bool(is_refused)


def _is_meant_without(record: DatasetRecord) -> bool:
    """Tell whether a dataset is not published, not public, or a collection of others."""
    extras = record.extras
    if extras.get("unpublished") == "true" or extras.get("has_part"):
        return True
    levels = (extras.get("access_level", ""), extras.get("access_rights", ""))
    return any(map(_NOT_PUBLIC.fullmatch, levels))


# The United Kingdom and its coasts, with room for the rough boxes that publishers draw around it.
_AROUND_UK: Box = (-11.0, 48.5, 3.0, 61.5)
_AROUND_UK_SWAPPED: Box = (48.5, -11.0, 61.5, 3.0)
# Data about the sea off Somalia, where swapped coordinates of the United Kingdom lie.
_ABOUT_INDIAN_OCEAN = re.compile(
    r"indian ocean|seychell|somali|amirant|mascaren|madagas|arabian sea|kenya|africa|carlsberg",
    re.IGNORECASE,
)


def _swapped(record: DatasetRecord, field: str) -> Iterator[Problem]:
    if not record.spatial:
        return
    west, south, east, north = bounds(dict(record.spatial))
    if not is_within((west, south, east, north), _AROUND_UK_SWAPPED):
        return
    texts = (record.title, record.notes, record.spatial_text, *record.tags)
    if any(map(_ABOUT_INDIAN_OCEAN.search, texts)):
        return
    message = (
        f"{field}: the area with west {west:g}, south {south:g}, east {east:g} and north {north:g}"
        " lies in the Indian Ocean; with latitude and longitude swapped it lies in or near the"
        " United Kingdom; expected longitudes as west and east, latitudes as south and north"
    )
    yield Problem("swapped-coordinates", field, message)


_DAYS_AHEAD = 366  # a publication that is announced


def _future(record: DatasetRecord, names: FieldNames, today: date) -> Iterator[Problem]:
    latest = (today + timedelta(days=_DAYS_AHEAD)).isoformat()
    reported = {each.code for each in record.problems}
    seen: set[tuple[str, str]] = set()
    for field, value, expected in _dates(record, names):
        # Text of any precision compares as the first day that it can mean.
        is_reported = field == "gmd:dateStamp" and "gemini-o30-future" in reported
        if value <= latest or (field, value) in seen or is_reported:
            continue
        seen.add((field, value))
        message = f"{field}: {value} is more than a year ahead; expected the day {expected}"
        yield Problem("future-date", field, message)


def _dates(record: DatasetRecord, names: FieldNames) -> Iterator[tuple[str, str, str]]:
    """Yield field, date and meaning of each date that is in the past by its nature."""
    yield names.issued, record.issued, "of publication"
    yield names.modified, record.modified, "of the last change"
    for text in _creation_dates(record):
        yield names.created, text, "of creation"
    yield names.metadata_modified, record.metadata_modified, "of the record's last change"


def _creation_dates(record: DatasetRecord) -> Iterator[str]:
    """Yield creation dates; GEMINI's are in a list together with others."""
    texts = [record.extras.get("created", "")]
    try:
        given = json.loads(record.extras.get("dataset-reference-date") or "[]")
        texts += [each["value"] for each in given if each["type"] == "creation"]
    except (ValueError, TypeError, KeyError):
        pass  # another portal's text of the same name
    for text in texts:
        try:
            yield parse_date(text)
        except (ValueError, AttributeError):
            continue
