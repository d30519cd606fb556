"""``ckan ukharvest doctor``: check the portal for faults that affect harvesting."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest.doctor import fixes
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


COMMANDS = (doctor,)
