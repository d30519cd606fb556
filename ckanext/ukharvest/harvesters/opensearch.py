"""OpenSearch services as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import OPENSEARCH


class OpenSearchHarvester(UkHarvester):
    """The results of an OpenSearch service."""

    source_type = OPENSEARCH
