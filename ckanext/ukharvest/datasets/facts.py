"""The page of a dataset as one dict of facts, which the API returns too."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from ckan.lib.search import SearchError, SolrConnectionError
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.datasets.provenance import (
    describe_origin,
    once_per_page,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.datasets.records import problems_of
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.lists import IndexField
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.lib.actions import context as own_context
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.lib.permissions import may
from ckanext.ukharvest.lib.slots import facts_of
from ckanext.ukharvest.rendering import source_record
from ckanext.ukharvest.rendering.values import INDEXED

log = logging.getLogger(__name__)

MOST_PROBLEMS = 10


def ukharvest_provenance(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``ukharvest_dataset_show``, {} if the dataset was not harvested.

    Args:
        package: as package_show returns it to the user.
    """
    return _origin(package) if ukharvest_is_harvested(package) else {}


@once_per_page
def _origin(package: Mapping[str, Any]) -> dict[str, Any]:
    return describe_origin(own_context(), package)


@once_per_page
def ukharvest_dataset(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a dataset's page, as ``ukharvest_dataset_show`` returns them.

    Args:
        package: as package_show returns it to the user.
    """
    if not package.get("id"):  # such as in the preview of a form
        return {}
    return describe_dataset(own_context(), package, ukharvest_provenance(package))


def describe_dataset(
    context: Any, package: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the result of ``ukharvest_dataset_show`` for a dataset that the user may read.

    Args:
        origin: as ``describe_origin`` returns it; empty for a page that needs none.
    """
    id_ = str(package["id"])
    may_ask = bool(context.get("user") or context.get("ignore_auth"))
    facts: dict[str, Any] = {
        "harvested_by_source": False,
        "may_edit": may_ask and may(context, "package_update", id=id_),
    }
    for of_feature in facts_of("dataset", context, package):
        facts |= of_feature
    if not origin:
        return facts
    facts |= {**origin, "coupled": find_coupled(context, id_)}
    facts["collections"] = find_collections(context, id_)
    return facts | _of_record(context, id_, origin) if origin["harvested_by_source"] else facts


def _of_record(context: Any, package_id: str, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of the record that a dataset was made from."""
    source, record_id, count = origin["source"], origin["record_id"], origin["problems_count"]
    is_wrong = bool((count or origin["error"]) and record_id and source)
    problems = problems_of(record_id) if count else []
    to_fix = [problem for problem in problems if not problem["accepted_until"]]
    return {
        "problems": to_fix[:MOST_PROBLEMS],
        "may_see_record": is_wrong and may(context, "harvest_source_update", id=source["id"]),
        "source_record": _source_record(package_id),
    }


def _source_record(package_id: str) -> dict[str, Any] | None:
    """Return ``form``, ``extension`` and ``size`` (bytes) of the stored record, if there is one."""
    glance = record_history.glance_at_document(package_id)
    if glance is None:
        return None
    form = source_record.form_of(glance.head)
    return {"form": form.label, "extension": form.extension, "size": glance.size}


def load_assessment(package: Mapping[str, Any]) -> Any:
    """Return what features store for a dataset, loaded once per page; None if nothing is."""
    id_ = str(package.get("id") or "")
    return once(("assessment", id_), lambda: dataset_rows.load_own_rows(id_)) if id_ else None


def load_links(package: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return URL → what checks say of the links of a dataset, loaded once per page."""
    urls = [str(resource.get("url") or "") for resource in package.get("resources") or ()]
    if not package.get("id"):
        return {}
    return once(("links", package["id"]), lambda: link_results.find_links(urls))


def ukharvest_link_fails(package: Mapping[str, Any], resource: Mapping[str, Any]) -> bool:
    """Tell whether the last check of a resource's link failed."""
    link = load_links(package).get(str(resource.get("url") or ""), {})
    return link.get("state", "") not in (LinkState.UNCHECKED, LinkState.WORKS)


MOST = 500  # datasets, and services; CKAN's search returns at most 1,000
MOST_PARTS = 20  # that a page lists; a search has all

# The facet of collections: ids of the datasets that a dataset is part of.
PART_OF = "part_of"
INDEX_FIELDS = (
    IndexField(PART_OF, dataset_rows.related_column(dataset_rows.WHOLES), dataset_rows.related_ids),
)


def find_collections(context: Any, package_id: str) -> dict[str, Any]:
    """Return which datasets a dataset is part of, and which are part of it, as far as the user may.

    Returns:
        ``part_of`` and ``parts``: dicts with ``id``, ``name`` and ``title``, sorted by title, at
        most 500 and 20; ``parts_count``: how many parts there are, as the search finds them;
        ``references``: the names of the first in the dataset's record; ``is_unknown``: there are
        some, and the search failed.
    """
    wholes = dataset_rows.find_related([package_id], dataset_rows.WHOLES).get(package_id, {})
    facts: dict[str, Any] = {"part_of": [], "parts": [], "parts_count": 0, "references": []}
    try:
        facts["part_of"] = find_readable(context, list(wholes)[:MOST])
        if dataset_rows.find_related([package_id], dataset_rows.PARTS):
            field = f'{INDEXED[PART_OF]}:"{package_id}"'
            facts["parts"], facts["parts_count"] = _search(context, field, MOST_PARTS)
    except (SearchError, SolrConnectionError):  # the page is useful without them
        log.exception("The collections of %s could not be looked up", package_id)
        return {**facts, "is_unknown": True}
    names = {name for whole in facts["part_of"] for name in wholes[whole["id"]]}
    return {**facts, "references": sorted(names), "is_unknown": False}


def find_coupled(context: Any, package_id: str) -> dict[str, Any]:
    """Return which datasets a service operates on, and which services operate on a dataset.

    Only active datasets that the user may read, from any source, no matter which was harvested
    first.

    Returns:
        ``datasets`` and ``services``: dicts with ``id``, ``name`` and ``title``, sorted by title,
        at most 500 of each; ``references``: the names of those datasets in the service's record;
        ``is_unknown``: there are some, and the search failed.
    """
    names = dataset_rows.find_related([package_id], dataset_rows.DATASETS).get(package_id, {})
    services_of = dataset_rows.find_related([package_id], dataset_rows.SERVICES)
    operated, services = list(names)[:MOST], list(services_of.get(package_id, ()))[:MOST]
    try:
        packages = find_readable(context, {*operated, *services})
    except (SearchError, SolrConnectionError):  # the page is useful without them
        log.exception("What is coupled with %s could not be looked up", package_id)
        return {"datasets": [], "services": [], "references": [], "is_unknown": True}
    coupled = [package for package in packages if package["id"] in operated]
    return {
        "datasets": coupled,
        "services": [package for package in packages if package["id"] in services],
        "references": sorted({name for package in coupled for name in names[package["id"]]}),
        "is_unknown": False,
    }


def find_readable(context: Any, ids: Collection[str]) -> list[dict[str, Any]]:
    """Return those of some datasets that the user may read: ``id``, ``name`` and ``title``."""
    if not ids:
        return []
    either = " OR ".join(f'"{id_}"' for id_ in sorted(ids))
    return _search(context, f"id:({either})", len(ids))[0]


def _search(context: Any, filters: str, most: int) -> tuple[list[dict[str, Any]], int]:
    """Return datasets and their number, by one search, which applies permissions."""
    own = {key: context[key] for key in ("user", "auth_user_obj", "ignore_auth") if key in context}
    query = {
        "q": "*:*",
        "fq": filters,
        "fl": ["id", "name", "title"],
        "include_private": True,
        "facet": "false",
        "sort": "title_string asc",
        "rows": most,
    }
    found = tk.get_action("package_search")(own, query)
    rows = [{key: row[key] for key in ("id", "name", "title")} for row in found["results"]]
    return rows, found["count"]
