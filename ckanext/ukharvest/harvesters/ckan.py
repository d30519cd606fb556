"""Other CKAN sites as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import CKAN


class CkanHarvester(UkHarvester):
    """Datasets of another CKAN site."""

    source_type = CKAN
