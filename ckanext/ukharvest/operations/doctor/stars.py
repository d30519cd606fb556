"""Check for datasets not saved since this extension was installed."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.model import datasets
from ckanext.ukharvest.operations.doctor.finding import INFO, STARS, Finding


def unscored_datasets() -> Iterator[Finding]:
    """Find datasets without stars of openness."""
    if number := datasets.count(without_stars=True):
        yield Finding(
            INFO,
            "stars",
            f"Datasets without stars of openness: {number:,}.",
            "Run 'ckan ukharvest stars --all'.",
            STARS,
        )
