"""The CKAN plugin of each of our source types, made from its declaration.

A class is called as its entry point in setup.cfg: ``ukharvest_data_json``.
"""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import make_plugin
from ckanext.ukharvest.source_types import TYPES

globals().update({kind.plugin: make_plugin(kind, __name__) for kind in TYPES.ours.values()})
