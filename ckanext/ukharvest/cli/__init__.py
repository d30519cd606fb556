"""``ckan ukharvest …``: commands for sysadmins, in addition to ``ckan harvester``."""

from __future__ import annotations

import click

from ckanext.ukharvest.cli.adopt import adopt
from ckanext.ukharvest.cli.export import csw, export
from ckanext.ukharvest.cli.links import links
from ckanext.ukharvest.cli.lists import diff, runs, sources, types
from ckanext.ukharvest.cli.run import check, run
from ckanext.ukharvest.cli.source import source
from ckanext.ukharvest.cli.upkeep import approve, identifiers, prune
from ckanext.ukharvest.doctor.cli import doctor
from ckanext.ukharvest.stars.cli import stars

__all__ = ["ukharvest"]


@click.group(short_help="Check feeds, and look after harvesting.")
def ukharvest() -> None:
    """Look after harvesting with ckanext-ukharvest."""


for command in (
    *(adopt, approve, check, csw, diff, doctor, export, identifiers, links, prune),
    *(run, runs, source, sources, stars, types),
):
    ukharvest.add_command(command)
