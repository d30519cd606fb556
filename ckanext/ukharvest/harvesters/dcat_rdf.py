"""DCAT in RDF as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import DCAT_RDF


class DcatRdfHarvester(UkHarvester):
    """Datasets described with DCAT in one RDF document, or in pages of it."""

    source_type = DCAT_RDF
