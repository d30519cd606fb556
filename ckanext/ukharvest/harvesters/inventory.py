"""Inventory XML as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import INVENTORY


class InventoryHarvester(UkHarvester):
    """Datasets of one inventory."""

    source_type = INVENTORY
