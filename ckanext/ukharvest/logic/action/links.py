"""What the links of resources are."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config, link_job
from ckanext.ukharvest.logic.may import may
from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import links


@tk.side_effect_free
def ukharvest_link_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show what was found at a resource's address. Who may see the resource.

    :param id: id of the resource
    :type id: string

    :returns: nothing if it was never looked at, else ``format`` (empty if it could not be told),
        ``version``, ``layers`` (dicts with ``name`` and ``title``), ``base_url`` and ``title`` of
        a service, ``media_type`` as the server said, ``checked`` and ``due`` (the next look; UTC
        in ISO 8601), and ``why``: one sentence if the last look told nothing, for those who may
        edit the dataset
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_link_show", context, data_dict)
    resource = model.Resource.get(id_)
    if resource is None or resource.state != "active":
        raise tk.ObjectNotFound(tk._("There is no resource of this id."))
    link = links.find(resource.url)
    if link is None or link.checked is None:
        return {}
    shown = links.as_dict(link)
    if shown["why"] and not may(context, "package_update", id=resource.package_id):
        shown["why"] = ""
    return shown


def ukharvest_links_look(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Have a background job look at the links of a harvested dataset now. Who may edit it.

    Looked at are the links of resources without a format, of services, and those that were looked
    at before. A format that a resource has stays: empty it to have the found one written.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``links``: their number, and ``queued``: whether a job was queued for them; else one
        is waiting or at work already
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_links_look", context, data_dict)
    package = dataset_of(id_)
    if not config.looks_at_links():
        raise tk.ValidationError({"id": [tk._("This portal does not look at links.")]})
    number = links.ask(package.id)
    model.Session.commit()
    return {"links": number, "queued": bool(number) and link_job.enqueue()}
