"""The source type as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.source_type_api import plugin_class

Harvester = plugin_class("{{ cookiecutter.type_name }}")
