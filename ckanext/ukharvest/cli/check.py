"""``ckan ukharvest check``: what a publisher's feed would bring."""

from __future__ import annotations

import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def check(words: tuple[str, ...]) -> None:
    """Show what a URL or a saved file would bring, without writing anything.

    The same as the command "ukharvest check", which needs no CKAN: see its --help.
    """
    # Imported here: every other ``ckan`` command would pay for the readers and parsers.
    from ckanext.ukharvest.check import main

    sys.exit(main(["check", *words]))
