"""``ckan ukharvest prune``: delete old rows of ckanext-harvest's tables."""

from __future__ import annotations

import click
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.output import source_or_fail
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.model import prune as pruning


@click.command()
@click.option(
    "--keep-runs",
    type=click.IntRange(min=1),
    help="Runs of each source that stay whole; default: ckanext.ukharvest.prune.keep_runs.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--source", help="Name or id of one harvest source; default: all of our types.")
def prune(keep_runs: int | None, dry_run: bool, source: str | None) -> None:
    """Take away harvest objects, errors and jobs of older runs.

    The current object of each dataset stays, as do all objects and errors of the last runs, runs
    that have not ended, and whatever belongs to source types of other extensions. Runs that stay
    without their objects keep their figures.
    """
    types = config.our_type_names()
    found: HarvestSource | None = source_or_fail(source) if source else None
    if found is not None and found.type not in types:
        raise click.ClickException(
            f"{source}: its type {found.type!r} is not one of ckanext-ukharvest's; use "
            f"'ckan harvester source clear-history {source}'"
        )
    keep = keep_runs or config.prune_keep_runs()
    do = pruning.count_prunable if dry_run else pruning.prune_all
    went = do(types, keep_runs=keep, source_id=found.id if found else None)
    click.echo(
        f"{'Would remove' if dry_run else 'Removed'} {counted(went.objects, 'harvest object')}, "
        f"{counted(went.gather_errors, 'gather error')} and {counted(went.jobs, 'job')}; "
        f"{counted(keep, 'run')} of each source stay."
    )
