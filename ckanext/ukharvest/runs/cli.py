"""``ckan ukharvest run``: run a source in the foreground."""

from __future__ import annotations

import sys

import click

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.lib.output import RefusedError, source_or_fail
from ckanext.ukharvest.lib.slots import slots_of
from ckanext.ukharvest.sources.foreground import run_in_foreground


@click.command()
@click.argument("source")
@click.option(
    "--mode",
    type=click.Choice([RunMode.NORMAL.value, RunMode.FORCE.value]),
    default=RunMode.NORMAL.value,
    help="force: import every record, changed or not, and list problems.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what a run would do; write nothing.")
@click.option("--guid", default="", help="Import only the record with this identifier.")
def run(source: str, mode: str, guid: str, *, is_dry: bool) -> None:
    """Run a harvest source (name or id) in the foreground.

    Gather, fetch and import happen in this process; consumers are not needed. Exit code: 0 all
    went well, 1 records failed, 2 the source could not be read or may not run now.
    """
    harvest_source = source_or_fail(source)
    if harvest_source.type not in config.our_type_names() and (guid or is_dry):
        raise RefusedError(
            f"{source}: --guid and --dry-run need a source type of ckanext-ukharvest"
        )
    if is_dry and guid:
        raise RefusedError("--guid imports a record, --dry-run none: give one of them")
    if not is_dry:
        sys.exit(run_in_foreground(harvest_source, mode, guid))
    for slot in slots_of("dry_run"):
        sys.exit(slot.facts(harvest_source)[0])
    raise RefusedError("this portal has no dry runs")


COMMANDS = (run,)
