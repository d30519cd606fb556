"""Checks of the stars of openness: datasets without them, and plugins that change them."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.model import datasets
from ckanext.ukharvest.operations.doctor.finding import INFO, STARS, WARNING, Finding
from ckanext.ukharvest.quality.stars import plugins


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


def ignored_plugins() -> Iterator[Finding]:
    """Find a plugin that failed at stars, or returned none, since all datasets were scored."""
    if fault := plugins.last_fault():
        yield Finding(
            WARNING,
            "stars-plugins",
            f"The plugin '{fault['plugin']}' failed to change stars of openness, on "
            f"{fault['at'][:16]} UTC: {fault['error']}. The stars without it were kept.",
            "Correct the plugin or take it out of ckan.plugins, restart CKAN and the consumers, "
            "then run 'ckan ukharvest stars --all'.",
        )
