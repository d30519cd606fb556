"""Where a dataset comes from and what the harvest changed in it."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic.paging import validated
from ckanext.ukharvest.logic.provenance import looks_after, shown, told
from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import changes, provenance

MOST = 100  # changes of one answer


@tk.side_effect_free
def ukharvest_dataset_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show where a dataset comes from, and how it stands with its harvest. Times are UTC.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``harvested_by_source``: false for a dataset that no source brought in, and then
        nothing else; ``source`` (``id``, ``name``, ``title``, ``organization`` with ``name`` and
        ``title``; None if it is gone or not to be seen), ``record_id``, ``guid``, ``harvest_url``
        (where the record was read; "" if its source is private and not to be seen), ``harvested``
        (when the dataset was last written from it), ``checked`` (when a run last saw the record),
        ``unchanged`` (that run found nothing new), ``metadata_date`` and ``reference`` as the
        record gives them, ``next_run`` (None where a person starts it), ``state`` (``current``,
        ``missing``, ``held``: it was missing and waits for a decision, ``kept``: it was missing
        and a person kept it, ``off``: its source is switched off, ``source_deleted``),
        ``missed_runs``, ``runs_left`` (that have to miss it before it is deleted), ``kept_fields``
        (``field`` and ``label`` of what an import leaves as a person set it), ``edited_since``
        (when somebody changed the dataset after the last import, None if nobody did). For those
        who may edit the dataset or its source also ``problems_count`` and ``error`` (why the last
        import lost the record: ``code``, ``message``, ``line``), else None
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_show", context, data_dict)
    package = tk.get_action("package_show")(
        {"user": context.get("user"), "ignore_auth": True}, {"id": tk.get_or_bust(data_dict, "id")}
    )
    return shown(context, package)


@tk.side_effect_free
def ukharvest_dataset_changes(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List what the harvest changed in a dataset, the latest change first.

    The last 20 changes of a record are kept; imports that changed nothing are none. Fields that
    the portal hides (``package_hide_extras``) are left out. Those who may edit neither the dataset
    nor its source are told neither the names and addresses of people, nor what changed in a
    public dataset while it was private.

    :param id: id or name of the dataset
    :type id: string
    :param limit: how many, at most 100 (optional, default: 20)
    :type limit: integer
    :param offset: how many to leave out at the beginning (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: each with ``date`` (UTC), ``job_id`` (None if the run's
        history was cleared), ``kind`` (``added``, ``updated``, ``deleted``), ``fields`` and
        ``more`` (number of further ones). Each field has ``field``, ``label``, ``of`` (``dataset``
        or a resource's name), ``old`` and ``new``: shortened texts, both empty where only what
        they do not show differs
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_changes", context, data_dict)
    package = dataset_of(str(tk.get_or_bust(data_dict, "id")))
    origin = provenance.of_dataset(package.id) if context.get("user") else None
    is_told_all = looks_after(context, package.id, origin and origin.source_id)
    page = validated(data_dict, page=changes.KEPT, largest=MOST)
    are_private_told = is_told_all or package.private
    count, found = changes.of_dataset(
        package.id, page["limit"], page["offset"], with_private=are_private_told
    )
    return {"count": count, "results": [told(each, with_contacts=is_told_all) for each in found]}
