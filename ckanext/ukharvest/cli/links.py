"""``ckan ukharvest links``: list the results of the link check, or check links now."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest import config
from ckanext.ukharvest.cli import output
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.link_result import LinkResult
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.logic.paging import collect_pages
from ckanext.ukharvest.model import locks

COLUMNS = ("dataset", "resource_format", "format", "version", "checked", "url", "why")
PAGE = 1000


@click.command()
@click.argument("source", required=False)
@click.option("--unknown", is_flag=True, help="Only links whose format is not known, and why.")
@click.option("--check", is_flag=True, help="Check the links that are due, here and now.")
@output.form_option
def links(source: str | None, unknown: bool, check: bool, form: str) -> None:
    """List what the links of harvested resources are, of one SOURCE (name or id) or of all.

    --check does what the background job does that 'ckan harvester run' asks for, for portals
    without a background worker: cron can call it. It never checks a link before it is due.
    """
    if check:
        _check(source)
        return
    rows = collect_pages(lambda offset: _ask(source, unknown=unknown, offset=offset))
    output.write(rows, COLUMNS, form)


def _ask(source: str | None, *, unknown: bool, offset: int) -> dict[str, Any]:
    data = {"unknown": unknown, "limit": PAGE, "offset": offset}
    if source:
        data["source"] = output.source_or_fail(source).id
    found: dict[str, Any] = tk.get_action("ukharvest_link_list")({"ignore_auth": True}, data)
    return found


def _check(source: str | None) -> None:
    if not config.checks_links():
        raise click.ClickException("ckanext.ukharvest.links.check is false in the portal's ini")
    source_id = output.source_or_fail(source).id if source else None
    results: list[LinkResult] = []

    def report(result: LinkResult) -> None:
        results.append(result)
        click.echo(f"{format_result(result)}  {safe_url(result.url)}")

    with locks.alone(locks.LINKS) as is_alone:
        if not is_alone:
            raise click.ClickException("links are being checked already; try again later")
        link_check.check_due_links(source_id=source_id, tell=report)
    known = sum(1 for result in results if result.format)
    click.echo(f"Checked {counted(len(results), 'link')}; identified {known:,}.")


def format_result(result: LinkResult) -> str:
    """Format the result of a link check on one line."""
    if not result.format:
        return f"? ({result.why})" if result.why else "?"
    text = f"{result.format} {result.version}".strip()
    return f"{text}, {counted(len(result.layers), 'layer')}" if result.layers else text
