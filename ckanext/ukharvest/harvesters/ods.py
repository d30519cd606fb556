"""Opendatasoft as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import ODS


class OdsHarvester(UkHarvester):
    """Datasets of an Opendatasoft portal."""

    source_type = ODS
