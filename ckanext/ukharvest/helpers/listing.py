"""Template helpers of lists of datasets: stars, and where each comes from.

One statement a page: the search tells which datasets it found, and the first that is shown asks for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import g, has_request_context

from ckanext.ukharvest import stars
from ckanext.ukharvest.core.stars import Stars
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.helpers.dataset_head import LONGEST
from ckanext.ukharvest.model import listed
from ckanext.ukharvest.model.listed import Listed

_FOUND, _KNOWN = "ukharvest_found", "ukharvest_listed"


def remember(results: Iterable[Any]) -> None:
    """Note the datasets that a search found, for the page that may show them."""
    if has_request_context():
        found = g.setdefault(_FOUND, {})
        found.update(
            (each["id"], None) for each in results if isinstance(each, Mapping) and "id" in each
        )


def ukharvest_listed(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list says of a dataset beyond CKAN's own.

    Returns:
        ``stars`` (number, None if not counted), ``text`` (in words), ``source`` ({"name",
        "title"}, None if it was not harvested) and ``harvested`` (UTC).
    """
    found = _of(str(package.get("id") or ""))
    if found is None:
        return {"stars": None, "text": "", "source": None, "harvested": None}
    is_rated = found.stars is not None
    best = Stars(found.stars or 0, found.code or "", found.detail or "")
    return {
        "stars": found.stars,
        "text": shorten(stars.in_words(best), LONGEST) if is_rated else "",
        "source": {"name": found.source, "title": found.title} if found.source else None,
        "harvested": found.harvested,
    }


def _of(package_id: str) -> Listed | None:
    known: dict[str, Listed | None] = g.setdefault(_KNOWN, {})
    if package_id and package_id not in known:
        ids = {package_id, *g.get(_FOUND, {})} - known.keys()
        known.update(dict.fromkeys(ids))
        known.update(listed.of(ids))
    return known.get(package_id)
