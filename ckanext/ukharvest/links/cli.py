"""``ckan ukharvest links``: list the results of link checks, check links now, show the backlog."""

from __future__ import annotations

from typing import Any

import click
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.link_states import STATE_NAMES, LinkResult
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import background, database, lists
from ckanext.ukharvest.harvest.background import Shift
from ckanext.ukharvest.lib import output
from ckanext.ukharvest.lib.actions import collect_pages
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.links.texts import state_label

COLUMNS = (
    *("dataset", "state", "dead_since", "resource_format", "format", "version", "tried", "url"),
    "why",
)
PAGE = 1000


@click.command()
@click.argument("source", required=False)
@click.option("--unknown", is_flag=True, help="Only links whose format is not known, and why.")
@click.option("--state", type=click.Choice(STATE_NAMES), help="Only links in this state.")
@click.option("--check", is_flag=True, help="Check the links that are due, here and now.")
@click.option("--backlog", is_flag=True, help="Show backlog and budget; no links.")
@output.form_option
def links(
    source: str | None, unknown: bool, state: str | None, check: bool, backlog: bool, form: str
) -> None:
    """List what link checks say about resources, of one SOURCE (name or id) or of all datasets.

    --check does what the background job does that 'ckan harvester run' asks for, for portals
    without a background worker: cron can call it. Files that have a schema are checked against it.
    It never checks a link before it is due, and stops when the day's budget is spent. At the end it
    says what waits, as --backlog does.
    """
    if check:
        _check(source)
    if check or backlog:
        _write_figures(form)
        return
    rows = collect_pages(lambda offset: _ask(source, unknown=unknown, state=state, offset=offset))
    if form == "table":
        rows = [{**row, "state": state_label(row["state"])} for row in rows]
    output.write(rows, COLUMNS, form)


def _ask(source: str | None, *, unknown: bool, state: str | None, offset: int) -> dict[str, Any]:
    data = {"unknown": unknown, "state": state or "", "limit": PAGE, "offset": offset}
    if source:
        data["source"] = output.source_or_fail(source).id
    return dict(tk.get_action("ukharvest_link_list")({"ignore_auth": True}, data))


def _check(source: str | None) -> None:
    if not config.checks_links():
        raise click.ClickException("ckanext.ukharvest.links.check is false in the portal's ini")
    source_id = output.source_or_fail(source).id if source else None
    results: list[LinkResult] = []

    def report(url: str, answer: LinkResult | str) -> None:
        if isinstance(answer, LinkResult):
            results.append(answer)
            answer = format_result(answer)
        click.echo(f"{answer}  {safe_url(url)}")

    with database.hold_alone(database.LINKS) as is_alone:
        if not is_alone:
            raise click.ClickException("links are being checked already; try again later")
        background.do_due_work(Shift(source_id=source_id, tell=report))
    known = sum(1 for result in results if result.format)
    click.echo(f"Checked {counted(len(results), 'link')}; identified {known:,}.")


def _write_figures(form: str) -> None:
    figures = link_jobs.load_figures()
    others = [own for own in lists.DASHBOARD if own not in link_jobs.DASHBOARD]
    if form == "json":
        output.write_json({**figures, **{own.name: own.load() for own in others}})
        return
    for state, number in figures["states"].items():
        click.echo(f"{number:>9,}  {state_label(state)}")
    budgets = (
        (f"{figures['requests']:,}", figures["requests_per_day"], "requests"),
        (f"{figures['megabytes']:,g}", figures["megabytes_per_day"], "MB"),
    )
    spent = ", ".join(
        f"{amount} of {limit:,} {noun}" if limit else f"{amount} {noun} (no limit)"
        for amount, limit, noun in budgets
    )
    click.echo(f"Today: {spent}, for {counted(figures['links'], 'link')}.")
    click.echo(link_jobs.format_backlog(figures))
    for own in others:
        if text := own.describe(own.load()):
            click.echo(text)


def format_result(result: LinkResult) -> str:
    """Format the result of a link check on one line."""
    if not result.format:
        return f"? ({result.why})" if result.why else "?"
    text = f"{result.format} {result.version}".strip()
    return f"{text}, {counted(len(result.layers), 'layer')}" if result.layers else text


COMMANDS = (links,)
