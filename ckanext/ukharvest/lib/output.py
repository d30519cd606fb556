"""Output of commands: rows as a table for people, as JSON or as CSV."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TextIO

import click
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.values.text import as_cell, name_unseen

Row = Mapping[str, Any]
# Signs that JSON need not escape and that terminals obey: C1 controls, and those of direction.
_OBEYED = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class RefusedError(click.ClickException):
    """A command cannot do what it was asked to; exit code 2, as for wrong arguments."""

    exit_code = 2


def source_or_fail(name_or_id: str) -> HarvestSource:
    """Return the harvest source of this name or id.

    Raises:
        RefusedError: there is none; the message says how to list the names.
    """
    package = model.Package.get(name_or_id)
    source = HarvestSource.get(package.id if package else name_or_id)
    if source is None:
        raise RefusedError(
            f"{name_or_id}: no harvest source has this name or id; 'ckan ukharvest sources --all' "
            "lists them"
        )
    return source


@contextmanager
def validation_errors() -> Iterator[None]:
    """Turn the errors of an action into one of the command."""
    try:
        yield
    except tk.ValidationError as exc:
        texts = (text for texts in exc.error_dict.values() for text in texts)
        raise RefusedError("; ".join(map(str, texts))) from exc


form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="table for people; json has every field.",
)


def write(rows: Sequence[Row], columns: Sequence[str], form: str) -> None:
    """Print rows in the format of ``form_option``; JSON has all keys, the others these columns."""
    if form == "json":
        write_json(rows)
    elif form == "csv":
        write_csv(rows, columns)
    else:
        write_table(rows, columns)


def write_json(rows: object) -> None:
    """Print the result of an action as JSON."""
    text = json.dumps(rows, indent=2, ensure_ascii=False)
    click.echo(_OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text))


def write_csv(rows: Sequence[Row], columns: Sequence[str], to: TextIO | None = None) -> None:
    """Print rows as CSV, or write them to a file, always with a header line."""
    writer = csv.writer(to or sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([as_cell(_flat(row.get(name))) for name in columns] for row in rows)


def write_table(
    rows: Sequence[Row], columns: Sequence[str], labels: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Print rows in columns as wide as their longest cell.

    Args:
        labels: headings of columns; a column without one is headed by its name.
    """
    lines = [
        [labels.get(name, name) for name in columns],
        *([_flat(row[name]) for name in columns] for row in rows),
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _flat(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    # A line feed in a title or an error would shift the columns, and terminals obey escapes.
    return name_unseen(" ".join(str(value).split()))
