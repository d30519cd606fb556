"""``ckan ukharvest …``: commands for sysadmins, in addition to ``ckan harvester``."""

from __future__ import annotations

import click

from ckanext.ukharvest.cli.adopt import adopt
from ckanext.ukharvest.cli.approve import approve
from ckanext.ukharvest.cli.check import check
from ckanext.ukharvest.cli.csw import csw
from ckanext.ukharvest.cli.diff import diff
from ckanext.ukharvest.cli.export import export
from ckanext.ukharvest.cli.identifiers import identifiers
from ckanext.ukharvest.cli.links import links
from ckanext.ukharvest.cli.lists import runs, sources, types
from ckanext.ukharvest.cli.prune import prune
from ckanext.ukharvest.cli.run import run
from ckanext.ukharvest.cli.source import source
from ckanext.ukharvest.cli.stars import stars
from ckanext.ukharvest.doctor.cli import doctor

__all__ = ["ukharvest"]


@click.group(short_help="Check feeds, and look after harvesting.")
def ukharvest() -> None:
    """Look after harvesting with ckanext-ukharvest."""


ukharvest.add_command(adopt)
ukharvest.add_command(approve)
ukharvest.add_command(check)
ukharvest.add_command(csw)
ukharvest.add_command(diff)
ukharvest.add_command(export)
ukharvest.add_command(identifiers)
ukharvest.add_command(links)
ukharvest.add_command(prune)
ukharvest.add_command(run)
ukharvest.add_command(source)
ukharvest.add_command(stars)
for command in (doctor, runs, sources, types):
    ukharvest.add_command(command)
