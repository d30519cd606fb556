"""The list of harvest sources, for everybody, with more for those who look after them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.logic.paging import validated
from ckanext.ukharvest.model import datasets, health, runs, source_list
from ckanext.ukharvest.model.source_list import Asker, Listed, Wish


@tk.side_effect_free
def ukharvest_sources_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List harvest sources of every type: what they are for everybody, how they are for editors.

    :param q: words that title, name, address or organisation have, all of them (optional)
    :type q: string
    :param organization: name of an organisation (optional)
    :type organization: string
    :param type: source type, as stored (optional)
    :type type: string
    :param health: ``off``, ``held``, ``failing``, ``late``, ``hiccup``, ``errors``, ``new`` or
        ``healthy``; finds sources that the user may manage (optional)
    :type health: string
    :param state: what a source does, such as ``importing`` or ``idle``; likewise (optional)
    :type state: string
    :param frequency: such as ``DAILY`` (optional)
    :type frequency: string
    :param mine: only sources that the user may manage (optional, default: ``False``)
    :type mine: boolean
    :param include_inactive: also sources that were switched off and, for sysadmins, deleted ones
        (optional, default: ``False``; those switched off are found by ``health=off``, too)
    :type include_inactive: boolean
    :param sort: ``name``, ``title``, ``health`` (what needs somebody first), ``last_run`` or
        ``next_run`` (optional, default: ``name``)
    :type sort: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to leave out (optional, default: 0)
    :type offset: integer

    :returns: ``count``, and ``own`` of these that the user may manage; ``facets``: for each of
        ``organization``, ``type``, ``health``, ``state`` and ``frequency`` a dict of values with
        the number of sources; ``organizations``: name and title of those with a source;
        ``managed``: how many the user may manage in all, and ``needs_attention``: how many of
        these are ``held``, ``failing`` and ``late``; ``results``: dicts with ``id``, ``name``,
        ``title``, ``type``, ``url``, ``organization`` and ``organization_title``, ``frequency``,
        ``next_run``, ``last_good_run`` (when it ended), ``datasets`` and ``may_manage``. Of those
        that the user may manage ``datasets`` counts private ones too, and there are ``health``,
        ``health_reason``, ``state``, ``since``, ``held_deletions`` and ``last_run``, as in
        :py:func:`ukharvest_jobs_list` or null. Times are UTC in ISO 8601
    :rtype: dictionary
    """
    tk.check_access("ukharvest_sources_list", context, data_dict)
    data = _validated(data_dict)
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
        "results": _rows(page),
    }


def _validated(data_dict: Mapping[str, Any]) -> dict[str, Any]:
    default = tk.get_validator("default")
    text = [default(""), tk.get_validator("unicode_safe")]
    boolean = [default(False), tk.get_validator("boolean_validator")]
    schema = {
        "q": text,
        **dict.fromkeys(source_list.FACETS, text),
        "mine": boolean,
        "include_inactive": boolean,
        "sort": [default("name"), tk.get_validator("one_of")(list(source_list.SORTS))],
    }
    return validated(data_dict, schema)


def _asker(context: Any) -> Asker:
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return Asker(is_sysadmin=True)
    if not user:
        return Asker(is_sysadmin=False)
    roles = source_list.roles_of(user)
    may_manage = authz.get_roles_with_permission("update_dataset")
    return Asker(
        is_sysadmin=False,
        manages=frozenset(id_ for id_, role in roles if role in may_manage),
        reads=frozenset(id_ for id_, _role in roles),
    )


def _rows(page: Collection[Listed]) -> list[dict[str, Any]]:
    """The sources of one page, with what is asked of these alone."""
    known = health.of([each.source.id for each in page])
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
