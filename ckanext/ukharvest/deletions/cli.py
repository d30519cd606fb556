"""``ckan ukharvest approve`` and ``identifiers``."""

from __future__ import annotations

from typing import Any

import click
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.lib.output import source_or_fail, write_table

DELETION_COLUMNS = ("title", "dataset_name", "last_seen", "guid")
CHANGE_COLUMNS = ("title", "dataset_name", "guid", "new_guid")
LIST_CHANGED = "The list has changed since it was shown. Run the command again."


def _call(verb: str, source_id: str, **more: str) -> dict[str, Any]:
    """List what waits at a source, or decide about that list; a refusal ends the command."""
    context = {"ignore_auth": True, "user": config.harvest_user()}
    try:
        return dict(
            tk.get_action(f"ukharvest_pending_{verb}")(context, {"source_id": source_id, **more})
        )
    except tk.ValidationError as exc:
        if "version" in exc.error_dict:
            raise click.ClickException(LIST_CHANGED) from exc
        raise click.ClickException(exc.error_dict["source_id"][0]) from exc


@click.command(short_help="Carry out deletions that a run held back.")
@click.argument("source")
@click.option("--yes", is_flag=True, help="Do not ask.")
def approve(source: str, yes: bool) -> None:
    """Show the deletions of SOURCE (name or id) that wait, and carry them out.

    A run that would delete a large part of a source's datasets waits for approval. Records that
    came back meanwhile are not listed.
    """
    source_id = str(source_or_fail(source).id)
    pending = _call("list", source_id, kind=PendingKind.DELETION)
    if not pending["results"]:
        click.echo("No deletion of this source waits for approval.")
        return
    write_table(pending["results"], DELETION_COLUMNS)
    click.echo(f"\n{pending['reason']} (waiting since {pending['since']} UTC)")
    if not yes:
        click.confirm(f"Delete {counted(len(pending['results']), 'dataset')}?", abort=True)
    done = _call("decide", source_id, decision="approve", version=pending["version"])
    left = done["kept"] + done["left"]
    click.echo(f"Deleted: {done['deleted']}. Refused: {done['refused']}. Left alone: {left}.")


@click.command(short_help="Decide whether records with new identifiers are the same datasets.")
@click.argument("source")
@click.option("--same", "decision", flag_value="same", help="The same: keep pages and ids.")
@click.option(
    "--different", "decision", flag_value="different", help="Different: import them as new."
)
def identifiers(source: str, decision: str | None) -> None:
    """Show the datasets of SOURCE (name or id) whose records seem to have new identifiers.

    A run that misses records, and finds new ones with the same titles or files, waits for a
    decision: with --same pages, ids and history of the datasets stay; with --different the next
    run imports the new records as new datasets, and the old ones count as missing.
    """
    source_id = str(source_or_fail(source).id)
    pending = _call("list", source_id, kind=PendingKind.IDENTIFIER)
    if not pending["count"]:
        click.echo("No identifiers of this source wait for a decision.")
        return
    write_table(pending["results"], CHANGE_COLUMNS)
    click.echo(f"\n{pending['count']} datasets wait for a decision since {pending['since']} UTC.")
    if decision is None:
        click.echo("Decide with --same or --different.")
        return
    done = _call("decide", source_id, decision=decision, version=pending["version"])
    if decision == "same":
        click.echo(f"Kept under their new identifiers: {done['datasets']}.")
    else:
        click.echo(f"The next run imports them as new datasets: {done['datasets']}.")


COMMANDS = (approve, identifiers)
