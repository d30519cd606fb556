"""``ckan ukharvest vocabulary``: the lists of values, and newer ones in their place."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest import config
from ckanext.ukharvest.cli import output
from ckanext.ukharvest.core import vocabulary as lists
from ckanext.ukharvest.core import vocabulary_update as updates
from ckanext.ukharvest.core.address import shown
from ckanext.ukharvest.core.errors import FetchError
from ckanext.ukharvest.core.vocabulary import Vocabulary, VocabularyError
from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.logic.paging import all_of

COLUMNS = ("name", "entries", "date", "replaced", "title", "fault")
PAGE = 1000


@click.group()
def vocabulary() -> None:
    """Show the lists of values (functions, file types, licences …), and replace them."""


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
    _known(name)

    def ask(offset: int) -> Any:
        of = {"search": search, "limit": PAGE, "offset": offset}
        return _ask("ukharvest_vocabulary_show", name=name, **of)

    rows = all_of(ask)
    columns = lists.load(name).columns
    if "parent" in columns:
        columns = (*columns, "parents")
    output.write(rows, columns, form)


@vocabulary.command()
@click.argument("name")
@click.argument("file_or_url", required=False)
@click.option("--bundled", is_flag=True, help="Back to the list that came with this extension.")
@click.option("--force", is_flag=True, help="Also if more than half of the entries get lost.")
def update(name: str, file_or_url: str | None, bundled: bool, force: bool) -> None:
    """Put a newer list in place of NAME, from FILE_OR_URL or from where its publisher has it.

    The file has the columns that 'show NAME --format csv' prints; functions and services also as
    the esd-toolkit hands them out. It is checked first, and all processes use it within seconds.
    """
    old = _known(name)
    folder = lists.folder()
    if folder is None:
        raise click.ClickException(
            f"the portal has no folder for lists of its own: set {config.PREFIX}vocabularies to "
            "one that web servers and consumers can read, and restart them"
        )
    if bundled and file_or_url:
        raise click.UsageError("name a newer list, or say --bundled, not both")
    if bundled:
        _forget(name, folder)
        return
    source = file_or_url or old.about.get("download", "")
    if not source:
        raise click.ClickException(f"{name}: name a file or an address that has the newer list")
    # Everybody may read where a list is from: no password, and no folder of this machine.
    told = shown(source) if is_web_url(source) else Path(source).name
    try:
        new = updates.newer(name, updates.decoded(_content(source)), source=told, date=_today())
    except VocabularyError as exc:
        raise click.ClickException(f"{shown(source)}: {exc}; nothing was changed") from exc
    _replace(old, new, folder, force=force)


def _replace(old: Vocabulary, new: Vocabulary, folder: Path, *, force: bool) -> None:
    lost, added = updates.loss(old, new), updates.loss(new, old)
    told = f"{len(new.rows):,} entries; {added:,} are new, {lost:,} of before are gone"
    if lost * 2 > len(old.rows) and not force:
        raise click.ClickException(
            f"{told}. That is more than half, so nothing was changed; --force takes the list"
        )
    try:
        path = updates.save(new, folder)
    except OSError as exc:
        raise click.ClickException(f"{folder} cannot be written: {exc.strerror}") from exc
    click.echo(f"{path}: {told}.")


def _forget(name: str, folder: Path) -> None:
    try:
        (folder / f"{name}.csv").unlink()
    except FileNotFoundError:
        click.echo(f"{name} is the list that came with this extension already.")
    except OSError as exc:
        raise click.ClickException(f"{folder} cannot be written: {exc.strerror}") from exc
    else:
        click.echo(f"{name} is the list that came with this extension again.")


def _content(source: str) -> bytes:
    """Read an address through the door, or a file."""
    if not is_web_url(source):
        try:
            return Path(source).read_bytes()
        except OSError as exc:
            raise click.ClickException(f"{source} cannot be read: {exc.strerror}") from exc
    try:
        with config.http_client() as client, client.get(source, accept="text/csv, */*") as reply:
            return reply.content
    except FetchError as exc:
        raise click.ClickException(f"{exc}; nothing was changed") from exc


def _known(name: str) -> Vocabulary:
    try:
        return lists.load(name)
    except KeyError:
        raise click.ClickException(
            f"{name}: there is no list of this name, but {', '.join(lists.names())}"
        ) from None


def _ask(action: str, **data: Any) -> Any:
    return tk.get_action(action)({"ignore_auth": True}, data)


def _today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
