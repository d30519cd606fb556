"""The formats that portals meet: CKAN's label, and every other way to say it, with their stars.

They are the list ``file_types``. Labels are those of CKAN 2.12's ``config/resource_formats.json``
where that has the format, else the file extension or the project's own spelling. Names are
compared without case, blanks and punctuation. Against CKAN's list, ``video/mpeg`` is no MP3 here,
and ``application/octet-stream`` no format at all.
"""

from __future__ import annotations

from typing import NamedTuple

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.vocabulary import Vocabulary, parts


class Format(NamedTuple):
    """One format: its label, and extensions, media types and names in lower case.

    ``stars`` are those of openness (https://5stardata.info/en/) that data in this format has under
    an open licence, 0 to 4; None where the format says nothing of it ("API").
    """

    label: str
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    names: tuple[str, ...]
    stars: int | None = None


@vocabulary.derived("file_types")
def formats(read: Vocabulary) -> tuple[Format, ...]:
    """Return the list, in its order."""
    return tuple(
        Format(
            row["label"],
            parts(row["extensions"]),
            parts(row["media_types"]),
            parts(row["names"]),
            int(row["stars"]) if row["stars"] else None,
        )
        for row in read.rows
    )
