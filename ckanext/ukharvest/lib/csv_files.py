"""Rows of CSV files that people send."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence


def read_rows(data: bytes, *heads: Sequence[str], separators: str = ",") -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns; others are ignored.

    Args:
        heads: the names, and others that stand for the same columns where a file has them all.
        separators: of cells; the one that the first line has most often.

    Raises:
        ValueError: with a sentence for people, it cannot be read.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ValueError("the file is not UTF-8") from exc
    separator = max(separators, key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        columns, first = reader.fieldnames or (), heads[0]
        names = next((head for head in heads[1:] if set(head) <= set(columns)), first)
        if missing := [name for name in names if name not in columns]:
            raise ValueError(f"the file has no column {missing[0]}; expected {', '.join(first)}")
        pairs = list(zip(first, names, strict=True))
        return [{column: row[name] or "" for column, name in pairs} for row in reader]
    except csv.Error as exc:
        raise ValueError(f"the file cannot be read as CSV: {exc}") from exc
