"""``ckan ukharvest source``: change a harvest source."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import ckan.plugins.toolkit as tk
import click
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.dry_run import print_progress
from ckanext.ukharvest.cli.output import source_or_fail, write_table
from ckanext.ukharvest.engine.dry_run import UNLIMITED
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import source_moves
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import source_moves as words

FINE, FEW, UNUSABLE = 0, 1, 2
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
    try:
        found = source_or_fail(name)
    except click.ClickException as exc:
        _refuse(exc.message)
    dry_run = _dry_run(found, url, type_)
    if dry_run is None:
        _refuse("the dry run was stopped")
    is_few = _write(dry_run, None if all_ else source_moves.LISTED)
    if is_dry:
        click.echo("Dry run: nothing was changed.")
        sys.exit(FEW if is_few else FINE)
    if is_few and not even_if_few_match:
        click.echo(f"Error: {words.few_match()}", err=True)
        click.echo("Nothing was changed. To move it all the same: --even-if-few-match", err=True)
        sys.exit(FEW)
    _move(dry_run, even_if_few_match)


def _refuse(message: str) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    sys.exit(UNUSABLE)


def _messages(error: tk.ValidationError) -> str:
    return "; ".join(str(each) for texts in error.error_dict.values() for each in texts)


def _dry_run(found: HarvestSource, url: str, type_: str) -> SourcePreview | None:
    """Run the dry run of a move in this process, without its limit of time."""
    user = config.harvest_user()
    try:
        place = source_moves.place_of(user, found, {"url": url, "source_type": type_})
        dry_run, is_new = source_moves.add_dry_run(user, found, place)
    except tk.ValidationError as exc:
        _refuse(_messages(exc))
    if not is_new:
        _refuse("a dry run of this move is in progress; wait for it")
    click.echo(f"Reading {place['url']} …", err=True)
    source_preview.run(dry_run.id, UNLIMITED, print_progress())
    return source_previews.get(dry_run.id)


def _write(dry_run: SourcePreview, most: int | None) -> bool:
    """Print what is at the new URL; return whether that is fewer than half of the datasets."""
    result: Mapping[str, Any] = dry_run.result or {}
    if result.get("error"):
        _refuse(result["error"]["message"])
    if message := source_moves.refusal(dry_run):
        _refuse(message)
    found = result["move"]
    for text in words.sentences(found):
        click.echo(text)
    missing = source_moves.list_missing(dry_run, found, most)
    if missing:
        write_table(missing, COLUMNS)
    if len(missing) < len(found["missing"]):
        click.echo(f"… and {len(found['missing']) - len(missing):,} more; --all lists them")
    return source_moves.few_match(found)


def _move(dry_run: SourcePreview, even_if_few_match: bool) -> None:
    asked = {
        "source_id": dry_run.source_id,
        "dry_run_id": dry_run.id,
        "even_if_few_match": even_if_few_match,
    }
    context = {"ignore_auth": True, "user": config.harvest_user()}
    try:
        done = tk.get_action("ukharvest_source_move")(context, asked)
    except tk.ValidationError as exc:
        _refuse(_messages(exc))
    click.echo(words.moved(done))
