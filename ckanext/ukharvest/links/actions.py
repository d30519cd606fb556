"""Actions: list links, show the check of one, and check those of a dataset now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest import background, database, lists
from ckanext.ukharvest.harvest.consumers.failures import try_to_queue
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.lib import check_texts, schema
from ckanext.ukharvest.lib.lookups import dataset_of, not_found, organisation_of, source_of
from ckanext.ukharvest.lib.permissions import may, readable_organisations
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.links import model as link_model
from ckanext.ukharvest.links import schema as link_schema
from ckanext.ukharvest.links import texts as link_texts
from ckanext.ukharvest.links.model import BY_HOST, STATES, Wanted


@tk.side_effect_free
def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the links of resources with the results of the link check, sorted by URL.

    Links of one source for users who may update it, of all datasets for sysadmins.

    :param source: name or id of a harvest source (optional)
    :type source: string
    :param unknown: only links that were checked and whose format is unknown (optional, default:
        ``False``)
    :type unknown: boolean
    :param state: only links in this state: ``unchecked``, ``works``, ``failing``, ``away`` or
        ``dead`` (optional, default: all)
    :type state: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: one dict per resource, with ``dataset`` (its name),
        ``resource_id``, ``resource_format`` (as stored in CKAN), ``url``, and all that
        :py:func:`ukharvest_link_show` returns except ``text``; ``state`` is ``unchecked`` and
        ``checked`` null if the link was never checked
    :rtype: dictionary
    """
    tk.check_access("ukharvest_link_list", context, data_dict)
    data = schema.validate(data_dict, link_schema.link_list_schema())
    count, results = link_model.list_links(
        source_id=source_of({"source_id": data["source"]}).id if data.get("source") else None,
        only_unknown=data["unknown"],
        state=data.get("state") or "",
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": results}


@tk.side_effect_free
def ukharvest_link_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show the result of the link check of a resource. For users who may read the resource.

    :param id: id of the resource
    :type id: string

    :returns: {} if the link was never checked, else ``state`` (``works``, ``failing``: not
        reachable at the last check, ``away``: its server does not answer, ``dead``) and ``text``,
        the same as a sentence; ``fault`` (stable code of the reason, "" if it works) and
        ``status`` (HTTP status of the last answer, null if none came); ``format`` ("" if it is
        unknown), ``differs`` (whether it contradicts the resource's format), ``version``,
        ``layers`` (dicts with ``name`` and ``title``), ``base_url`` and ``title`` of a service,
        ``media_type`` as the server sent it, ``size`` in bytes and ``checksum`` (SHA-256) of a
        file, null and "" if not known; times in UTC in ISO 8601, or null: ``checked`` (when the
        format was found or looked for), ``tried`` (the last check), ``worked`` (the last success),
        ``failed_since``, ``dead_since`` and ``due`` (the next check); and ``why``: one sentence
        if the last check found nothing, "" for users who may not edit the dataset
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_link_show", context, data_dict)
    resource = model.Resource.get(id_)
    if resource is None or resource.state != "active":
        raise not_found()
    link = link_results.find_link_results(resource.url)
    if link is None or link.checked is None:
        return {}
    shown = link_results.describe_link(link, resource.format)
    shown["text"] = link_texts.describe_state(shown)
    if shown["why"] and not may(context, "package_update", id=resource.package_id):
        shown["why"] = ""
    return shown


def ukharvest_link_check(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Queue a check of a dataset's links, before all others. For users who may edit the dataset.

    Data that have a schema are checked against it again. A format that a resource has stays: empty
    it to have it replaced. When the day's budget is spent, links are checked first on the next day.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``links``: number of links to check, and ``queued``: whether a background job was
        queued (false also if one is waiting or running already, and without Redis: then
        ``ckan harvester run`` queues it later)
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_link_check", context, data_dict)
    package = dataset_of(id_)
    if not config.checks_links():
        raise invalid("id", tk._("This portal does not check links."))
    number = link_results.request_checks(package.id)
    for work in lists.WORK:
        work.ask(package.id)
    model.Session.commit()
    return {"links": number, "queued": bool(number and try_to_queue(background.enqueue_background))}


@tk.side_effect_free
def ukharvest_broken_link_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List resources whose link did not work at its last check, those that failed longest first.

    Of one source for users who may update it, of one organisation for users who may edit its
    datasets, of all datasets for sysadmins.

    :param source: name or id of a harvest source (optional, default: all)
    :type source: string
    :param organization: name or id of an organisation (optional, default: all)
    :type organization: string
    :param host: host of the URL, without a port (optional, default: all)
    :type host: string
    :param state: only links that are ``failing`` (not reachable), ``away`` (their server does not
        answer) or ``dead`` (optional, default: all)
    :type state: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer
    :param group_by: of ``source``, ``organization`` and ``host``: count the resources of each,
        instead of listing them (optional)
    :type group_by: list of strings

    :returns: ``count`` and ``results``: dicts with ``dataset`` (its name), ``title``,
        ``resource_id``, ``resource_name``, ``url``, ``host``, ``state``, ``text`` (the state as a
        sentence), ``since`` (when it first failed; of a dead link, since when it is dead),
        ``fault`` (stable code), ``reason`` (its text), ``status`` (HTTP status of the last answer,
        null if none came), ``worked`` (the last check that worked), ``tried`` (the last check),
        ``source``, ``source_title``, ``organization`` and ``organization_title`` ("" for none);
        times in UTC in ISO 8601, or null. With ``group_by`` instead ``sources``, ``organizations``
        and ``hosts``: lists of dicts with ``name`` and ``title`` ("" for none), ``links`` (number
        of resources), and of these ``failing``, ``away`` and ``dead``, the most links first; and
        ``total``: the same for all together
    :rtype: dictionary
    """
    tk.check_access("ukharvest_broken_link_list", context, data_dict)
    data = schema.validate(data_dict, link_schema.broken_link_list_schema())
    source, organisation = data["source"], data["organization"]
    wanted = Wanted(
        source_of({"source_id": source}).id if source else "",
        organisation_of(organisation).id if organisation else "",
        data["host"].lower(),
        data.get("state") or "",
        readable_organisations(context),
    )
    if data["group_by"]:
        return _count(wanted, data["group_by"])
    count, rows = link_model.links(wanted, data["limit"], data["offset"])
    names = link_model.titles_of([id_ for row in rows for id_ in row[-2:]])
    return {"count": count, "results": [_listed(row, names) for row in rows]}


def _count(wanted: Wanted, group_by: Sequence[str]) -> dict[str, Any]:
    rows = {by: link_model.counts(by, wanted) for by in group_by}
    names = link_model.titles_of({row.key for by in group_by if by != BY_HOST for row in rows[by]})
    names |= {row.key: (row.key, row.key) for row in rows.get(BY_HOST, ()) if row.key}
    figures = {f"{by}s": _figures(rows[by], names) for by in group_by}
    return {**figures, "total": _sum(rows[group_by[0]])}


def _listed(row: Any, names: dict[str, tuple[str, str]]) -> dict[str, Any]:
    link = link_results.describe_link(row.Link, row.format)
    source, organisation = (names.get(id_, ("", "")) for id_ in row[-2:])
    return {
        "dataset": row.name,
        "title": row.title or row.name,
        "resource_id": row.resource_id,
        "resource_name": row.resource_name or "",
        "url": row.url,
        "host": row.Link.host,
        "text": link_texts.describe_state(link),
        "since": iso(row.since),
        "reason": check_texts.describe_fault(link["fault"], link["status"]),
        **{key: link[key] for key in ("state", "fault", "status", "worked", "tried")},
        "source": source[0],
        "source_title": source[1],
        "organization": organisation[0],
        "organization_title": organisation[1],
    }


def _figures(rows: Iterable[Any], names: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    by_key = database.group_pairs((row.key or None, row) for row in rows)
    figures = [
        dict(zip(("name", "title"), names.get(key or "", ("", "")), strict=True)) | _sum(group)
        for key, group in by_key.items()
    ]
    return sorted(figures, key=lambda of: (-of["links"], str(of["title"]).casefold()))


def _sum(rows: Iterable[Any]) -> dict[str, int]:
    sums = dict.fromkeys(("links", *map(str, STATES)), 0)
    for row in rows:
        sums["links"] += row.links
        sums[row.state] += row.links
    return sums
