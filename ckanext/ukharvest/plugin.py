"""The plugin ``ukharvest``: settings, tables, actions, pages and commands for all source types."""

from __future__ import annotations

from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest import compat, config


@tk.blanket.config_declarations
@tk.blanket.validators
@tk.blanket.actions
@tk.blanket.auth_functions
@tk.blanket.helpers
@tk.blanket.blueprints
@tk.blanket.cli
class UkharvestPlugin(p.SingletonPlugin):
    """What the source types share; each type is a plugin of its own beside this one."""

    p.implements(p.IConfigurer)

    def update_config(self, config_: Any) -> None:
        """Check the plugins' order, mend released faults, add our templates and static files."""
        config.check_plugins()
        config.check_settings()
        compat.apply_patches()
        tk.add_template_directory(config_, "templates")
        tk.add_public_directory(config_, "public")
