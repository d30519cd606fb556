"""Datasets from before this extension, which nobody has written since."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.doctor.finding import INFO, Finding
from ckanext.ukharvest.model import datasets


def all_scored() -> Iterator[Finding]:
    """Datasets without stars of openness."""
    if number := datasets.count(without_stars=True):
        yield Finding(
            INFO,
            "stars",
            f"{number:,} datasets have no stars of openness yet.",
            "'ckan ukharvest stars --all' gives them theirs.",
        )
