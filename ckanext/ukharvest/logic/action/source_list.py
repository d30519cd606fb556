"""Action: list harvest sources, with more details for users who may manage them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.permissions import roles_of
from ckanext.ukharvest.model import datasets, health, runs, source_list
from ckanext.ukharvest.model.source_list import Asker, Listed, Wish


@tk.side_effect_free
def ukharvest_source_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List harvest sources of every type, with their status if the user may manage them.

    For everybody; lists only sources that the user may read. A user may manage a source if they
    may edit the datasets of its organisation.

    :param q: words to find in title, name, URL or organisation, all of them (optional)
    :type q: string
    :param organization: name of an organisation (optional)
    :type organization: string
    :param organization_type: type of the source's organisation, such as ``Local Government``; any
        name that the list ``organization_types`` has for it (optional)
    :type organization_type: string
    :param type: source type, as stored (optional)
    :type type: string
    :param health: ``off``, ``held``, ``failing``, ``late``, ``hiccup``, ``empty``, ``shrunk``,
        ``errors``, ``new`` or ``healthy``; finds only sources that the user may manage (optional)
    :type health: string
    :param state: such as ``importing`` or ``idle``; finds only sources that the user may manage
        (optional)
    :type state: string
    :param frequency: such as ``DAILY`` (optional)
    :type frequency: string
    :param mine: only sources that the user may manage (optional, default: ``False``)
    :type mine: boolean
    :param include_inactive: also sources that are switched off, if the user may manage them
        (optional, default: ``False``; ``health=off`` finds these too)
    :type include_inactive: boolean
    :param sort: ``name``, ``title``, ``health`` (the worst first), ``last_run`` or ``next_run``
        (optional, default: ``name``)
    :type sort: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count``; ``own``: how many of these the user may manage; ``facets``: for each of
        ``organization``, ``organization_type``, ``type``, ``health``, ``state`` and ``frequency``
        a dict of value → number of sources; ``organizations``: name → title of organisations with
        a source; ``managed``: how many sources the user may manage in all; ``needs_attention``:
        how many of these are ``held``, ``failing``, ``late``, ``empty``, ``shrunk`` or
        ``errors``; ``switched_off``: how many more that are switched off the user may manage;
        ``results``: dicts with ``id``, ``name``, ``title``, ``type``, ``url``, ``organization``,
        ``organization_title``, ``organization_type`` ("" for none), ``frequency``, ``next_run``,
        ``last_good_run`` (when it ended), ``datasets`` and ``may_manage``. If the user may manage
        the source, ``datasets`` counts private ones too, and there are ``health``,
        ``health_reason``, ``state``, ``since``, ``held_deletions`` and ``last_run`` (as in
        :py:func:`ukharvest_run_list`, or null). Times are UTC in ISO 8601
    :rtype: dictionary
    """
    tk.check_access("ukharvest_source_list", context, data_dict)
    data = schema.validate(data_dict, schema.source_list_schema())
    data["organization_type"] = organization_types.find(data["organization_type"])
    asker = _asker(context)
    wish = Wish(
        q=data["q"],
        values={facet: data[facet] for facet in source_list.FACETS if data[facet]},
        mine=data["mine"],
        include_inactive=data["include_inactive"],
        sort=data["sort"],
    )
    found = source_list.find(wish, asker)
    page = found.sources[data["offset"] :][: data["limit"]]
    return {
        "count": len(found.sources),
        "facets": found.facets,
        "organizations": found.organizations,
        "own": sum(each.may_manage for each in found.sources),
        "managed": found.managed,
        "needs_attention": found.attention,
        "switched_off": found.switched_off,
        "results": _rows(page),
    }


def _asker(context: Any) -> Asker:
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return Asker(is_sysadmin=True)
    if not user:
        return Asker(is_sysadmin=False)
    roles = roles_of(user)
    may_manage = authz.get_roles_with_permission("update_dataset")
    return Asker(
        is_sysadmin=False,
        manages=frozenset(id_ for id_, role in roles if role in may_manage),
        reads=frozenset(id_ for id_, _role in roles),
    )


def _rows(page: Collection[Listed]) -> list[dict[str, Any]]:
    """Return one page of sources, with the values that are loaded for these only."""
    known = health.load_health([each.source.id for each in page if each.health is None])
    known |= {each.source.id: each.health for each in page if each.health}
    outside = [each.source.id for each in page if not each.may_manage]
    public = datasets.of_sources(outside, public=True) if outside else {}
    last = runs.newest([each.source.id for each in page if each.may_manage])
    rows = []
    for each in page:
        id_ = each.source.id
        row = _row(each, known.get(id_))
        if each.may_manage:
            rows.append({**row, **_inside(known.get(id_), last.get(id_))})
        else:
            rows.append({**row, "datasets": public.get(id_, 0)})
    return rows


def _row(listed: Listed, of: health.SourceHealth | None) -> dict[str, Any]:
    source = listed.source
    good = of and of.last_good_run
    return {
        "id": source.id,
        "name": source.name,
        "title": source.title,
        "type": source.type,
        "url": source.url,
        "organization": source.organization,
        "organization_title": source.organization_title,
        "organization_type": listed.organization_type,
        "frequency": source.frequency,
        "next_run": iso(source.next_run),
        "last_good_run": iso(good["finished"]) if good else None,
        "may_manage": listed.may_manage,
    }


def _inside(of: health.SourceHealth | None, run: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "datasets": of.datasets if of else 0,
        "health": of.value if of else "",
        "health_reason": of.reason if of else "",
        "state": of.state if of else "",
        "since": iso(of.since) if of else None,
        "held_deletions": of.held if of else 0,
        "last_run": run,
    }
