"""ckanext-harvest's actions that clear and show, done so that they lose nobody else's data."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.logic import auth_audit_exempt
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.logic.sources import is_insider
from ckanext.ukharvest.model import indexed, mail, ownership

log = logging.getLogger(__name__)
Session = model.Session

BATCH = 100  # datasets a transaction


def _source(data_dict: dict[str, Any]) -> HarvestSource:
    package = model.Package.get(tk.get_or_bust(data_dict, "id"))
    source = HarvestSource.get(package.id) if package else None
    if source is None:
        raise tk.ObjectNotFound(tk._("Harvest source not found"))
    return source


@tk.chained_action
def harvest_source_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove all datasets, jobs and objects of a harvest source; the source itself stays.

    Datasets go for good (purged, not only deleted), and only those that no other source claims.
    They go in batches, so a call that breaks off leaves a smaller rest for the next one.
    ckanext-harvest's action, which this one replaces, also removes every dataset of the portal
    that is in state ``to_delete``, and fails at a dataset with collaborators.

    :param id: the id or name of the harvest source to clear
    :type id: string

    :returns: ``id`` of the source and ``deleted``, the number of datasets
    :rtype: dictionary
    """
    tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = _source(data_dict).id
    doomed = ownership.dataset_ids(source_id)
    left = sorted(set(ownership.shared_ids(source_id)) - set(doomed))
    for start in range(0, len(doomed), BATCH):
        batch = doomed[start : start + BATCH]
        ownership.purge(batch)
        Session.commit()
        indexed.remove(batch)
    ownership.forget(source_id)
    Session.commit()
    # What is found under the source's id now is a rest of earlier trouble, or others' datasets,
    # which no longer name this source.
    indexed.remove(sorted(indexed.found_ids(source_id)))
    indexed.put(left)
    _reindex(source_id)
    log.info("Cleared harvest source %s: %d datasets", source_id, len(doomed))
    return {"id": source_id, "deleted": len(doomed)}


# CKAN looks for an auth function of the action's own name; ckanext-harvest asks that of clearing.
@auth_audit_exempt
@tk.chained_action
def harvest_source_job_history_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove the ended jobs of a harvest source with their objects; its datasets stay.

    The current object of each dataset stays, and the job that it came in: it is what a dataset's
    page links to, and what says that the dataset is this source's.

    :param id: the id or name of the harvest source
    :type id: string
    :param keep_current: keep also the other objects and the errors of jobs that a current object
        came in (optional, default: ``False``)
    :type keep_current: bool
    """
    tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = _source(data_dict).id
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
    """Remove the ended jobs of all active harvest sources; see the action for one source.

    ckanext-harvest's action takes the sources from the search index, at most 1,000 of them.

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
    # A fresh context: the action leaves its own settings in the one that it gets.
    context = {"ignore_auth": True, "model": model, "session": Session}
    tk.get_action("harvest_source_reindex")(context, {"id": source_id})


@tk.side_effect_free
@tk.chained_action
def harvest_object_show(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Show a harvest object, to those who may read its dataset.

    Without a dataset it is shown to those who may update the harvest source; they alone see
    how its import ended (``errors``, ``report_status``, ``retry_times``).

    :param id: the id of the object (or ``dataset_id``)
    :type id: string
    :param attr: look ``id`` up in this field of the object instead (optional)
    :type attr: string
    :param dataset_id: the id or name of a dataset whose current object is wanted
    :type dataset_id: string
    """
    attr = data_dict.get("attr")
    if attr and data_dict.get("id"):
        # Found once: a second look-up by a field that many objects share may find another one
        # than the one whose reading was allowed.
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
    """List who gets ckanext-harvest's mail on a run that ended: sysadmins, administrators.

    Those who are told of a failed run by our mails (``ukharvest_mail_show``) are left out of its
    mail on that run.

    :param source_id: the id of the harvest source
    :type source_id: string
    """
    found: list[dict[str, str]] = original(context, data_dict)
    told = mail.told_of_failure(data_dict["source_id"])
    return [each for each in found if each["email"].casefold() not in told]
