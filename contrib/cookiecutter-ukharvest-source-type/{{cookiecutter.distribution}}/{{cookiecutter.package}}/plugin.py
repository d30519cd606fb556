"""The source type as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import registered


class Harvester(UkHarvester):
    """{{ cookiecutter.description }}."""

    # By name: an error in the type's modules leaves the type out, and does not stop CKAN.
    source_type = registered("{{ cookiecutter.type_name }}")
