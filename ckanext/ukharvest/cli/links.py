"""``ckan ukharvest links``: what the links of resources are."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest import config, link_job
from ckanext.ukharvest.cli import output
from ckanext.ukharvest.core.address import shown
from ckanext.ukharvest.links.look import Look
from ckanext.ukharvest.logic.paging import all_of
from ckanext.ukharvest.model import locks

COLUMNS = ("dataset", "resource_format", "format", "version", "checked", "url", "why")
PAGE = 1000


@click.command()
@click.argument("source", required=False)
@click.option("--untold", is_flag=True, help="Only links that could not be told, with the reason.")
@click.option("--look", is_flag=True, help="Look at what is due, here and now.")
@output.form_option
def links(source: str | None, untold: bool, look: bool, form: str) -> None:
    """List what the links of harvested resources are, of one SOURCE (name or id) or of all.

    --look does what the background job does that 'ckan harvester run' asks for, for portals
    without a background worker: cron can call it. It never looks at a link before it is due.
    """
    if look:
        _look(source)
        return
    rows = all_of(lambda offset: _ask(source, untold=untold, offset=offset))
    output.write(rows, COLUMNS, form)


def _ask(source: str | None, *, untold: bool, offset: int) -> dict[str, Any]:
    data = {"untold": untold, "limit": PAGE, "offset": offset}
    if source:
        data["source"] = output.source_or_fail(source).id
    found: dict[str, Any] = tk.get_action("ukharvest_link_list")({"ignore_auth": True}, data)
    return found


def _look(source: str | None) -> None:
    if not config.looks_at_links():
        raise click.ClickException("ckanext.ukharvest.links.look is false in the portal's ini")
    source_id = output.source_or_fail(source).id if source else None
    seen: list[Look] = []

    def tell(look: Look) -> None:
        seen.append(look)
        click.echo(f"{in_words(look)}  {shown(look.url)}")

    with locks.alone(locks.LINKS) as is_alone:
        if not is_alone:
            raise click.ClickException("links are being looked at already; try again later")
        link_job.work(source_id=source_id, tell=tell)
    told = sum(1 for each in seen if each.format)
    click.echo(f"Looked at {len(seen):,} links; {told:,} could be told.")


def in_words(look: Look) -> str:
    """Return what a link is, on one line."""
    if not look.format:
        return f"? ({look.why})" if look.why else "?"
    words = f"{look.format} {look.version}".strip()
    return f"{words}, {len(look.layers)} layers" if look.layers else words
