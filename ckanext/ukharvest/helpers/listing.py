"""Template helpers of lists of datasets: stars and harvest source of each.

They take one SQL statement per page: the search remembers which datasets it found, and the first
badge loads those of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import g, has_request_context

from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.helpers.dataset_head import LONGEST
from ckanext.ukharvest.model import dataset_badges
from ckanext.ukharvest.model.dataset_badges import Listed
from ckanext.ukharvest.stars import texts as star_texts

_FOUND, _KNOWN = "ukharvest_found", "ukharvest_dataset_badges"


def remember_results(results: Iterable[Any]) -> None:
    """Remember the datasets that a search found until the end of the request."""
    if has_request_context():
        found = g.setdefault(_FOUND, {})
        found.update(
            (each["id"], None) for each in results if isinstance(each, Mapping) and "id" in each
        )


def ukharvest_dataset_badges(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list of datasets shows in addition to CKAN's own.

    Returns:
        ``stars`` (number, None if not rated), ``text`` (of the stars), ``source`` ({"name",
        "title"}, None if it was not harvested) and ``harvested`` (UTC).
    """
    found = _of(str(package.get("id") or ""))
    if found is None:
        return {"stars": None, "text": "", "source": None, "harvested": None}
    is_rated = found.stars is not None
    best = Stars(found.stars or 0, found.code or "", found.detail or "")
    return {
        "stars": found.stars,
        "text": shorten(star_texts.describe_stars(best), LONGEST) if is_rated else "",
        "source": {"name": found.source, "title": found.title} if found.source else None,
        "harvested": found.harvested,
    }


def _of(package_id: str) -> Listed | None:
    known: dict[str, Listed | None] = g.setdefault(_KNOWN, {})
    if package_id and package_id not in known:
        ids = {package_id, *g.get(_FOUND, {})} - known.keys()
        known.update(dict.fromkeys(ids))
        known.update(dataset_badges.load_badges(ids))
    return known.get(package_id)
