"""Actions: list, approve or keep pending deletions."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.permissions import may, readable_organisations
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, handed_on, pending_deletions, run_results
from ckanext.ukharvest.operations.sweeper import lost_work
from ckanext.ukharvest.presentation.messages.runs import others_wait

Session = model.Session
Row = dict[str, Any]


@tk.side_effect_free
def ukharvest_deletion_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the pending deletions of a harvest source. For users who may update the source.

    Leaves out records that are no longer missing and datasets that no longer exist.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param limit: how many to return (optional, default: all)
    :type limit: integer
    :param offset: how many to skip, sorted by title (optional, default: 0)
    :type offset: integer

    :returns: ``source_id``, ``reason`` and ``job_id`` of the run that held them, ``since`` (UTC),
        ``count``, and ``deletions``: dicts with ``guid``, ``dataset_id``, ``dataset_name``,
        ``title`` (both "" for another organisation's private dataset), ``last_seen`` (UTC),
        ``missed_runs`` and ``also_in`` (title of another organisation's source that lists the
        dataset too, else ""). If there are any, also ``version`` (of the list, to send with the
        decision), ``seen`` (number of records that the run found), ``datasets`` (number of the
        source's datasets, the listed ones included), ``share`` (of them that is listed, 0 to 1),
        ``max_share`` (above which deletions need approval), ``same_title`` (number of listed
        titles that another dataset of the source has: identifiers may have changed),
        ``may_decide`` (whether the user may) and ``deciders``: names of the organisation's
        administrators
    :rtype: dictionary
    """
    tk.check_access("ukharvest_deletion_list", context, data_dict)
    source = source_of(data_dict)
    state = Session.get(SourceState, source.id, populate_existing=True)
    kept: Row = (state.held if state else None) or {}
    waiting = pending_deletions.waiting(source.id, kept.get("guids", ()))
    if not waiting:
        kept = {}
    page = schema.validate(data_dict, schema.deletion_list_schema())
    start, end = page["offset"], page["offset"] + page["limit"]
    return {
        "source_id": source.id,
        "reason": kept.get("reason", ""),
        "job_id": kept.get("job_id"),
        "since": kept.get("since"),
        "count": len(waiting),
        **(_around(context, source.id, kept, waiting) if waiting else {}),
        "deletions": _rows(waiting[start:end], readable_organisations(context)),
    }


def _rows(due: list[pending_deletions.Waiting], readable: list[str] | None) -> list[Row]:
    routes = handed_on.other_routes([each.package_id for each in due])
    titles = {id_: route.source_title for id_, route in routes.items()}
    return [
        _row(each, readable is None or each.is_for(readable), titles.get(each.package_id, ""))
        for each in due
    ]


def _row(each: pending_deletions.Waiting, may_read: bool, also_in: str) -> Row:
    return {
        "guid": each.guid,
        "dataset_id": each.package_id,
        "dataset_name": each.name if may_read else "",
        "title": each.title if may_read else "",
        "last_seen": iso(each.last_seen),
        "missed_runs": each.missed_runs,
        "also_in": also_in,
    }


def _around(
    context: Any, source_id: str, kept: Row, waiting: list[pending_deletions.Waiting]
) -> Row:
    """Return the facts that help to decide."""
    report = run_results.reports_of([kept["job_id"]]).get(kept["job_id"])
    datasets, same_title = pending_deletions.around(source_id, waiting)
    return {
        "version": pending_deletions.version_of(waiting),
        "seen": int((report.counts or {}).get("seen", 0)) if report else 0,
        "datasets": datasets,
        "share": len(waiting) / max(datasets, 1),
        "max_share": config.delete_max_share(),
        "same_title": same_title,
        "may_decide": may(context, "ukharvest_deletion_approve", source_id=source_id),
        "deciders": deciders(source_id),
    }


def deciders(source_id: str) -> list[str]:
    """Return the names of the administrators of the source's organisation."""
    package = model.Package.get(source_id)
    query = (
        Session.query(model.User)
        .join(model.Member, model.Member.table_id == model.User.id)
        .filter(model.Member.group_id == package.owner_org, model.Member.state == "active")
        .filter(model.Member.table_name == "user", model.Member.capacity == "admin")
        .filter(model.User.state == "active")
    )
    return sorted(str(user.display_name) for user in query)


def ukharvest_deletion_approve(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Carry out the pending deletions of a harvest source, exactly as listed.

    For administrators of the source's organisation. Records that came back in the meantime and
    datasets that are deleted already are skipped. Calling it again does nothing. The deletions
    are recorded as a harvest job of the source.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing is deleted (optional, default: do not check)
    :type version: string
    :param background: return at once and let the fetch consumers delete (optional, default:
        ``False``)
    :type background: boolean

    :returns: ``deleted``: number of datasets, ``left``: number of listed ones that were skipped,
        ``job_id``: id of the job, None if there was nothing to delete
    :rtype: dictionary
    """
    source_id = check_decision(context, data_dict, "ukharvest_deletion_approve")
    data = schema.validate(data_dict, schema.deletion_approve_schema())
    user, version = _user(context), data["version"]
    try:
        job_id, object_ids, left = pending_deletions.release(source_id, user, version)
    except pending_deletions.Changed as exc:
        raise _changed(exc) from exc
    if job_id and data["background"]:
        lost_work.send(lost_work.FETCH, object_ids)
    else:
        _delete(source_id, job_id, object_ids)
    return {"deleted": len(object_ids), "left": left, "job_id": job_id}


def ukharvest_deletion_keep(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Keep the datasets of a harvest source's pending deletions; they are no longer updated.

    For administrators of the source's organisation. Their records no longer count as missing. A
    record that comes back is imported again.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string

    :returns: ``kept``: number of datasets
    :rtype: dictionary
    """
    source_id = check_decision(context, data_dict, "ukharvest_deletion_keep")
    data = schema.validate(data_dict, schema.deletion_keep_schema())
    try:
        return {"kept": pending_deletions.keep_datasets(source_id, _user(context), data["version"])}
    except pending_deletions.Changed as exc:
        raise _changed(exc) from exc


def check_decision(context: Any, data_dict: dict[str, Any], action: str) -> str:
    """Return the id of the source that a decision is about.

    Raises:
        ValidationError: a run is reading the source.
    """
    tk.check_access(action, context, data_dict)
    source_id = str(source_of(data_dict).id)
    if pending_deletions.is_being_read(source_id):
        message = tk._("The source is being read right now; decide again when that has ended.")
        raise tk.ValidationError({"source_id": [message]})
    return source_id


def _user(context: Any) -> str:
    return str(context.get("user") or "")


def _changed(exc: pending_deletions.Changed) -> tk.ValidationError:
    return tk.ValidationError({"version": [others_wait(exc.number)]})


def _delete(source_id: str, job_id: str | None, object_ids: list[str]) -> None:
    for object_id in object_ids:
        dataset_writer.delete(object_id)
        pending_deletions.done(object_id)
    if job_id:
        pending_deletions.close(job_id)
        tk.get_action("harvest_source_reindex")({"ignore_auth": True}, {"id": source_id})
