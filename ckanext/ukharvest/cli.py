"""``ckan ukharvest …``: commands for sysadmins, beside ckanext-harvest's ``ckan harvester``."""

from __future__ import annotations

import sys

import click

__all__ = ["ukharvest"]


@click.group(short_help="Harvest sources: check what a publisher serves, and more.")
def ukharvest() -> None:
    """Commands of ckanext-ukharvest."""


@ukharvest.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def check(words: tuple[str, ...]) -> None:
    """Show what a URL or a saved file would bring, without writing anything.

    The same as the command "ukharvest check", which needs no CKAN: see its --help.
    """
    # Imported here: every other ``ckan`` command would pay for the readers and parsers.
    from ckanext.ukharvest import check as _check

    sys.exit(_check.main(["check", *words]))
