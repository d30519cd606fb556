"""``ckan ukharvest stars``: five stars of openness, worked out anew, and their figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import click
from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest import stars as rules
from ckanext.ukharvest.cli import output
from ckanext.ukharvest.logic.paging import all_of
from ckanext.ukharvest.model import assessments, datasets
from ckanext.ukharvest.pages.stars import flat
from ckanext.ukharvest.stars import all_datasets
from ckanext.ukharvest.stars.all_datasets import Change

PAGE = 1000
FIGURES = ("datasets", "0", "1", "2", "3", "4", "5", "average", "not_rated")
REPORT_COLUMNS = ("organization", *FIGURES, "title")
LIST_COLUMNS = ("dataset", "stars", "code", "reason", "title")


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
    the rules, after an upgrade or a new list of file types, a plugin that changes them, and what
    ckanext-qa finds. It says what changed.
    """
    if [bool(dataset), everything, report].count(True) != 1:
        raise click.UsageError("name one dataset, or say --all or --report")
    if organization and not report:
        raise click.UsageError("--organization goes with --report")
    if not assessments.is_made():
        raise click.ClickException(
            "the table of stars is missing; run 'ckan db upgrade -p ukharvest' first"
        )
    if report:
        _report(organization, form)
    elif everything:
        _score_all()
    else:
        _score_one(str(dataset))


def _score_all() -> None:
    total, started = datasets.count(), time.monotonic()
    done = changed = 0
    indexing, faults = 0.0, list[str]()
    for number, changes in all_datasets.score_all():
        before = time.monotonic()
        faults += _index(changes)
        indexing += time.monotonic() - before
        done += number
        changed += len(changes)
        for change in changes:
            click.echo(_in_words(change))
        click.echo(f"{done:,} of {total:,} datasets", err=True)
    took = time.monotonic() - started - indexing
    click.echo(f"Scored {done:,} datasets in {took:.0f} s; {changed:,} changed.")
    if changed:
        click.echo(f"The search index took {indexing:.0f} s.")
    if done < total:
        click.echo(f"{total - done:,} were being written just then, which scores them.")
    _fail(faults)


def _score_one(name_or_id: str) -> None:
    package = model.Package.get(name_or_id)
    if package is None or package.type == "harvest":
        raise click.ClickException(f"{name_or_id}: no dataset has this name or id")
    changes = all_datasets.score_one(package.id)
    faults = _index(changes)
    found = tk.get_action("ukharvest_stars_show")({"ignore_auth": True}, {"id": package.id})
    for change in changes:
        click.echo(_in_words(change))
    click.echo(found["text"])
    for resource in found["resources"]:
        click.echo(f"  {resource['id']}  {resource['text']}")
    _fail(faults)


def _index(changes: Sequence[Change]) -> list[str]:
    """Return why not, if the search index does not take them; the stars are stored all the same."""
    try:
        all_datasets.index(changes)
    except compat.IndexFailed as exc:
        return [str(exc)]
    return []


def _fail(faults: Sequence[str]) -> None:
    if faults:
        raise click.ClickException(
            f"the stars are stored, but the search index did not take them all: {faults[0]}; run "
            "'ckan search-index rebuild' when it is well again"
        )


def _in_words(change: Change) -> str:
    before = "none" if change.before is None else rules.out_of_five(change.before.stars)
    return f"{change.name}: {before} → {rules.in_words(change.after)}"


def _report(organization: str | None, form: str) -> None:
    if organization:
        _listing(organization, form)
        return
    found = tk.get_action("ukharvest_stars_report")({"ignore_auth": True}, {})
    if form == "json":
        output.write_json(found)
        return
    rows = [flat(each) for each in found["organizations"]]
    output.write(rows, REPORT_COLUMNS, form)
    if form == "table":
        _tell_reasons(found["total"])


def _tell_reasons(total: dict[str, Any]) -> None:
    click.echo(f"\n{total['datasets']:,} datasets, on average {total['average'] or 0:.2f} out of 5")
    for reason in total["reasons"]:
        click.echo(f"{reason['datasets']:>7,}  {reason['stars']} out of 5: {reason['text']}")


def _listing(organization: str, form: str) -> None:
    def ask(offset: int) -> dict[str, Any]:
        of = {"organization": organization, "limit": PAGE, "offset": offset}
        found: dict[str, Any] = tk.get_action("ukharvest_stars_list")({"ignore_auth": True}, of)
        return found

    try:
        rows = all_of(ask)
    except tk.ObjectNotFound as exc:
        raise click.ClickException(f"{organization}: {exc.message}") from exc
    if form != "json":
        rows = [{**row, "dataset": row["name"]} for row in rows]
    output.write(rows, LIST_COLUMNS, form)
