"""``ckan ukharvest run``, ``check`` and ``prune``."""

from __future__ import annotations

import sys

import click
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import prune as harvest_prune
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
        sys.exit(slot.facts(harvest_source))
    raise RefusedError("this portal has no dry runs")


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def check(words: tuple[str, ...]) -> None:
    """Show what a URL or a saved file would bring, without writing anything.

    The same as the command "ukharvest check", which needs no CKAN: see its --help.
    """
    # Imported here, else every other ``ckan`` command would load the readers and parsers.
    from ckanext.ukharvest.check_command.command import main

    sys.exit(main(["check", *words]))


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
    one: HarvestSource | None = source_or_fail(source) if source else None
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


COMMANDS = (check, prune, run)
