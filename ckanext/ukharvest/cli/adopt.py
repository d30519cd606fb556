"""``ckan ukharvest adopt``: take over datasets that another harvester made."""

from __future__ import annotations

import click
from ckan import model

from ckanext.ukharvest.cli.output import source_or_fail, write_table
from ckanext.ukharvest.model import adoption

COLUMNS = ("guid", "name", "evidence")


@click.command(short_help="Take over datasets that another harvester made.")
@click.argument("source")
@click.option(
    "--by-guid",
    is_flag=True,
    help="Also datasets of the source's own organisation that only share a guid with it.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be taken over.")
def adopt(source: str, by_guid: bool, dry_run: bool) -> None:
    """Take over datasets of SOURCE (name or id) that another harvester made.

    The first run of a source does the same by itself, without --by-guid. The next run then
    updates each dataset once, under its old id, name and resource ids.
    """
    found_source = source_or_fail(source)
    do = adoption.find if dry_run else adoption.adopt
    found = do(found_source, by_guid=by_guid)
    model.Session.commit()
    if found:
        write_table([each._asdict() for each in found], COLUMNS)
    number = f"{len(found)} dataset{'' if len(found) == 1 else 's'}"
    click.echo(f"{number} would be taken over." if dry_run else f"{number} taken over.")
