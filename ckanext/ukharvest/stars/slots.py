"""What stars add to the pages of datasets, to lists of datasets and to the help page."""

from __future__ import annotations

from ckanext.ukharvest.core.values.stars import HIGHEST
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.stars import texts


def help_section() -> list[str]:
    """Return the meanings of 0 to 5 stars."""
    return [texts.caption(stars) for stars in range(HIGHEST + 1)]


SLOTS = (Slot("help", "ukharvest/snippets/star_help.html", help_section),)
