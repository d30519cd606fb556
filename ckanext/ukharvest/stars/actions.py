"""Actions: stars of openness of a dataset or an organisation's datasets, and their counts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import stars
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.stars import HIGHEST, DatasetStars, Stars
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.sources import dataset_of, organisation_of
from ckanext.ukharvest.model import assessments, broken_links, datasets
from ckanext.ukharvest.stars import model as stars_model
from ckanext.ukharvest.stars import texts

__all__ = ["ukharvest_stars_list", "ukharvest_stars_report", "ukharvest_stars_show"]


@tk.side_effect_free
def ukharvest_stars_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a dataset's stars of openness with reasons. For users who may read the dataset.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``stars`` (0 to 5), ``code`` (stable code of the reason), ``caption`` (what the
        number means), ``reason``, ``text`` ("3 out of 5: …"), ``dead_since`` (the day since which
        the link is dead, if ``code`` is ``dead-link``; else null), ``since`` (time of the rating;
        null if it was made just now and is not stored) and ``resources``: dicts with ``id`` and the
        same keys except ``since``, of the resources that count, in the dataset's order
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_stars_show", context, data_dict)
    package = dataset_of(id_)
    if package.type == "harvest":
        raise tk.ObjectNotFound(tk._("No dataset has this name or id."))
    row = assessments.find(package.id)
    scores = stars.from_columns(row) if row else _scored(package.id)
    # CKAN 2.11 gives a dataset's resources in the order in which the database stores them
    # (``resources_all`` got its ``order_by`` with 2.12).
    in_order = sorted(package.resources, key=lambda each: each.position)
    order = [resource.id for resource in in_order if resource.id in scores.resources]
    urls = {resource.id: resource.url for resource in in_order}
    links = broken_links.of_urls(urls.values())
    resources = [
        {
            "id": id_,
            **_shown(scores.resources[id_]),
            "basis": texts.describe_basis(scores.resources[id_], links.get(urls[id_])),
        }
        for id_ in order
    ]
    # A dataset has the stars of its best resource, the first of several.
    best = [
        resource["basis"]
        for resource in resources
        if scores.resources[resource["id"]] == scores.best
    ]
    return {
        **_shown(scores.best),
        "basis": next(iter(best), ""),
        "since": iso(row.assessed) if row else None,
        "resources": resources,
    }


def _scored(package_id: str) -> DatasetStars:
    return stars.Rules().score(datasets.by_id([package_id])[0])


def _shown(found: Stars) -> dict[str, Any]:
    return {
        "stars": found.stars,
        "code": found.code,
        "caption": texts.caption(found.stars),
        "reason": texts.reason(found),
        "text": texts.describe_stars(found),
        "dead_since": texts.dead_since(found),
    }


@tk.side_effect_free
def ukharvest_stars_report(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Count public datasets by stars of openness and organisation. For everybody.

    :param organization: name or id of one organisation (optional, default: all)
    :type organization: string

    :returns: ``organizations``: dicts with ``id``, ``name`` and ``title`` (null for datasets
        without an organisation, which come last), ``datasets`` (their number), ``stars`` (list of
        six numbers: datasets with 0, 1, … 5), ``average`` (null if none is rated), ``not_rated``
        (number of datasets not rated yet) and ``reasons`` (list of dicts ``code``, ``stars``,
        ``text`` and ``datasets``, the most frequent first), sorted by title; and ``total``: the
        same for all together
    :rtype: dictionary
    """
    tk.check_access("ukharvest_stars_report", context, data_dict)
    name = schema.validate(data_dict, schema.stars_report_schema())["organization"]
    rows = stars_model.counts(organisation_of(name).id if name else None)
    by_id: dict[str | None, list[Any]] = {}
    for row in rows:
        by_id.setdefault(row.id, []).append(row)
    organizations = [
        {"id": id_, "name": of[0].name, "title": of[0].title or of[0].name, **_figures(of)}
        for id_, of in by_id.items()
    ]
    organizations.sort(
        key=lambda each: (each["id"] is None, str(each["title"]).casefold(), each["id"])
    )
    return {"organizations": organizations, "total": _figures(rows)}


def _figures(rows: Iterable[Any]) -> dict[str, Any]:
    counts, reasons, not_rated = [0] * (HIGHEST + 1), dict[tuple[str, int], int](), 0
    for row in rows:
        if row.stars is None:
            not_rated += row.number
            continue
        counts[row.stars] += row.number
        key = (row.stars_code, row.stars)
        reasons[key] = reasons.get(key, 0) + row.number
    rated = sum(counts)
    return {
        "datasets": rated + not_rated,
        "stars": counts,
        "average": _average(counts) if rated else None,
        "not_rated": not_rated,
        "reasons": [
            {"code": code, "stars": number, "text": texts.short(code, number), "datasets": count}
            for (code, number), count in sorted(reasons.items(), key=lambda each: (-each[1], each))
        ],
    }


def _average(counts: list[int]) -> float:
    """Return the average with two decimals; halves are rounded up, as in PostgreSQL."""
    total = sum(number * count for number, count in enumerate(counts))
    return float((Decimal(total) / sum(counts)).quantize(Decimal("0.01"), ROUND_HALF_UP))


@tk.side_effect_free
def ukharvest_stars_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List an organisation's public datasets with their stars and reasons. For everybody.

    :param organization: name or id of the organisation
    :type organization: string
    :param stars: only datasets with this number of stars (optional, default: all)
    :type stars: integer
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip; the fewest stars come first (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``id``, ``name``, ``title``, and as in
        :py:func:`ukharvest_stars_show` ``stars`` (null if not rated yet), ``code``,
        ``reason``, ``text`` and ``dead_since``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_stars_list", context, data_dict)
    data = schema.validate(data_dict, schema.stars_list_schema())
    count, rows = stars_model.datasets(
        organisation_of(data["organization"]).id,
        stars=data.get("stars"),
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": [_listed(row) for row in rows]}


def _listed(row: Any) -> dict[str, Any]:
    dataset = {"id": row.id, "name": row.name, "title": row.title or row.name}
    if row.stars is None:
        none = {"stars": None, "code": "", "reason": "", "text": tk._("not rated yet")}
        return {**dataset, **none, "dead_since": None}
    shown = _shown(Stars(row.stars, row.stars_code, row.stars_detail))
    del shown["caption"]
    return {**dataset, **shown}
