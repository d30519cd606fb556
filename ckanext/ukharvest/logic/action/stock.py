"""Chained actions: clear and show as ckanext-harvest does, without its data losses and leaks."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.logic import auth_audit_exempt
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.logic.sources import find_unended_run, is_insider, source_of
from ckanext.ukharvest.model import (
    index_repair,
    locks,
    notifications,
    ownership,
    pending_index,
)

log = logging.getLogger(__name__)
Session = model.Session

BATCH = 100  # datasets per transaction


@tk.chained_action
def harvest_source_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove all datasets, jobs and objects of a harvest source; the source itself stays.

    For users who may approve deletions. Purges the datasets that no other source claims, in
    batches: if a call fails, the next one continues. Refused during a run of the source.
    ckanext-harvest's action, which this one replaces, also removes every dataset of the portal
    that is in state ``to_delete``, and fails at a dataset with collaborators.

    :param id: the id or name of the harvest source to clear
    :type id: string

    :returns: ``id`` of the source and ``deleted``, the number of datasets
    :rtype: dictionary
    """
    name = tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = source_of({"source_id": name}).id
    with locks.alone(locks.CLEARING, source_id) as is_alone:
        if not is_alone:
            text = tk._(
                "This source is being cleared already, or a run of it is being started. Try again "
                "in a minute."
            )
            raise invalid("id", text)
        refuse_during_run(source_id)
        return _clear(source_id)


def refuse_during_run(source_id: str) -> None:
    """Raise an error if a run of the source is under way.

    Raises:
        ValidationError: with a message about what to do.
    """
    if find_unended_run(source_id):
        raise invalid(
            "id",
            tk._(
                "A run of this source has not ended. Stop it or wait until it ends, then remove "
                "the datasets."
            ),
        )


def _clear(source_id: str) -> dict[str, Any]:
    doomed = ownership.dataset_ids(source_id)
    left = sorted(set(ownership.shared_ids(source_id)) - set(doomed))
    for start in range(0, len(doomed), BATCH):
        batch = doomed[start : start + BATCH]
        ownership.purge(batch)
        pending = pending_index.add(batch)
        Session.commit()
        index_repair.remove(batch)
        pending_index.remove(pending)
    ownership.forget(source_id)
    Session.commit()
    # Index entries that still have the source's id are left from earlier faults, or are other
    # sources' datasets that no longer name this source.
    index_repair.remove(sorted(index_repair.found_ids(source_id)))
    index_repair.put(left)
    _reindex(source_id)
    log.info("Cleared harvest source %s: %d datasets", source_id, len(doomed))
    return {"id": source_id, "deleted": len(doomed)}


# No auth audit: CKAN expects an auth function of the action's name; ckanext-harvest checks that
# of clearing.
@auth_audit_exempt
@tk.chained_action
def harvest_source_job_history_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove the ended jobs of a harvest source with their objects; its datasets stay.

    For users who may approve deletions. The current object of each dataset stays, and its job: a
    dataset's page links to it, and it says which source the dataset comes from.

    :param id: the id or name of the harvest source
    :type id: string
    :param keep_current: also keep the other objects and the errors of jobs that have a current
        object (optional, default: ``False``)
    :type keep_current: bool
    """
    name = tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = source_of({"source_id": name}).id
    ownership.forget_history(
        source_id, keep_current=tk.asbool(data_dict.get("keep_current", False))
    )
    Session.commit()
    _reindex(source_id)
    return {"id": source_id}


@auth_audit_exempt
@tk.chained_action
def harvest_sources_job_history_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, Any]]:
    """Remove the ended jobs of all active harvest sources. Sysadmins only.

    Does :py:func:`harvest_source_job_history_clear` for each. ckanext-harvest's own action takes
    the sources from the search index, at most 1,000 of them.

    :param keep_current: as in :py:func:`harvest_source_job_history_clear` (optional)
    :type keep_current: bool
    """
    tk.check_access("harvest_sources_clear", context, data_dict)
    keep_current = data_dict.get("keep_current", False)
    query = (
        Session.query(HarvestSource.id)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(model.Package.state == "active")
    )
    clear = tk.get_action("harvest_source_job_history_clear")
    return [
        clear({**context, "ignore_auth": True}, {"id": row[0], "keep_current": keep_current})
        for row in query.order_by(HarvestSource.id).all()
    ]


def _reindex(source_id: str) -> None:
    # A new context: the action stores its own settings in the one that it gets.
    context = {"ignore_auth": True, "model": model, "session": Session}
    tk.get_action("harvest_source_reindex")(context, {"id": source_id})


@tk.side_effect_free
@tk.chained_action
def harvest_object_show(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Show a harvest object. For users who may read its dataset.

    An object without a dataset is for users who may update the harvest source. Only they see how
    its import ended (``errors``, ``report_status``, ``retry_times``).

    :param id: the id of the object (or ``dataset_id``)
    :type id: string
    :param attr: name of the field that ``id`` is compared with (optional, default: the id)
    :type attr: string
    :param dataset_id: the id or name of a dataset, for its current object
    :type dataset_id: string
    """
    attr = data_dict.get("attr")
    if attr and data_dict.get("id"):
        # Look it up only once: many objects can share a field's value, and a second look-up may
        # find another object than the one that was authorised.
        obj = HarvestObject.get(data_dict["id"], attr=attr)
        if obj is None:
            raise tk.ObjectNotFound(tk._("Harvest object not found"))
        data_dict = {"id": obj.id}
    shown: dict[str, Any] = original(context, data_dict)
    if not is_insider(context, shown["source"]):
        shown.update(errors=[], report_status=None, retry_times=None)
    return shown


@tk.side_effect_free
@tk.chained_action
def harvest_get_notifications_recipients(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, str]]:
    """List the recipients of ckanext-harvest's email about an ended run.

    These are sysadmins and administrators, without those who get our email about the same failed
    run (``ukharvest_mail_show``).

    :param source_id: the id of the harvest source
    :type source_id: string
    """
    recipients: list[dict[str, str]] = original(context, data_dict)
    ours = notifications.told_of_failure(data_dict["source_id"])
    return [recipient for recipient in recipients if recipient["email"].casefold() not in ours]
