"""Template helpers of texts in other languages, and where CKAN's pages look for these texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ckanext.ukharvest.core.translated_keys import OF_DATASET, OF_RESOURCE
from ckanext.ukharvest.helpers.facts import portal
from ckanext.ukharvest.presentation.rendering import translations


def add_translations(package: dict[str, Any]) -> None:
    """Add ``title_translated`` and its kin to a dataset for a page: h.get_translated reads them.

    From our extras; where the portal's schema has them (ckanext-fluent), they are there already.
    """
    for extra in package.get("extras") or ():
        key = extra.get("key")
        if key in OF_DATASET and key not in package:
            package[key] = translations.parse_translations(extra.get("value"))
    for resource in package.get("resources") or ():
        for key in OF_RESOURCE.keys() & resource.keys():
            # CKAN's pages fail if it is a text, such as another harvester's JSON.
            resource[key] = translations.parse_translations(resource[key])


def ukharvest_language_names(codes: Iterable[str]) -> str:
    """Return the names of languages in the reader's language, separated by commas."""
    return ", ".join(translations.language_name(code, portal()) for code in codes)
