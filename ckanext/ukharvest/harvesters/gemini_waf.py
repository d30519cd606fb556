"""A folder of GEMINI files as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import GEMINI_WAF


class GeminiWafHarvester(UkHarvester):
    """The records in the files that a folder's page links to."""

    source_type = GEMINI_WAF
