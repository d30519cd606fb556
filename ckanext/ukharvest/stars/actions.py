"""Actions: stars of openness of a dataset or an organisation's datasets, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import stars
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.stars import HIGHEST, Stars
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import dataset_of, not_found, organisation_of
from ckanext.ukharvest.stars import model as stars_model
from ckanext.ukharvest.stars import schema as star_schema
from ckanext.ukharvest.stars import texts


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
        raise not_found()
    row = stars_model.load_ratings([package.id]).get(package.id)
    if row:
        scores = stars.from_columns(row)
    else:
        scores = stars.Rules().score(dataset_rows.load_datasets([package.id])[0])
    # CKAN 2.11 gives a dataset's resources in the order in which the database stores them
    # (``resources_all`` got its ``order_by`` with 2.12).
    in_order = sorted(package.resources, key=lambda resource: resource.position)
    links = link_results.find_links([resource.url for resource in in_order])
    resources = [
        {
            "id": resource.id,
            **_as_dict(own),
            "basis": texts.describe_basis(own, links.get(resource.url)),
        }
        for resource in in_order
        if (own := scores.resources.get(resource.id))
    ]
    # A dataset has the stars of its best resource, the first of several.
    best = (row["basis"] for row in resources if scores.resources[row["id"]] == scores.best)
    return {
        **_as_dict(scores.best),
        "basis": next(best, ""),
        "since": iso(row.assessed) if row else None,
        "resources": resources,
    }


def _as_dict(own: Stars) -> dict[str, Any]:
    return {
        "stars": own.stars,
        "code": own.code,
        "caption": texts.caption(own.stars),
        "reason": texts.reason(own),
        "text": texts.describe_stars(own),
        "dead_since": texts.dead_since(own),
    }


def _count_by_organisation(organisation_id: str | None) -> dict[str, Any]:
    rows = stars_model.counts(organisation_id)
    by_id = database.group_pairs((row.id, row) for row in rows)
    organizations = [
        {"id": id_, "name": of[0].name, "title": of[0].title or of[0].name, **_figures(of)}
        for id_, of in by_id.items()
    ]
    organizations.sort(key=lambda of: (of["id"] is None, str(of["title"]).casefold(), of["id"]))
    return {"organizations": organizations, "total": _figures(rows)}


def _figures(rows: Sequence[Any]) -> dict[str, Any]:
    rated = [row for row in rows if row.stars is not None]
    counts, reasons = [0] * (HIGHEST + 1), Counter[tuple[str, int]]()
    for row in rated:
        counts[row.stars] += row.number
        reasons[row.stars_code, row.stars] += row.number
    total = sum(row.number for row in rows)
    return {
        "datasets": total,
        "stars": counts,
        "average": _average(counts) if rated else None,
        "not_rated": total - sum(counts),
        "reasons": [
            {"code": code, "stars": number, "text": texts.short(code, number), "datasets": count}
            for (code, number), count in sorted(
                reasons.items(), key=lambda reason: (-reason[1], reason)
            )
        ],
    }


def _average(counts: list[int]) -> float:
    """Return the average with two decimals; halves are rounded up, as in PostgreSQL."""
    total = sum(number * count for number, count in enumerate(counts))
    return float((Decimal(total) / sum(counts)).quantize(Decimal("0.01"), ROUND_HALF_UP))


@tk.side_effect_free
def ukharvest_stars_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List an organisation's public datasets with their stars and reasons, or count them.

    For everybody.

    :param organization: name or id of the organisation (optional with ``group_by``, default: all)
    :type organization: string
    :param group_by: ``organization``: count the datasets of each, instead of listing them
        (optional)
    :type group_by: string
    :param stars: only datasets with this number of stars (optional, default: all)
    :type stars: integer
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip; the fewest stars come first (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``id``, ``name``, ``title``, and as in
        :py:func:`ukharvest_stars_show` ``stars`` (null if not rated yet), ``code``,
        ``reason``, ``text`` and ``dead_since``. With ``group_by`` only ``organizations``: dicts
        with ``id``, ``name`` and ``title`` (null for datasets without an organisation, which come
        last), ``datasets`` (their number), ``stars`` (list of six numbers: datasets with 0, 1,
        … 5), ``average`` (null if none is rated), ``not_rated`` (number of datasets not rated yet)
        and ``reasons`` (list of dicts ``code``, ``stars``, ``text`` and ``datasets``, the most
        frequent first), sorted by title; and ``total``: the same for all together
    :rtype: dictionary
    """
    tk.check_access("ukharvest_stars_list", context, data_dict)
    data = schema.validate(data_dict, star_schema.stars_list_schema())
    name = data["organization"]
    if data["group_by"]:
        return _count_by_organisation(organisation_of(name).id if name else None)
    if not name:
        raise tk.ValidationError({"organization": [tk._("Missing value")]})
    count, rows = stars_model.datasets(
        organisation_of(name).id,
        stars=data.get("stars"),
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": [_listed(row) for row in rows]}


def _listed(row: Any) -> dict[str, Any]:
    dataset = {"id": row.id, "name": row.name, "title": row.title or row.name}
    if row.stars is None:
        none = {"stars": None, "code": "", "reason": "", "text": tk._("Not rated yet")}
        return {**dataset, **none, "dead_since": None}
    own = _as_dict(Stars(row.stars, row.stars_code, row.stars_detail))
    del own["caption"]
    return {**dataset, **own}
