"""``ckan ukharvest …``: commands for sysadmins, in addition to ``ckan harvester``."""

from __future__ import annotations

import click

from ckanext.ukharvest import features

__all__ = ["ukharvest"]


@click.group(short_help="Check feeds, and look after harvesting.")
def ukharvest() -> None:
    """Look after harvesting with ckanext-ukharvest."""


for command in features.commands():
    ukharvest.add_command(command)
