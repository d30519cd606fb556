"""data.json as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import DATA_JSON


class DataJsonHarvester(UkHarvester):
    """Datasets listed in one data.json document."""

    source_type = DATA_JSON
