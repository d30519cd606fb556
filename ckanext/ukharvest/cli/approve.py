"""``ckan ukharvest approve``: carry out pending deletions."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.output import source_or_fail, write_table

COLUMNS = ("title", "dataset_name", "last_seen", "guid")


@click.command(short_help="Carry out deletions that a run held back.")
@click.argument("source")
@click.option("--yes", is_flag=True, help="Do not ask.")
def approve(source: str, yes: bool) -> None:
    """Show the deletions of SOURCE (name or id) that wait, and carry them out.

    A run that would delete a large part of a source's datasets waits for a person's word. Records
    that came back meanwhile are not listed.
    """
    source_id = str(source_or_fail(source).id)
    context = {"ignore_auth": True, "user": config.harvest_user()}
    listed: dict[str, Any] = tk.get_action("ukharvest_deletion_list")(
        dict(context), {"source_id": source_id}
    )
    if not listed["deletions"]:
        click.echo("No deletion of this source waits for approval.")
        return
    write_table(listed["deletions"], COLUMNS)
    click.echo(f"\n{listed['reason']} (waiting since {listed['since']} UTC)")
    number = len(listed["deletions"])
    if not yes:
        click.confirm(f"Delete {number} dataset{'' if number == 1 else 's'}?", abort=True)
    try:
        done = tk.get_action("ukharvest_deletion_approve")(context, {"source_id": source_id})
    except tk.ValidationError as exc:
        raise click.ClickException(exc.error_dict["source_id"][0]) from exc
    click.echo(f"Deleted: {done['deleted']}. Left alone: {done['left']}.")
