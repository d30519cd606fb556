"""``ckan ukharvest source``: change a harvest source."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ckan.plugins.toolkit as tk
import click
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.dry_run import print_progress
from ckanext.ukharvest.cli.output import RefusedError, source_or_fail, write_table
from ckanext.ukharvest.engine.dry_run import UNLIMITED
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import source_moves
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import source_moves as words

FINE, FEW = 0, 1
COLUMNS = ("title", "name", "guid")


@click.group(short_help="Change a source.")
def source() -> None:
    """Change a harvest source."""


@source.command(short_help="Move a source to another URL; its datasets stay.")
@click.argument("name", metavar="SOURCE")
@click.argument("url", metavar="NEW_URL")
@click.option("--type", "type_", default="", help="Source type there, if it is another one.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only say what is there; change nothing.")
@click.option(
    "--even-if-few-match",
    is_flag=True,
    help="Move it even if fewer than half of its datasets are there.",
)
@click.option("--all", "all_", is_flag=True, help="List every dataset that is not there, not 20.")
def move(
    name: str, url: str, type_: str, is_dry: bool, even_if_few_match: bool, all_: bool
) -> None:
    """Move SOURCE (name or id) to NEW_URL; its datasets and their resources stay.

    Reads the new URL first, and compares the identifiers there with those of the source's
    datasets: as they are, and with the new URL in the place of the old one. Exit code: 0 the
    source was moved, or can be; 1 fewer than half of its datasets are there; 2 it cannot be moved.
    """
    dry_run = _dry_run(source_or_fail(name), url, type_)
    if dry_run is None:
        raise RefusedError("the dry run was stopped")
    is_few = _write(dry_run, None if all_ else source_moves.LISTED)
    if is_dry:
        click.echo("Dry run: nothing was changed.")
        sys.exit(FEW if is_few else FINE)
    if is_few and not even_if_few_match:
        click.echo(f"Error: {words.few_match()}", err=True)
        click.echo("Nothing was changed. To move it all the same: --even-if-few-match", err=True)
        sys.exit(FEW)
    _move(dry_run, even_if_few_match)


@contextmanager
def _validation_errors() -> Iterator[None]:
    """Turn the errors of an action into one of the command."""
    try:
        yield
    except tk.ValidationError as exc:
        texts = (text for texts in exc.error_dict.values() for text in texts)
        raise RefusedError("; ".join(map(str, texts))) from exc


def _dry_run(source: HarvestSource, url: str, type_: str) -> SourcePreview | None:
    """Run the dry run of a move in this process, without its limit of time."""
    user = config.harvest_user()
    with _validation_errors():
        place = source_moves.place_of(user, source, {"url": url, "source_type": type_})
        dry_run, is_new = source_moves.add_dry_run(user, source, place)
    if not is_new:
        raise RefusedError("a dry run of this move is in progress; wait for it")
    click.echo(f"Reading {place['url']} …", err=True)
    source_preview.run(dry_run.id, UNLIMITED, print_progress())
    return source_previews.get(dry_run.id)


def _write(dry_run: SourcePreview, most: int | None) -> bool:
    """Print what is at the new URL; return whether that is fewer than half of the datasets."""
    result: Mapping[str, Any] = dry_run.result or {}
    message = (result.get("error") or {}).get("message") or source_moves.refusal(dry_run)
    if message:
        raise RefusedError(message)
    comparison = result["move"]
    for text in words.sentences(comparison):
        click.echo(text)
    missing = source_moves.list_missing(dry_run, comparison, most)
    if missing:
        write_table(missing, COLUMNS)
    if (more := len(comparison["missing"]) - len(missing)) > 0:
        click.echo(f"… and {more:,} more; --all lists them")
    return source_moves.few_match(comparison)


def _move(dry_run: SourcePreview, even_if_few_match: bool) -> None:
    context = {"ignore_auth": True, "user": config.harvest_user()}
    request = {
        "source_id": dry_run.source_id,
        "dry_run_id": dry_run.id,
        "even_if_few_match": even_if_few_match,
    }
    with _validation_errors():
        click.echo(words.moved(tk.get_action("ukharvest_source_move")(context, request)))
