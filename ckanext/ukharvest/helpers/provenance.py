"""Template helpers: where a dataset comes from and how it stands with its harvest."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.helpers.facts import once, ukharvest_is_harvested
from ckanext.ukharvest.logic import provenance
from ckanext.ukharvest.logic.may import may
from ckanext.ukharvest.logic.records import problems_of
from ckanext.ukharvest.pages.common import context
from ckanext.ukharvest.source_record.form import size_in_words
from ckanext.ukharvest.words import differences


def ukharvest_provenance(package: dict[str, Any]) -> dict[str, Any]:
    """Return what ``ukharvest_dataset_show`` does, asked once a page; {} for other datasets.

    Args:
        package: as package_show gives it to who looks at the page.
    """
    if not ukharvest_is_harvested(package):
        return {}
    return once("provenance", package, lambda: provenance.shown(context(), package))


def ukharvest_may_edit(package: dict[str, Any]) -> bool:
    """Tell whether who looks at the page may edit the dataset; nothing is asked for strangers."""
    return not tk.current_user.is_anonymous and provenance.may_edit(context(), package)


def ukharvest_may_manage(source: dict[str, Any] | None) -> bool:
    """Tell whether who looks at the page may see the records and runs of a source."""
    if not source or tk.current_user.is_anonymous:
        return False
    return may(context(), "harvest_source_update", id=source["id"])


def ukharvest_record_problems(record_id: int | None) -> list[dict[str, Any]]:
    """Return the problems of a record, as ``ukharvest_record_show`` does."""
    return problems_of(record_id) if record_id else []


def ukharvest_difference(old: str, new: str) -> list[tuple[str, str]]:
    """Return two texts as one: parts that are "same", "old" (gone) or "new"."""
    return differences.between(old, new)


def ukharvest_web_url(url: str | None) -> str:
    """Return an address of the data if a page may link to it, else ""."""
    return url if url and is_web_url(url) else ""


def ukharvest_size(size: int) -> str:
    """Return a number of bytes in words, such as "12 kB"."""
    return size_in_words(size)
