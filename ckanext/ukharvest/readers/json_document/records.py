"""Make raw records of the objects in a list of JSON.

A module of its own, since the pages of source types list the codes of all modules that a reader
imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.readers.seen_records import missing_identifier


def titled(position: str, title: Any) -> str:
    """Return a record's place with its title, if it has one: "dataset 3 'Weirs'"."""
    title = shorten(clean_text(title), 60)
    return f"{position} '{title}'" if title else position


def not_an_object(item: Any, position: str, url: str) -> RawRecord:
    """Return the record of an item of a list that is no object, with the error."""
    message = Message(
        "{position} is {item}; expected an object in {{ }}",
        position=position,
        item=shorten(repr(item), 40),
    )
    return RawRecord("", url=url, position=position, error=ParseError(message))


def json_record(
    item: Mapping[str, Any],
    position: str,
    url: str,
    guid: str,
    *,
    title: Any = None,
    modified: Any = None,
    field: str = "id",
    expected: str = "an identifier that never changes",
) -> RawRecord:
    """Return an object of a list as a record.

    Args:
        item: the object as it is stored.
        position: its place in the source, as a text for people.
        url: where it was read, or its page.
        guid: its identity; the record without one has the error.
        title, modified: its title and stamp, as they are.
        field: the field that holds the identity.
        expected: what belongs there.
    """
    return RawRecord(
        guid=guid,
        content=ordered_json(item),
        url=url,
        modified=clean_text(modified),
        position=position,
        error=None if guid else missing_identifier(titled(position, title), field, expected),
    )
