"""``ckan ukharvest identifiers``: decide about records under new identifiers."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.output import source_or_fail, write_table

COLUMNS = ("title", "dataset_name", "guid", "new_guid")


@click.command(short_help="Decide whether records with new identifiers are the same datasets.")
@click.argument("source")
@click.option("--same", "decision", flag_value="accept", help="The same: keep pages and ids.")
@click.option("--different", "decision", flag_value="refuse", help="Different: import them as new.")
def identifiers(source: str, decision: str | None) -> None:
    """Show the datasets of SOURCE (name or id) whose records seem to have new identifiers.

    A run that misses records, and finds new ones with the same titles or files, waits for a
    decision: with --same pages, ids and history of the datasets stay; with --different the next
    run imports the new records as new datasets, and the old ones count as missing.
    """
    source_id = str(source_or_fail(source).id)
    context = {"ignore_auth": True, "user": config.harvest_user()}
    found: dict[str, Any] = tk.get_action("ukharvest_identifier_change_list")(
        dict(context), {"source_id": source_id}
    )
    if not found["count"]:
        click.echo("No identifiers of this source wait for a decision.")
        return
    write_table(found["changes"], COLUMNS)
    click.echo(f"\n{found['count']} datasets wait for a decision since {found['since']} UTC.")
    if decision is None:
        click.echo("Decide with --same or --different.")
        return
    action = f"ukharvest_identifier_change_{decision}"
    try:
        done = tk.get_action(action)(context, {"source_id": source_id})
    except tk.ValidationError as exc:
        raise click.ClickException(exc.error_dict["source_id"][0]) from exc
    if decision == "accept":
        click.echo(f"Kept under their new identifiers: {done['datasets']}.")
    else:
        click.echo(f"The next run imports them as new datasets: {done['datasets']}.")
