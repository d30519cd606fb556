"""``ckan ukharvest doctor``: check the portal for faults; ``prune``: delete what runs left."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import click
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.doctor import fixes
from ckanext.ukharvest.harvest.run import prune as harvest_prune
from ckanext.ukharvest.lib import output
from ckanext.ukharvest.lib.checks import Finding

COLOURS = {"error": "red", "warning": "yellow", "info": "blue", "ok": "green"}
LEVELS = tuple(COLOURS)  # the worst first


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.option("--all", "with_fine", is_flag=True, help="Also print what is in order.")
@click.option("--fix", is_flag=True, help="Fix what can be fixed; says before what it will do.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
def doctor(form: str, with_fine: bool, fix: bool, yes: bool) -> None:
    """Check plugins, tables, Redis, Solr, workers, runs, datasets and index.

    Prints what is wrong, the worst first. Changes nothing without --fix. The exit status is for
    monitoring: 0 if all is fine, 1 with warnings, 2 with errors; with --fix, as it is afterwards.
    """
    if fix and form == "json":
        raise click.UsageError("--fix prints sentences; leave out --format json")
    report = _examine()
    if form == "json":
        output.write_json(report)
    else:
        _write(report["findings"], with_fine=with_fine)
    if fix and _fix(report["findings"], yes):
        report = _examine()
        click.echo("\nAfter that:")
        _write(report["findings"], with_fine=False)
    sys.exit(report["status"])


def _examine() -> dict[str, Any]:
    return dict(tk.get_action("ukharvest_doctor_show")({"ignore_auth": True}, {}))


def _write(findings: Sequence[Mapping[str, str]], *, with_fine: bool) -> None:
    """Print what is wrong, the worst first, and the rest in one line or one by one."""
    ranked = sorted(findings, key=lambda finding: LEVELS.index(finding["level"]))
    shown = [finding for finding in ranked if with_fine or finding["level"] in LEVELS[:2]]
    width = max((len(finding["code"]) for finding in shown), default=0) + 2
    for finding in shown:
        level = click.style(f"{finding['level']:<8}", fg=COLOURS[finding["level"]])
        click.echo(f"{level}{finding['code']:<{width}}{finding['message']}")
        if finding["what_to_do"]:
            click.echo(f"{'':<{8 + width}}→ {finding['what_to_do']}")
    if fine := len(ranked) - len(shown):
        start = "All is well: " if not shown else ""
        click.echo(f"{start}{fine} checks found nothing wrong; --all lists them.")


def _fix(findings: Sequence[Mapping[str, str]], yes: bool) -> bool:
    """Fix findings after asking, and return whether anything was tried."""
    possible = fixes.find_fixes(Finding(**finding) for finding in findings)
    if not possible:
        click.echo("\nThere is nothing that this command can fix.")
        return False
    click.echo("\nThis can be fixed:")
    for fix in possible:
        click.echo(f"  {fix.code:<10}  {fix.text}")
    if not (yes or click.confirm("Do it?")):
        return False
    for fix in possible:
        for text in fixes.apply(fix):
            click.echo(f"{fix.code}: {text}")
    return True


@click.command()
@click.option(
    "--keep-runs",
    type=click.IntRange(min=1),
    help="Runs of each source that stay whole; default: ckanext.ukharvest.prune.keep_runs.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--source", help="Name or id of one harvest source; default: all of our types.")
def prune(keep_runs: int | None, dry_run: bool, source: str | None) -> None:
    """Delete harvest objects, errors and jobs of older runs.

    The current object of each dataset stays, as do all objects and errors of the last runs, runs
    that have not ended, and whatever belongs to source types of other extensions. Runs that stay
    without their objects keep their figures.
    """
    types = config.our_type_names()
    one: HarvestSource | None = output.source_or_fail(source) if source else None
    if one is not None and one.type not in types:
        raise click.ClickException(
            f"{source}: its type {one.type!r} is not one of ckanext-ukharvest's; use "
            f"'ckan harvester source clear-history {source}'"
        )
    keep = keep_runs or config.prune_keep_runs()
    do = harvest_prune.count_prunable if dry_run else harvest_prune.prune_all
    went = do(types, keep_runs=keep, source_id=one.id if one else None)
    click.echo(
        f"{'Would remove' if dry_run else 'Removed'} {counted(went.objects, 'harvest object')}, "
        f"{counted(went.gather_errors, 'gather error')} and {counted(went.jobs, 'job')}; "
        f"{counted(keep, 'run')} of each source stay."
    )


COMMANDS = (doctor, prune)
