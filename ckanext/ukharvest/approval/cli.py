"""``ckan ukharvest source approve`` and ``source refuse``."""

from __future__ import annotations

from typing import Any

import click
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.lib.output import RefusedError, source_or_fail, validation_errors
from ckanext.ukharvest.sources import approvals
from ckanext.ukharvest.sources.cli import source_group


@source_group.command(short_help="Let a source run that waits for approval.")
@click.argument("name", metavar="SOURCE")
@click.option("--yes", is_flag=True, help="Do not ask.")
def approve(name: str, yes: bool) -> None:
    """Accept the URL and type of SOURCE (name or id) that wait for approval."""
    seen = _show(name)
    if not yes:
        click.confirm("Accept it?", abort=True)
    _decide("approve", seen)
    click.echo("Accepted.")


@source_group.command(short_help="Refuse a source that waits for approval.")
@click.argument("name", metavar="SOURCE")
@click.argument("reason")
def refuse(name: str, reason: str) -> None:
    """Refuse the URL and type of SOURCE (name or id) that wait for approval.

    Its people read the REASON.
    """
    _decide("refuse", {**_show(name), "reason": reason})
    click.echo("Refused.")


def _show(name: str) -> dict[str, Any]:
    """Print what of a source waits, and return it as the actions take it."""
    source = source_or_fail(name)
    asked = approvals.describe_approval(source)
    if not asked:
        raise RefusedError("Nothing of this source waits for approval.")
    by = f", asked by {asked['asked_by']}" if asked["asked_by"] else ""
    click.echo(f"{asked['url']} ({asked['source_type']}){by}, since {asked['since']}")
    return {"source_id": source.id, "url": asked["url"], "source_type": asked["source_type"]}


def _decide(verb: str, data: dict[str, Any]) -> None:
    context = {"ignore_auth": True, "user": config.site_user()}
    with validation_errors():
        tk.get_action(f"ukharvest_source_{verb}")(context, data)


COMMANDS = ()  # they are of source_group
