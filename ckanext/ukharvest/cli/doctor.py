"""``ckan ukharvest doctor``: check the portal for faults that affect harvesting."""

from __future__ import annotations

import sys

import ckan.plugins.toolkit as tk
import click

from ckanext.ukharvest.cli import output

COLOURS = {"ok": "green", "info": "blue", "warning": "yellow", "error": "red"}


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def doctor(form: str) -> None:
    """Check plugins, tables, Redis, Solr, workers, runs, datasets and index; change nothing.

    The exit status is for monitoring: 0 if all is fine, 1 with warnings, 2 with errors.
    """
    report = tk.get_action("ukharvest_doctor_show")({"ignore_auth": True}, {})
    if form == "json":
        output.write_json(report)
    else:
        width = max(len(finding["code"]) for finding in report["findings"]) + 2
        for finding in report["findings"]:
            level = click.style(f"{finding['level']:<8}", fg=COLOURS[finding["level"]])
            click.echo(f"{level}{finding['code']:<{width}}{finding['message']}")
            if finding["what_to_do"]:
                click.echo(f"{'':<{8 + width}}→ {finding['what_to_do']}")
    sys.exit(report["status"])
