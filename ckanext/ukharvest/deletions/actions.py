"""Actions: list, approve or keep pending deletions; decide about new identifiers."""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.deletions import schema as deletion_schema
from ckanext.ukharvest.harvest import (
    batch,
    claims,
    conflicts,
    decision_log,
    decisions,
    lost_work,
    outcomes,
    search_index,
)
from ckanext.ukharvest.harvest.items import UNCHANGED
from ckanext.ukharvest.harvest.model import SourceState
from ckanext.ukharvest.harvest.workers import Heart
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.permissions import may, readable_organisations, run_first, source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import meaning, others_wait
from ckanext.ukharvest.sources.texts import describe_limit

Session = model.Session
log = logging.getLogger(__name__)

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
        ``count``, ``kept`` (number of datasets that a person kept), ``may_decide`` (whether the
        user may), and ``deletions``: dicts with ``guid``, ``dataset_id``, ``dataset_name``,
        ``title`` (both "" for another organisation's private dataset), ``last_seen`` (UTC),
        ``missed_runs`` and ``also_in`` (title of another organisation's source that lists the
        dataset too, else ""). If there are any, also ``version`` (of the list, to send with the
        decision), ``seen`` (number of records that the run found), ``datasets`` (number of the
        source's datasets, the listed ones included), ``share`` (of them that is listed, 0 to 1),
        ``max_share`` (above which deletions need approval), ``limit`` (the limit of this portal
        that they passed, as a sentence; "" for none), ``same_title`` (number of listed
        titles that another dataset of the source has: identifiers may have changed) and
        ``deciders``: names of the organisation's administrators
    :rtype: dictionary
    """
    tk.check_access("ukharvest_deletion_list", context, data_dict)
    source = source_of(data_dict)
    state = Session.get(SourceState, source.id, populate_existing=True)
    held: Row = (state.held if state else None) or {}
    waiting = decisions.waiting_deletions(source.id, held.get("guids", ()))
    if not waiting:
        held = {}
    page = schema.validate(data_dict, deletion_schema.deletion_list_schema())
    start, end = page["offset"], page["offset"] + page["limit"]
    return {
        "source_id": source.id,
        "reason": held.get("reason", ""),
        "job_id": held.get("job_id"),
        "since": held.get("since"),
        "count": len(waiting),
        "kept": decision_log.count_kept(source.id),
        "may_decide": may(context, "ukharvest_deletion_decide", source_id=source.id),
        **(_around(source.id, held, waiting) if waiting else {}),
        "deletions": _rows(waiting[start:end], readable_organisations(context)),
    }


def _rows(due: list[decisions.WaitingDeletions], readable: list[str] | None) -> list[Row]:
    routes = conflicts.other_routes([deletion.package_id for deletion in due])
    titles = {id_: route.source_title for id_, route in routes.items()}
    return [
        _row(
            deletion,
            readable is None or deletion.is_for(readable),
            titles.get(deletion.package_id, ""),
        )
        for deletion in due
    ]


def _row(each: decisions.WaitingDeletions, may_read: bool, also_in: str) -> Row:
    return {
        "guid": each.guid,
        "dataset_id": each.package_id,
        "dataset_name": each.name if may_read else "",
        "title": each.title if may_read else "",
        "last_seen": iso(each.last_seen),
        "missed_runs": each.missed_runs,
        "also_in": also_in,
    }


def _around(source_id: str, held: Row, waiting: list[decisions.WaitingDeletions]) -> Row:
    """Return the facts that help to decide."""
    report = outcomes.reports_of([held["job_id"]]).get(held["job_id"])
    datasets, same_title = decisions.around(source_id, waiting)
    max_share = config.delete_max_share()
    return {
        "version": decisions.version_of_deletions(waiting),
        "seen": int((report.counts or {}).get("seen", 0)) if report else 0,
        "datasets": datasets,
        "share": len(waiting) / max(datasets, 1),
        "max_share": max_share,
        "limit": describe_limit(len(waiting), datasets, max_share),
        "same_title": same_title,
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


def ukharvest_deletion_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Carry out the pending deletions of a harvest source, exactly as listed, or keep the datasets.

    For administrators of the source's organisation. Calling it again does nothing.

    ``approve``: records that came back in the meantime and datasets that are deleted already are
    skipped. The deletions are recorded as a harvest job of the source. ``keep``: the datasets are
    no longer updated, and their records no longer count as missing. A record that comes back is
    imported again. ``withdraw``: datasets that were kept before count as missing again, and the
    next complete run deletes them, or asks if they are many.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param decision: ``approve``, ``keep`` or ``withdraw``
    :type decision: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string
    :param guids: only with ``keep``: of the records whose datasets to keep; the others go on
        waiting (optional, default: of all that wait)
    :type guids: list of strings
    :param background: return at once and let the fetch consumers delete (optional, default:
        ``False``)
    :type background: boolean

    :returns: ``deleted`` (with ``background``: to delete), ``kept`` (with ``approve``: because
        their records came back, or another source has them), ``refused`` (their deletion failed;
        the job has the errors) and ``withdrawn``: numbers of datasets, ``left``: number of listed
        ones that were skipped, ``job_id``: id of the job, None if nothing was released
    :rtype: dictionary
    """
    source_id = check_decision(context, data_dict, "ukharvest_deletion_decide")
    data = schema.validate(
        data_dict, deletion_schema.decision_schema("approve", "keep", "withdraw")
    )
    job_id, object_ids, left, withdrawn = None, list[str](), 0, 0
    deleted = kept = refused = 0
    user, version, guids = str(context.get("user") or ""), data["version"], data.get("guids")
    if guids is not None and data["decision"] != "keep":  # it would be of all that wait
        raise invalid("guids", "Only single datasets to keep can be named.")
    try:
        if data["decision"] == "keep":
            kept = decisions.keep_datasets(source_id, user, version, guids)
        elif data["decision"] == "withdraw":
            withdrawn = decision_log.stop_keeping(source_id, user)
        else:
            job_id, object_ids, left = decisions.release(source_id, user, version)
    except decisions.DeletionsChanged as exc:
        raise invalid("version", others_wait()) from exc
    if job_id and data["background"]:
        claims.try_to_queue(partial(lost_work.send, lost_work.FETCH, object_ids))
        deleted = len(object_ids)
    elif job_id:
        counts = _delete(source_id, job_id, object_ids)
        deleted, kept = counts[RecordOutcome.DELETED], counts[UNCHANGED]
        refused = counts[RecordOutcome.ERRORED]
    numbers = {"deleted": deleted, "kept": kept, "refused": refused, "withdrawn": withdrawn}
    return {**numbers, "left": left, "job_id": job_id}


def check_decision(context: Any, data_dict: dict[str, Any], action: str) -> str:
    """Return the id of the source that a decision is about.

    Raises:
        ValidationError: a run is reading the source.
    """
    tk.check_access(action, context, data_dict)
    source_id = str(source_of(data_dict).id)
    if decisions.is_being_read(source_id):
        raise invalid("source_id", run_first())
    return source_id


def _delete(source_id: str, job_id: str, object_ids: list[str]) -> Counter[str]:
    """Delete released datasets in this process; what fails here waits for the consumers.

    Returns:
        Report status → number of harvest objects.
    """
    kind = queue.get_harvester(Session.get(HarvestSource, source_id).type).source_type
    size = config.batch_size()
    with Heart("command") as heart:
        heart.work_on(job_id)
        try:
            for start in range(0, len(object_ids), size):
                ids = claims.claim_given(heart.id, source_id, object_ids[start : start + size])
                batch.import_batch(kind, ids, lambda _id: None)
        except sa.exc.SQLAlchemyError:  # an answer with an error would mean that nothing happens
            log.exception("Approved deletions of source %s wait for the consumers", source_id)
        finally:
            compat.rollback()
            claims.give_back(heart.id)
            Session.commit()
    counts = decisions.close_deletions(job_id)
    search_index.index_changed([source_id], lambda: False)
    return counts


@tk.side_effect_free
def ukharvest_identifier_change_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the datasets of a harvest source whose records seem to have new identifiers.

    For users who may update the source. A run found that they are missing, and new records with
    the same titles or files; neither changes anything until an administrator decides.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param limit: how many to return (optional, default: all)
    :type limit: integer
    :param offset: how many to skip, sorted by title (optional, default: 0)
    :type offset: integer

    :returns: ``source_id``, ``job_id`` of the run that found them, ``since`` (UTC), ``missing``
        (number of records that it missed for the first time), ``count``, ``version`` (of the list,
        to send with the decision), ``text`` (what the run found, in sentences), ``may_decide``
        (whether the user may), ``deciders``: names of the organisation's administrators, and
        ``changes``: dicts with ``guid``, ``new_guid``,
        ``dataset_id``, ``dataset_name`` and ``title`` (both "" for another organisation's private
        dataset)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_identifier_change_list", context, data_dict)
    source_id = source_of(data_dict).id
    page = schema.validate(data_dict, deletion_schema.deletion_list_schema())
    state = Session.get(SourceState, source_id, populate_existing=True)
    stored: Row = (state.changed_identifiers if state else None) or {}
    waiting = decisions.waiting_identifiers(source_id, decisions.load_changed_identifiers(state))
    readable = readable_organisations(context)
    start, end = page["offset"], page["offset"] + page["limit"]
    return {
        "source_id": source_id,
        "job_id": stored.get("job_id"),
        "since": stored.get("since"),
        "missing": stored.get("missing", 0),
        "count": len(waiting),
        "version": decisions.version_of_identifiers(waiting),
        "text": meaning(len(waiting)),
        "may_decide": may(context, "ukharvest_identifier_change_decide", source_id=source_id),
        "deciders": deciders(source_id),
        "changes": [_pair_row(change, readable) for change in waiting[start:end]],
    }


def _pair_row(change: decisions.WaitingIdentifiers, readable: list[str] | None) -> Row:
    may_read = readable is None or change.is_for(readable)
    return {
        "guid": change.guid,
        "new_guid": change.new_guid,
        "dataset_id": change.package_id,
        "dataset_name": change.name if may_read else "",
        "title": change.title if may_read else "",
    }


def ukharvest_identifier_change_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide whether the new records are the same datasets.

    For administrators of the source's organisation.

    ``same``: pages, ids, names, ids of resources and history of the datasets stay. The next run
    updates them from the new records. ``different``: the next run imports the new records as new
    datasets. The old ones count as missing; later complete runs delete them by the usual rules.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param decision: ``same`` or ``different``
    :type decision: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string

    :returns: ``datasets``: their number
    :rtype: dictionary
    """
    source_id = check_decision(context, data_dict, "ukharvest_identifier_change_decide")
    data = schema.validate(data_dict, deletion_schema.decision_schema("same", "different"))
    is_same = data["decision"] == "same"
    decide = decisions.accept if is_same else decisions.refuse
    try:
        return {"datasets": decide(source_id, str(context.get("user") or ""), data["version"])}
    except decisions.DeletionsChanged as exc:
        raise invalid("version", others_wait()) from exc
