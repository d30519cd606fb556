"""OAI-PMH repositories as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import OAIPMH


class OaiPmhHarvester(UkHarvester):
    """The records of an OAI-PMH repository."""

    source_type = OAIPMH
