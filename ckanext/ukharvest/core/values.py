"""Text as publishers write it, turned into one plain form; dates, tags and names beside it.

Every ``parse_*`` function returns the normalised value or raises ValueError with the end of a
sentence that starts with the field's name ("modified: " + text), ready for a Problem.
"""

from __future__ import annotations

from ckanext.ukharvest.core.dates import parse_date, parse_period
from ckanext.ukharvest.core.frequencies import frequency_label, parse_frequency
from ckanext.ukharvest.core.languages import parse_language
from ckanext.ukharvest.core.tags import clean_tags, slug
from ckanext.ukharvest.core.text import clean_text, is_redacted, shorten
from ckanext.ukharvest.core.web import is_web_url, parse_email, parse_url

__all__ = [
    "clean_tags",
    "clean_text",
    "frequency_label",
    "is_redacted",
    "is_web_url",
    "parse_date",
    "parse_email",
    "parse_frequency",
    "parse_language",
    "parse_period",
    "parse_url",
    "shorten",
    "slug",
]
