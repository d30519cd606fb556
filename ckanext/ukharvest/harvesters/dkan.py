"""DKAN as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import DKAN


class DkanHarvester(UkHarvester):
    """Datasets of a site that runs DKAN 7 or 2."""

    source_type = DKAN
