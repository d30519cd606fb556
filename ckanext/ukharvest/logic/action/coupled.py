"""Action: the datasets that a service operates on, and the services of a dataset."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import coupling

MOST = 500  # datasets, and services; CKAN's search returns at most 1,000


@tk.side_effect_free
def ukharvest_coupling_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show which datasets a service operates on, and which services operate on a dataset.

    For everybody who may read the dataset. Lists only active datasets that the user may read,
    from any source, no matter which was harvested first.

    :param id: id or name of the dataset or service
    :type id: string

    :returns: ``datasets`` and ``services``: dicts with ``id``, ``name`` and ``title``, sorted by
        title, at most 500 of each; ``references``: the names of those datasets in the service's
        record
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_coupling_show", context, data_dict)
    package = dataset_of(id_)
    named = coupling.datasets_of(package.id)
    found = {
        "datasets": list(named)[:MOST],
        "services": list(coupling.services_of(package.id))[:MOST],
    }
    shown = _readable(context, {id_ for ids in found.values() for id_ in ids})
    coupled = {key: [each for each in shown if each["id"] in ids] for key, ids in found.items()}
    names = {name for each in coupled["datasets"] for name in named[each["id"]]}
    return {**coupled, "references": sorted(names)}


def _readable(context: Any, ids: set[str]) -> list[dict[str, Any]]:
    """Return the datasets that the user may read, by one search, which applies permissions."""
    if not ids:
        return []
    own = {key: context[key] for key in ("user", "auth_user_obj", "ignore_auth") if key in context}
    either = " OR ".join(f'"{each}"' for each in sorted(ids))
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
    return [{key: each[key] for key in ("id", "name", "title")} for each in results]
