"""``ckan ukharvest diff``: show the difference of two versions of a record."""

from __future__ import annotations

import click

from ckanext.ukharvest.cli.output import NotFoundError, source_or_fail
from ckanext.ukharvest.model import versions

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command(short_help="Show what changed in a record.")
@click.argument("source")
@click.argument("guid")
@click.option("--from", "from_", type=int, help="Number of the older version.")
@click.option("--to", type=int, help="Number of the newer version.")
def diff(source: str, guid: str, from_: int | None, to: int | None) -> None:
    """Show what changed in the record GUID of SOURCE (name or id).

    Without options between its last two versions. Version 1 is the oldest one that is kept.
    """
    kept = versions.versions_of(source_or_fail(source).id, guid)
    if not kept:
        raise NotFoundError(f"{guid}: the source has no record of this identifier")
    new = _pick(kept, to if to is not None else len(kept))
    old = _pick(kept, from_ if from_ is not None else max(new.number - 1, 1))
    if old is new:
        click.echo(f"Version {new.number} of {len(kept)} ({new.created:%Y-%m-%d %H:%M} UTC) alone.")
        return
    lines = versions.diff(old, new)
    if not lines:
        click.echo("Only order or layout changed.")
    for line in lines:
        # click removes colours if the output is no terminal.
        click.secho(line, fg=COLOURS.get(line[:1]))


def _pick(kept: list[versions.Version], number: int) -> versions.Version:
    if not 1 <= number <= len(kept):
        raise NotFoundError(
            f"there is no version {number}; expected a number from 1 to {len(kept)}"
        )
    return kept[number - 1]
