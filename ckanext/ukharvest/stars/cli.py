"""``ckan ukharvest stars``: rate datasets again by five stars of openness, or count stars."""

from __future__ import annotations

import time
from typing import Any

import ckan.plugins.toolkit as tk
import click
from ckan import model

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.lib import output
from ckanext.ukharvest.lib.actions import collect_pages
from ckanext.ukharvest.stars import jobs as stars_jobs
from ckanext.ukharvest.stars import texts
from ckanext.ukharvest.stars.jobs import StarsChange
from ckanext.ukharvest.stars.pages import flatten_figures

PAGE = 1000
FIGURES = ("datasets", "0", "1", "2", "3", "4", "5", "average", "not_rated")
REPORT_COLUMNS = ("organization", *FIGURES, "title")
LIST_COLUMNS = ("dataset", "stars", "code", "reason", "dead_since", "title")


@click.command()
@click.argument("dataset", required=False)
@click.option("--all", "everything", is_flag=True, help="Score all datasets of the portal.")
@click.option("--report", is_flag=True, help="Count public datasets by stars and organisation.")
@click.option("--organization", help="With --report: list this organisation's datasets.")
@output.form_option
def stars(
    dataset: str | None, everything: bool, report: bool, organization: str | None, form: str
) -> None:
    """Work out the stars of openness of a DATASET (name or id) or of --all; or show figures.

    Stars are worked out at each import and edit anyway. --all is for what changes without either:
    the rules, after an upgrade or a new list of file types, or a plugin that changes them. It says
    what changed.
    """
    if [bool(dataset), everything, report].count(True) != 1:
        raise click.UsageError("name one dataset, or say --all or --report")
    if organization and not report:
        raise click.UsageError("--organization goes with --report")
    if report:
        _report(organization, form)
    elif everything:
        _score_all()
    else:
        _score_one(str(dataset))


def _score_all() -> None:
    total, started = dataset_rows.count_active_datasets(), time.monotonic()
    done = changed = 0
    for number, changes in stars_jobs.score_all():
        done += number
        changed += len(changes)
        for change in changes:
            click.echo(_format_change(change))
        click.echo(f"{done:,} of {counted(total, 'dataset')}", err=True)
    took = time.monotonic() - started
    click.echo(f"Scored {counted(done, 'dataset')} in {took:.0f} s; {changed:,} changed.")
    if done < total:
        click.echo(
            f"Skipped {counted(total - done, 'dataset')} being written at that moment: writing "
            "scores them too."
        )


def _score_one(name_or_id: str) -> None:
    package = model.Package.get(name_or_id)
    if package is None or package.type == "harvest":
        raise output.RefusedError(f"{name_or_id}: no dataset has this name or id")
    changes = stars_jobs.score_one(package.id)
    rating = tk.get_action("ukharvest_stars_show")({"ignore_auth": True}, {"id": package.id})
    for change in changes:
        click.echo(_format_change(change))
    click.echo(rating["text"])
    for resource in rating["resources"]:
        click.echo(f"  {resource['id']}  {resource['text']}")


def _format_change(change: StarsChange) -> str:
    before = "none" if change.before is None else texts.out_of_five(change.before.stars)
    return f"{change.name}: {before} → {texts.describe_stars(change.after)}"


def _report(organization: str | None, form: str) -> None:
    if organization:
        _listing(organization, form)
        return
    figures = tk.get_action("ukharvest_stars_list")(
        {"ignore_auth": True}, {"group_by": "organization"}
    )
    if form == "json":
        output.write_json(figures)
        return
    rows = [flatten_figures(organisation) for organisation in figures["organizations"]]
    output.write(rows, REPORT_COLUMNS, form)
    if form == "table":
        total = figures["total"]
        number = counted(total["datasets"], "dataset")
        click.echo(f"\n{number}, on average {total['average'] or 0:.2f} out of 5")
        for reason in total["reasons"]:
            click.echo(f"{reason['datasets']:>7,}  {reason['stars']} out of 5: {reason['text']}")


def _listing(organization: str, form: str) -> None:
    def ask(offset: int) -> dict[str, Any]:
        of = {"organization": organization, "limit": PAGE, "offset": offset}
        return dict(tk.get_action("ukharvest_stars_list")({"ignore_auth": True}, of))

    try:
        rows = collect_pages(ask)
    except tk.ObjectNotFound as exc:
        raise output.RefusedError(f"{organization}: {exc.message}") from exc
    if form != "json":
        rows = [{**row, "dataset": row["name"]} for row in rows]
    output.write(rows, LIST_COLUMNS, form)


COMMANDS = (stars,)
