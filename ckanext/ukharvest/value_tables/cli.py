"""``ckan ukharvest values``: a table of values as CSV, and rows from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.lib.output import (
    RefusedError,
    form_option,
    source_or_fail,
    validation_errors,
    write,
)
from ckanext.ukharvest.mapping import record_values
from ckanext.ukharvest.value_tables import files

COLUMNS = (*files.COLUMNS, "scope", "count")


@click.command(short_help="List or change what publishers' values become here.")
@click.argument("source", required=False)
@click.option(
    "--read",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Add, replace and (empty “ours”) remove rows: CSV with field, value and ours, or SKOS.",
)
@click.option(
    "--field",
    default=record_values.THEME,
    show_default=True,
    help="The field of the concepts of SKOS, such as licence.",
)
@form_option
def values(source: str | None, path: Path | None, field: str, form: str) -> None:
    """List the table of values of SOURCE (name or id), or of all sources, and what it lacks."""
    scope = {"source": str(source_or_fail(source).id)} if source else {}
    context: dict[str, Any] = {"ignore_auth": True, "user": config.harvest_user()}
    if path:
        try:
            rows = files.read(path.read_bytes(), path.name, field, config.portal_language())
        except (OSError, ValueError) as exc:
            raise RefusedError(f"{path}: {exc}") from exc
        with validation_errors():
            tk.get_action("ukharvest_value_update")(context, {**scope, "values": rows})
        click.echo(f"Read {len(rows):,} rows.", err=True)
        return
    write(tk.get_action("ukharvest_value_list")(context, scope)["results"], COLUMNS, form)


COMMANDS = (values,)
