"""Commands of plugins, run in this process as ``ckan`` runs them."""

from __future__ import annotations

from typing import Any

import click
from ckan import model
from ckan import plugins as p
from ckan.cli.cli import ckan
from click.testing import CliRunner, Result


def plugin_commands() -> dict[str, click.Command]:
    """Return the commands that plugins add to ``ckan``, by name."""
    commands = (
        each for plugin in p.PluginImplementations(p.IClick) for each in plugin.get_commands()
    )
    return {str(command.name): command for command in commands}


def invoke(app: Any, *words: str, **more: Any) -> Result:
    """Run a command of a plugin in this process, where an app is made already.

    Args:
        app: of the fixture of this name.
        words: ``harvester``, ``sources``.
        more: arguments of ``CliRunner.invoke``.
    """
    with click.Context(ckan) as context:
        context.meta["flask_app"] = app.flask_app
        command = plugin_commands()[words[0]]
        result = CliRunner().invoke(command, words[1:], parent=context, **more)
    model.Session.remove()
    return result
