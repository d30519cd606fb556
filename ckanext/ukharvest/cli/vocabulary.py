"""``ckan ukharvest vocabulary``: show vocabularies and their entries."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest.cli import output
from ckanext.ukharvest.core.vocabularies import vocabulary as lists
from ckanext.ukharvest.logic.paging import collect_pages

COLUMNS = ("name", "entries", "date", "replaced", "title", "fault")
PAGE = 1000


@click.group()
def vocabulary() -> None:
    """Show the lists of values (functions, file types, licences …)."""


@vocabulary.command("list")
@output.form_option
def list_(form: str) -> None:
    """List the vocabularies: how many entries, of when, and whether the portal has its own."""
    rows = _ask("ukharvest_vocabulary_list")
    faults = lists.faults()
    rows = [{**row, "fault": faults.get(row["name"], "")} for row in rows]
    output.write(rows, COLUMNS, form)


@vocabulary.command()
@click.argument("name")
@click.option("--search", default="", help="Only entries with these words, or this number.")
@output.form_option
def show(name: str, search: str, form: str) -> None:
    """Show the entries of the list NAME."""
    if name not in lists.names():
        raise click.ClickException(
            f"{name}: there is no list of this name, but {', '.join(lists.names())}"
        )

    def ask(offset: int) -> Any:
        of = {"search": search, "limit": PAGE, "offset": offset}
        return _ask("ukharvest_vocabulary_show", name=name, **of)

    rows = collect_pages(ask)
    columns = lists.load(name).columns
    if "parent" in columns:
        columns = (*columns, "parents")
    output.write(rows, columns, form)


def _ask(action: str, **data: Any) -> Any:
    return tk.get_action(action)({"ignore_auth": True}, data)
