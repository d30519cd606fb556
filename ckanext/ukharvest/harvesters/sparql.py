"""SPARQL endpoints as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import SPARQL


class SparqlHarvester(UkHarvester):
    """The datasets of a SPARQL endpoint."""

    source_type = SPARQL
