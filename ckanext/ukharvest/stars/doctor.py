"""What the doctor checks of stars of openness, and what it fixes."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.lib.checks import INFO, WARNING, Finding, Fix, check
from ckanext.ukharvest.stars import jobs, plugins
from ckanext.ukharvest.stars.model import count_unrated

STARS = "stars"  # code of the fix


@check("stars", "Every dataset has its stars of openness.")
def unscored_datasets() -> Iterator[Finding]:
    """Find datasets without stars of openness."""
    if number := count_unrated():
        yield Finding(
            INFO,
            "stars",
            f"Datasets without stars of openness: {number:,}.",
            "Run 'ckan ukharvest stars --all'.",
            STARS,
        )


@check("stars-plugins", "No plugin failed to change stars.")
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


def _score() -> Iterator[str]:
    number = 0
    for done, _changes in jobs.score_all():
        number += done
    yield f"gave {counted(number, 'dataset')} their stars of openness"


DOCTOR = (
    unscored_datasets,
    ignored_plugins,
    Fix(STARS, "Score the stars of openness of all datasets.", _score),
)
