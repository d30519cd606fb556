"""Deletions that a run held back: list them, and carry them out or keep the datasets."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config, store
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.logic.may import may, reads
from ckanext.ukharvest.logic.paging import validated
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, held, reports
from ckanext.ukharvest.sweeper import workers
from ckanext.ukharvest.words.runs import others_wait

Session = model.Session
Row = dict[str, Any]


@tk.side_effect_free
def ukharvest_deletions_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the deletions of a harvest source that wait for approval.

    Only those whose record is still missing and whose dataset is still there are listed.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param limit: how many to return (optional, default: all)
    :type limit: integer
    :param offset: how many to leave out, by title (optional, default: 0)
    :type offset: integer

    :returns: ``source_id``, ``reason`` and ``job_id`` of the run that held them, ``since`` (UTC),
        ``count``, and ``deletions``: each with ``guid``, ``dataset_id``, ``dataset_name``,
        ``title`` (both "" of another organisation's private dataset), ``last_seen`` (UTC) and
        ``missed_runs``. Where something waits also
        ``version`` (of the list; those who decide send it back), ``seen`` (records that that run
        found), ``datasets`` (of the source, those listed included), ``share`` (of them, 0 to 1),
        ``max_share`` (above which the portal asks), ``same_title`` (listed titles that another
        dataset of the source has: identifiers may have changed), ``may_decide`` (who asks may)
        and ``deciders``: names of the organisation's administrators
    :rtype: dictionary
    """
    tk.check_access("ukharvest_deletions_list", context, data_dict)
    source = source_of(data_dict)
    state = Session.get(SourceState, source.id, populate_existing=True)
    kept: Row = (state.held if state else None) or {}
    waiting = held.waiting(source.id, kept.get("guids", ()))
    if not waiting:
        kept = {}
    page = validated(data_dict, page=len(waiting), largest=len(waiting))
    start, end = page["offset"], page["offset"] + page["limit"]
    return {
        "source_id": source.id,
        "reason": kept.get("reason", ""),
        "job_id": kept.get("job_id"),
        "since": kept.get("since"),
        "count": len(waiting),
        **(_around(context, source.id, kept, waiting) if waiting else {}),
        "deletions": _rows(waiting[start:end], reads(context)),
    }


def _rows(due: list[held.Waiting], readable: list[str] | None) -> list[Row]:
    return [_row(each, readable is None or each.is_for(readable)) for each in due]


def _row(each: held.Waiting, may_read: bool) -> Row:
    return {
        "guid": each.guid,
        "dataset_id": each.package_id,
        "dataset_name": each.name if may_read else "",
        "title": each.title if may_read else "",
        "last_seen": iso(each.last_seen),
        "missed_runs": each.missed_runs,
    }


def _around(context: Any, source_id: str, kept: Row, waiting: list[held.Waiting]) -> Row:
    """What one has to know to decide."""
    report = reports.reports_of([kept["job_id"]]).get(kept["job_id"])
    datasets, same_title = held.around(source_id, waiting)
    return {
        "version": held.version_of(waiting),
        "seen": int((report.counts or {}).get("seen", 0)) if report else 0,
        "datasets": datasets,
        "share": len(waiting) / max(datasets, 1),
        "max_share": config.delete_max_share(),
        "same_title": same_title,
        "may_decide": _may_decide(context, source_id),
        "deciders": _deciders(source_id),
    }


def _may_decide(context: Any, source_id: str) -> bool:
    return may(context, "ukharvest_deletions_approve", source_id=source_id)


def _deciders(source_id: str) -> list[str]:
    package = model.Package.get(source_id)
    query = (
        Session.query(model.User)
        .join(model.Member, model.Member.table_id == model.User.id)
        .filter(model.Member.group_id == package.owner_org, model.Member.state == "active")
        .filter(model.Member.table_name == "user", model.Member.capacity == "admin")
        .filter(model.User.state == "active")
    )
    return sorted(str(user.display_name) for user in query)


def ukharvest_deletions_approve(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Carry out the deletions of a harvest source that wait, exactly as listed.

    A record that came back meanwhile, or whose dataset somebody deleted, is left alone. Calling
    it again does nothing. The deletions are a job of the source, with its figures.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: of the list that was looked at; if other datasets wait by now, nothing is
        deleted (optional)
    :type version: string
    :param background: let the fetch consumers delete, instead of waiting for it (optional,
        default: ``False``)
    :type background: boolean

    :returns: ``deleted``: number of datasets, ``left``: number of listed ones that were not due
        any more, ``job_id``: of the job, None if there was nothing to delete
    :rtype: dictionary
    """
    source_id, version = _asked(context, data_dict, "ukharvest_deletions_approve")
    try:
        job_id, object_ids, left = held.release(source_id, _user(context), version)
    except held.Changed as exc:
        raise _changed(exc) from exc
    if job_id and tk.asbool(data_dict.get("background")):
        workers.send(workers.FETCH, object_ids)
    else:
        _delete(source_id, job_id, object_ids)
    return {"deleted": len(object_ids), "left": left, "job_id": job_id}


def ukharvest_deletions_keep(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Keep the datasets of a harvest source whose deletion waits; they are no longer updated.

    Their records count as missing no more. A record that comes back is brought in again.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: of the list that was looked at; if other datasets wait by now, nothing changes
        (optional)
    :type version: string

    :returns: ``kept``: number of datasets
    :rtype: dictionary
    """
    source_id, version = _asked(context, data_dict, "ukharvest_deletions_keep")
    try:
        return {"kept": held.keep(source_id, _user(context), version)}
    except held.Changed as exc:
        raise _changed(exc) from exc


def _asked(context: Any, data_dict: dict[str, Any], action: str) -> tuple[str, str]:
    """Return the source's id and the version of the list, unless a run is reading the source."""
    tk.check_access(action, context, data_dict)
    source_id = str(source_of(data_dict).id)
    if held.is_being_read(source_id):
        message = tk._("The source is being read right now; decide again when that has ended.")
        raise tk.ValidationError({"source_id": [message]})
    return source_id, str(data_dict.get("version") or "")


def _user(context: Any) -> str:
    return str(context.get("user") or "")


def _changed(exc: held.Changed) -> tk.ValidationError:
    return tk.ValidationError({"version": [others_wait(exc.number)]})


def _delete(source_id: str, job_id: str | None, object_ids: list[str]) -> None:
    for object_id in object_ids:
        store.delete(object_id)
        held.done(object_id)
    if job_id:
        held.close(job_id)
        tk.get_action("harvest_source_reindex")({"ignore_auth": True}, {"id": source_id})
