"""Deletions that a run held back: list them, and carry them out once somebody approves."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import store
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, held


@tk.side_effect_free
def ukharvest_deletions_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the deletions of a harvest source that wait for approval.

    Only those whose record is still missing and whose dataset is still there are listed.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``source_id``, ``reason`` and ``job_id`` of the run that held them, ``since`` (UTC),
        and ``deletions``: each with ``guid``, ``dataset_id``, ``dataset_name``, ``title``,
        ``last_seen`` (UTC) and ``missed_runs``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_deletions_list", context, data_dict)
    source = source_of(data_dict)
    state = model.Session.get(SourceState, source.id, populate_existing=True)
    kept = (state.held if state else None) or {}
    waiting = held.waiting(source.id, kept.get("guids", ()))
    if not waiting:
        kept = {}
    return {
        "source_id": source.id,
        "reason": kept.get("reason", ""),
        "job_id": kept.get("job_id"),
        "since": kept.get("since"),
        "deletions": [
            {
                "guid": each.guid,
                "dataset_id": each.package_id,
                "dataset_name": each.name,
                "title": each.title,
                "last_seen": each.last_seen.isoformat(timespec="seconds"),
                "missed_runs": each.missed_runs,
            }
            for each in waiting
        ],
    }


def ukharvest_deletions_approve(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Carry out the deletions of a harvest source that wait, exactly as listed.

    A record that came back meanwhile, or whose dataset somebody deleted, is left alone. Calling
    it again does nothing. The deletions are a job of the source, with its figures.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``deleted``: number of datasets, ``left``: number of listed ones that were not due
        any more, ``job_id``: of the job, None if there was nothing to delete
    :rtype: dictionary
    """
    tk.check_access("ukharvest_deletions_approve", context, data_dict)
    source_id = str(source_of(data_dict).id)
    if held.is_being_read(source_id):
        message = tk._("The source is being read right now; approve again when that has ended.")
        raise tk.ValidationError({"source_id": [message]})
    job_id, object_ids, left = held.release(source_id, context.get("user") or "")
    for object_id in object_ids:
        store.delete(object_id)
        held.done(object_id)
    if job_id:
        held.close(job_id)
        tk.get_action("harvest_source_reindex")({"ignore_auth": True}, {"id": source_id})
    return {"deleted": len(object_ids), "left": left, "job_id": job_id}
