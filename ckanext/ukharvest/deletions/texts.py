"""Texts about pending deletions."""

from __future__ import annotations

from ckanext.ukharvest.lib.texts import ungettext


def others_wait(number: int) -> str:
    """Return the text about pending deletions other than those shown."""
    return ungettext(
        "The source has changed since: {n} dataset is missing now. Look again.",
        "The source has changed since: {n} datasets are missing now. Look again.",
        number,
    )
