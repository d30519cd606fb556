"""Actions: list what waits for a person, and decide about it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import DecisionKind, PendingKind, RecordOutcome, RecordState
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.deletions import schema as deletion_schema
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.batch.items import UNCHANGED
from ckanext.ukharvest.harvest.consumers import claims
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.records import decisions, pending, record_state
from ckanext.ukharvest.harvest.records.pending import Waiting
from ckanext.ukharvest.harvest.run import run_end, run_report
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import RUN_FIRST, source_of
from ckanext.ukharvest.lib.permissions import may, readable_organisations
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import OTHERS_WAIT, meaning
from ckanext.ukharvest.sources.texts import describe_limit

Session = model.Session
log = logging.getLogger(__name__)

Row = dict[str, Any]


@tk.side_effect_free
def ukharvest_pending_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the datasets of a harvest source that wait for a decision.

    For users who may update the source. Leaves out records that came back and datasets that no
    longer exist. Of ``identifier`` a run found that the datasets' records are missing, and new
    records with the same titles or files; neither changes anything until an administrator decides.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param kind: ``deletion``: their deletion is pending; ``identifier``: their records seem to have
        new identifiers (optional, default: ``deletion``)
    :type kind: string
    :param limit: how many to return (optional, default: all)
    :type limit: integer
    :param offset: how many to skip, sorted by title (optional, default: 0)
    :type offset: integer

    :returns: ``source_id``, ``kind``, ``job_id`` of the run that found them, ``since`` (UTC),
        ``count``, ``version`` (of the list, to send with the decision), ``may_decide`` (whether the
        user may), ``deciders`` (names of the organisation's administrators), ``results``: dicts
        with ``guid``, ``new_guid`` ("" of a deletion), ``dataset_id``, ``dataset_name``, ``title``
        (both "" for another organisation's private dataset), ``last_seen`` (UTC), ``missed_runs``
        and ``also_in`` (title of another organisation's source that lists the dataset too, else
        ""). Of deletions also ``reason`` and ``kept`` (number of datasets that a person kept), and,
        if there are any, ``seen`` (number of records that the run found), ``datasets`` (number of
        the source's datasets, the listed ones included), ``share`` (of them that is listed, 0 to
        1), ``max_share`` (above which deletions need approval), ``limit`` (the limit of this portal
        that they passed, as a sentence; "" for none) and ``same_title`` (number of listed titles
        that another dataset of the source has: identifiers may have changed). Of identifiers also
        ``missing`` (number of records that the run missed for the first time) and ``text`` (what
        it found, in sentences)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_pending_list", context, data_dict)
    source_id = str(source_of(data_dict).id)
    data = schema.validate(data_dict, deletion_schema.pending_list_schema())
    kind = PendingKind(data["kind"])
    waiting = pending.load_waiting(source_id, kind)
    job_id = waiting[0].job_id if waiting else None
    report = run_report.reports_of([job_id]).get(job_id) if job_id else None
    page = waiting[data["offset"] : data["offset"] + data["limit"]]
    return {
        "source_id": source_id,
        "kind": kind,
        "job_id": job_id,
        "since": iso(waiting[0].since) if waiting else None,
        "count": len(waiting),
        "version": pending.version_of(waiting),
        "may_decide": may(context, "ukharvest_pending_decide", source_id=source_id),
        "deciders": deciders(source_id),
        **(
            _about_deletions(source_id, report, waiting)
            if kind is PendingKind.DELETION
            else {"missing": pending.waits_of(report).missing, "text": meaning(len(waiting))}
        ),
        "results": _rows(page, readable_organisations(context)),
    }


def _rows(page: Sequence[Waiting], readable: list[str] | None) -> list[Row]:
    others = routes.find_others([dataset.package_id for dataset in page if not dataset.new_guid])
    titles = {id_: other.source_title for id_, other in others.items()}
    return [
        _row(
            dataset,
            readable is None or dataset.is_for(readable),
            titles.get(dataset.package_id, ""),
        )
        for dataset in page
    ]


def _row(dataset: Waiting, may_read: bool, also_in: str) -> Row:
    return {
        "guid": dataset.guid,
        "new_guid": dataset.new_guid,
        "dataset_id": dataset.package_id,
        "dataset_name": dataset.name if may_read else "",
        "title": dataset.title if may_read else "",
        "last_seen": iso(dataset.last_seen),
        "missed_runs": dataset.missed_runs,
        "also_in": also_in,
    }


def _about_deletions(source_id: str, report: JobReport | None, waiting: Sequence[Waiting]) -> Row:
    """Return the facts that help to decide."""
    facts = {
        "kept": record_state.count_absent(source_id, RecordState.KEPT),
        "reason": pending.waits_of(report).reason,
    }
    if not waiting:
        return facts
    datasets, same_title = decisions.count_around(source_id, waiting)
    max_share = config.delete_max_share()
    return {
        **facts,
        "seen": int((report.counts or {}).get("seen", 0)) if report else 0,
        "datasets": datasets,
        "share": len(waiting) / max(datasets, 1),
        "max_share": max_share,
        "limit": describe_limit(len(waiting), datasets, max_share),
        "same_title": same_title,
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


def ukharvest_pending_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide about the datasets of a harvest source that wait, exactly as listed.

    For administrators of the source's organisation. Calling it again does nothing.

    Of pending deletions, ``approve``: records that came back in the meantime and datasets that are
    deleted already are skipped. The deletions are recorded as a harvest job of the source.
    ``keep``: the datasets are no longer updated, and their records no longer count as missing. A
    record that comes back is imported again. ``withdraw``: datasets that were kept before count as
    missing again, and the next complete run deletes them, or asks if they are many.

    Of new identifiers, ``same``: pages, ids, names, ids of resources and history of the datasets
    stay. The next run updates them from the new records. ``different``: the next run imports the
    new records as new datasets. The old ones count as missing; later complete runs delete them by
    the usual rules.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param decision: ``approve``, ``keep``, ``withdraw``, ``same`` or ``different``
    :type decision: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string
    :param guids: only with ``keep``: of the records whose datasets to keep; the others go on
        waiting (optional, default: of all that wait)
    :type guids: list of strings
    :param background: with ``approve``, return at once and let the fetch consumers delete
        (optional, default: ``False``)
    :type background: boolean

    :returns: ``datasets`` (that it was about), ``deleted`` (with ``background``: to delete),
        ``kept`` (with ``approve``: because their records came back, or another source has them) and
        ``refused`` (their deletion failed; the job has the errors): numbers of datasets, ``left``:
        number of listed ones that were skipped, ``job_id``: id of the job, None if nothing was
        released
    :rtype: dictionary
    """
    tk.check_access("ukharvest_pending_decide", context, data_dict)
    source_id, user = str(source_of(data_dict).id), str(context.get("user") or "")
    if decisions.is_being_read(source_id):
        raise invalid("source_id", tk._(RUN_FIRST))
    data = schema.validate(data_dict, deletion_schema.pending_decide_schema(*_DECISIONS))
    decision, guids = data["decision"], data.get("guids")
    if guids is not None and decision != "keep":  # it would be of all that wait
        raise invalid("guids", "Only single datasets to keep can be named.")
    kind = _DECISIONS[decision]
    if kind is DecisionKind.NOT_KEPT:
        done = decisions.Decided(decision_log.stop_keeping(source_id, user))
    else:
        try:
            done = decisions.decide_pending(source_id, kind, user, data["version"], guids)
        except decisions.ListChanged as exc:
            raise invalid("version", tk._(OTHERS_WAIT)) from exc
    numbers = {"deleted": 0, "refused": 0, "kept": done.number if decision == "keep" else 0}
    if done.job_id and data["background"]:
        numbers["deleted"] = len(done.object_ids)
    elif done.job_id:
        counts = _delete(source_id, done.job_id, done.object_ids)
        numbers = {name: counts[status] for name, status in _COUNTED.items()}
    return {"datasets": done.number, **numbers, "left": done.left, "job_id": done.job_id}


_DECISIONS = {
    "approve": DecisionKind.DELETIONS_APPROVED,
    "keep": DecisionKind.DELETIONS_REFUSED,
    "withdraw": DecisionKind.NOT_KEPT,
    "same": DecisionKind.SAME_DATASETS,
    "different": DecisionKind.OTHER_DATASETS,
}
_COUNTED = {
    "deleted": RecordOutcome.DELETED,
    "refused": RecordOutcome.ERRORED,
    "kept": UNCHANGED,
}


def _delete(source_id: str, job_id: str, object_ids: Sequence[str]) -> Counter[str]:
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
                import_stage.import_batch(kind, ids, lambda _id: None)
        except sa.exc.SQLAlchemyError:  # an answer with an error would mean that nothing happens
            log.exception("Approved deletions of source %s wait for the consumers", source_id)
        finally:
            compat.rollback()
            claims.give_back(heart.id)
            Session.commit()
    if not run_end.end_if_done(job_id):  # it goes on; the numbers of datasets have changed
        search_index.index_changed([source_id], lambda: False)
    return decisions.count_results(job_id)
