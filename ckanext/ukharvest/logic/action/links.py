"""Actions: show and start the link check of resources."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import data_checks, link_checks, link_results
from ckanext.ukharvest.presentation.messages import links as texts


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
        raise tk.ObjectNotFound(tk._("No resource has this id."))
    link = link_results.find(resource.url)
    if link is None or link.checked is None:
        return {}
    shown = link_checks.as_dict(link, resource.format)
    shown["text"] = texts.describe_state(shown)
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
        queued (false also if one is waiting or running already)
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_link_check", context, data_dict)
    package = dataset_of(id_)
    if not config.checks_links():
        raise tk.ValidationError({"id": [tk._("This portal does not check links.")]})
    number = link_checks.ask(package.id)
    data_checks.ask(package.id)
    model.Session.commit()
    return {"links": number, "queued": bool(number) and link_check.enqueue()}
