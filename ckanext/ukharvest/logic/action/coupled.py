"""The datasets that a service operates on, and the services of a dataset."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError, SolrConnectionError

from ckanext.ukharvest.model import coupling

log = logging.getLogger(__name__)
MOST = 500  # datasets, and services; CKAN's search returns at most 1,000


def find_coupled(context: Any, package_id: str) -> dict[str, Any]:
    """Return which datasets a service operates on, and which services operate on a dataset.

    Only active datasets that the user may read, from any source, no matter which was harvested
    first.

    Returns:
        ``datasets`` and ``services``: dicts with ``id``, ``name`` and ``title``, sorted by title,
        at most 500 of each; ``references``: the names of those datasets in the service's record;
        ``is_unknown``: there are some, and the search failed.
    """
    names = coupling.datasets_of(package_id)
    datasets, services = list(names)[:MOST], list(coupling.services_of(package_id))[:MOST]
    try:
        packages = _readable(context, {*datasets, *services})
    except (SearchError, SolrConnectionError):  # the page is useful without them
        log.exception("What is coupled with %s could not be looked up", package_id)
        return {"datasets": [], "services": [], "references": [], "is_unknown": True}
    coupled = [package for package in packages if package["id"] in datasets]
    return {
        "datasets": coupled,
        "services": [package for package in packages if package["id"] in services],
        "references": sorted({name for package in coupled for name in names[package["id"]]}),
        "is_unknown": False,
    }


def _readable(context: Any, ids: set[str]) -> list[dict[str, Any]]:
    """Return the datasets that the user may read, by one search, which applies permissions."""
    if not ids:
        return []
    own = {key: context[key] for key in ("user", "auth_user_obj", "ignore_auth") if key in context}
    either = " OR ".join(f'"{id_}"' for id_ in sorted(ids))
    query = {
        "q": "*:*",
        "fq": f"id:({either})",
        "fl": ["id", "name", "title"],
        "include_private": True,
        "facet": "false",
        "sort": "title_string asc",
        "rows": len(ids),
    }
    results = tk.get_action("package_search")(own, query)["results"]
    return [{key: row[key] for key in ("id", "name", "title")} for row in results]
