"""``ckan ukharvest check``: preview a source or a saved file."""

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
    # Imported here, else every other ``ckan`` command would load the readers and parsers.
    from ckanext.ukharvest.check_command.command import main

    sys.exit(main(["check", *words]))
