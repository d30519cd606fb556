"""A single GEMINI file as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import GEMINI_SINGLE


class GeminiSingleHarvester(UkHarvester):
    """The records in one XML document."""

    source_type = GEMINI_SINGLE
