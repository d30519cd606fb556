"""What stars add to the pages of datasets, to lists of datasets and to the help page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.stars import HIGHEST, Stars
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.datasets.facts import load_assessment, load_links
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.stars import from_columns, texts

LONGEST = 300  # characters of a reason, which may quote a record


def dataset(_context: Any, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``stars``, ``text``, ``basis`` and ``is_provisional`` of a dataset and its resources.

    {} if it is not rated.
    """
    row = load_assessment(package)
    if row is None or row.stars is None:
        return {}
    rated, links = from_columns(row), load_links(package)
    urls = {
        resource.get("id"): str(resource.get("url") or "")
        for resource in package.get("resources") or ()
    }

    def describe(stars: Stars, resource_id: str) -> dict[str, Any]:
        link = links.get(urls.get(resource_id, ""))
        return {
            "stars": stars.stars,
            "text": _text(stars),
            "basis": texts.describe_basis(stars, link),
            "is_provisional": texts.is_provisional(link),
        }

    resources = {id_: describe(stars, id_) for id_, stars in rated.resources.items()}
    best = [id_ for id_, stars in rated.resources.items() if stars == rated.best]
    # A file that can be reached says more of the dataset than one as good that cannot.
    best.sort(key=lambda id_: resources[id_]["is_provisional"])
    first = best[0] if best else ""
    return {"stars": {**describe(rated.best, first), "resources": resources}}


def _text(stars: Stars) -> str:
    return shorten(texts.describe_stars(stars), LONGEST)


def dataset_head(page: Mapping[str, Any], _package: Mapping[str, Any]) -> Any:
    """Return the stars of a dataset, None if it is not rated."""
    return page.get("stars")


def resource_line(page: Mapping[str, Any], resource: Mapping[str, Any]) -> Any:
    """Return the stars of a resource, None if it is not rated."""
    return page["stars"]["resources"].get(resource["id"]) if "stars" in page else None


def list_entry(row: Any) -> dict[str, Any]:
    """Return the stars of a dataset in a list, {} if it is not rated."""
    if row.stars is None:
        return {}
    return {"stars": row.stars, "text": _text(Stars(row.stars, row.code or "", row.detail or ""))}


def help_section() -> list[str]:
    """Return the meanings of 0 to 5 stars."""
    return [texts.caption(stars) for stars in range(HIGHEST + 1)]


def portal_page() -> dict[str, str]:
    """Return the way to the page of stars."""
    return {
        "url": tk.h.url_for("ukharvest_stars.report"),
        "label": tk._("Stars of openness"),
    }


SLOTS = (
    Slot("dataset", "", dataset),
    Slot("dataset_head", "ukharvest/snippets/stars.html", dataset_head),
    Slot("resource_line", "ukharvest/snippets/stars_short.html", resource_line),
    Slot("list_entry", "ukharvest/snippets/stars_short.html", list_entry),
    Slot("portal_pages", "ukharvest/snippets/portal_page.html", portal_page),
    Slot("help", "ukharvest/snippets/star_help.html", help_section),
)
