"""Datasets with extras, and what their pages show."""

from __future__ import annotations

import json

from ckan.tests import factories
from lxml import html

BOX = json.dumps(
    {"type": "Polygon", "coordinates": [[[-3, 51], [-2, 51], [-2, 52], [-3, 52], [-3, 51]]]}
)
LINEAGE = "Surveyed < 1990 & since."


def made(facts: dict[str, str]) -> str:
    """Return a dataset with these extras and its URL."""
    shown = factories.Dataset(extras=[{"key": k, "value": v} for k, v in facts.items()])
    return f"/dataset/{shown['name']}"


def rows(page: str) -> dict[str, str]:
    """Return the rows of a page's tables: label → value."""
    found = html.fromstring(page).xpath("//tr[th[@scope='row']]")
    return {
        each[0].text_content().strip(): " ".join(each[1].text_content().split()) for each in found
    }
