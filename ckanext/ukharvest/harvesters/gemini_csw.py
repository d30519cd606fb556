"""CSW catalogues of GEMINI records as a CKAN plugin."""

from __future__ import annotations

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.types import GEMINI_CSW


class GeminiCswHarvester(UkHarvester):
    """The records of a catalogue that speaks CSW."""

    source_type = GEMINI_CSW
