"""The table of formats: CKAN's label, other names, and stars of openness.

It is the list ``file_types``. Labels are those of CKAN 2.12's ``config/resource_formats.json``
where that has the format, else the file extension or the project's own spelling. Names are
compared without case, spaces and punctuation. Unlike in CKAN's list, ``video/mpeg`` is not MP3,
and ``application/octet-stream`` is not a format.
"""

from __future__ import annotations

from typing import NamedTuple

from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary, parts


class Format(NamedTuple):
    """One format: its label, and extensions, media types and names in lower case.

    ``stars`` is the openness (https://5stardata.info/en/) of data in this format under an open
    licence, 0 to 4; None where the format does not decide it ("API").
    """

    label: str
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    names: tuple[str, ...]
    stars: int | None = None


@vocabulary.derived("file_types")
def formats(read: Vocabulary) -> tuple[Format, ...]:
    """Return the formats, in the list's order."""
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
