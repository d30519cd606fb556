"""The most that is imported of one record; beyond it a value is cut or left out, and reported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """Limits of one record. Three are settings of a portal: ``ckanext.ukharvest.limits.…``.

    They keep a record within what CKAN's pages, forms and search index can handle; real records
    stay far below.

    Attributes:
        resources, tags: number of them.
        values: number of values of any other list, and of extras.
        text: characters of a description or another long text, an extra's value included.
        line: characters of a title, a name or another value of one line.
        url: characters of a URL or an identifier; a longer one is left out, since half of it is
            another.
        points: points of an extent; with more, the box around it is used.
    """

    resources: int = 5_000
    tags: int = 500
    values: int = 1_000
    text: int = 100_000
    line: int = 1_000
    url: int = 8_000
    points: int = 5_000
