"""CSW catalogues of GEMINI records as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import GEMINI_CSW


class GeminiCswHarvester(UkHarvester):
    """The records of a CSW catalogue."""

    source_type = GEMINI_CSW
