"""Write datasets, their harvest objects, record rows and problems: the only module that does.

Everything about one record is written in one transaction, under an advisory lock on its source and
guid, so that a record delivered twice, or to two consumers, is written once. The dataset is indexed
after the commit (index_after_commit.py). After a crash between the two the next tick indexes it, so
there is never a search result without a dataset.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, config, fields
from ckanext.ukharvest.core.dataset_changes import is_changed
from ckanext.ukharvest.core.errors import NotValid, RecordError, RejectedByCkan, UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.engine import index_after_commit
from ckanext.ukharvest.engine import search_index as index
from ckanext.ukharvest.engine.changed_fields import find_changed_fields
from ckanext.ukharvest.mapping import package_mapper, profile_fields
from ckanext.ukharvest.model import (
    Record,
    adoption,
    changes,
    coupling,
    guid_conflicts,
    link_checks,
    pending_deletions,
    record_rows,
    utcnow,
    versions,
)
from ckanext.ukharvest.model.dataset_names import free_name
from ckanext.ukharvest.model.refusals import Rejected, is_name_taken, rejection
from ckanext.ukharvest.model.service_faults import is_deadlock
from ckanext.ukharvest.quality import themes

log = logging.getLogger(__name__)
Session = model.Session

UNCHANGED = "not modified"  # ckanext-harvest's report_status; no outcome of a record row
ERRORED = RecordOutcome.ERRORED
# Two consumers can choose the same name at the same time; a third collision is no accident.
NAME_TRIES = 3


@dataclass(frozen=True, slots=True)
class Write:
    """One record to write.

    Attributes:
        object_id: its harvest object; becomes the current one.
        record: the parsed record.
        stamp: its fingerprint, import rules and HTTP validators; stored with it.
        profile_fields: dataset dict of ckanext-dcat's profiles; adds fields that ours lacks.
        forced: also restore a dataset that a person deleted.
        schema: names of the dataset type's own fields.
    """

    object_id: str
    record: DatasetRecord
    stamp: record_rows.Stamp
    defaults: package_mapper.Defaults
    profile_fields: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    schema: frozenset[str] = field(default_factory=frozenset)


def upsert_many(writes: Sequence[Write]) -> list[str | UkharvestError]:
    """Write records in one transaction; a single import is a batch of one.

    If CKAN refuses a record, the transaction is rolled back and the batch written one by one, so
    that the other records are imported. Commits or rolls back the caller's session.

    Returns:
        For each record "added", "updated" or "not modified", or its error (not yet stored: call
            ``fail``).
    """
    for attempt in range(1, NAME_TRIES + 1):
        try:
            with index_after_commit.suspend_indexing() as pending:
                written = [_write(write) for write in writes]
                Session.commit()
        except (Rejected, RecordError, sa.exc.IntegrityError) as exc:
            compat.rollback()
            if len(writes) > 1:
                return [result for write in writes for result in upsert_many([write])]
            if not is_name_taken(exc):
                return [rejection(exc, writes[0].record.title)]
        except sa.exc.OperationalError as exc:
            compat.rollback()
            # The other transaction has ended, so the next try succeeds.
            if not is_deadlock(exc) or attempt == NAME_TRIES:
                raise
        else:
            return _index(written, pending)
    return [RejectedByCkan("name: no free name for the dataset could be found; try again later")]


def _index(
    written: list[tuple[str, str]], pending: Mapping[str, datetime.datetime]
) -> list[str | UkharvestError]:
    """Index the written datasets; return each record's status, or an error if Solr refused it.

    If the index or database is down, the records do not fail: the sweeper indexes them later.
    """
    try:
        refused = index.index_pending(pending)
        if refused:
            record_rows.forget_stamps(sorted(refused))
            Session.commit()
    except compat.IndexFailed as exc:
        log.warning("%d datasets wait for the search index: %s", len(pending), exc)
        refused = {}
    except sa.exc.DBAPIError:
        log.warning("%d datasets wait for the search index", len(pending), exc_info=True)
        compat.rollback()
        refused = {}
    return [
        _not_indexed(refused[package_id]) if package_id in refused else status
        for status, package_id in written
    ]


def _not_indexed(reason: str) -> RejectedByCkan:
    message = "the dataset is stored but the search index does not accept it"
    return RejectedByCkan(f"{message}: {one_line(reason)}", code="index-failed")


def _write(write: Write) -> tuple[str, str]:
    obj = HarvestObject.get(write.object_id)
    row = record_rows.locked(obj)
    Session.refresh(obj)
    if obj.report_status:  # the same message was processed while this one waited for the lock
        return obj.report_status, obj.package_id
    package = Session.get(model.Package, row.package_id) if row.package_id else None
    if package and package.state != "active" and not row.removed and not write.forced:
        return _leave_deleted(obj, row, write)
    is_new = package is None or package.state != "active"
    if is_new:
        guid_conflicts.refuse_foreign(obj.guid, write.record.title, obj.source)
    status, package_id, resources, found = _write_package(write, row, package)
    record_rows.make_current(obj, package_id, status)
    _save_row(row, write, status, package_id)
    row.resources = resources
    row.removed = False
    row.written = utcnow()
    index_after_commit.mark_pending(package_id)
    change = RecordOutcome.ADDED if is_new else RecordOutcome.UPDATED
    changes.save(row.id, obj.harvest_job_id, change, found)
    return status, package_id


def _leave_deleted(obj: HarvestObject, row: Record, write: Write) -> tuple[str, str]:
    # A person deleted this dataset. It stays deleted, and the record counts as unchanged until a
    # full run; its stamp is saved, so that it is not fetched again before.
    obj.report_status = UNCHANGED
    obj.package_id = row.package_id
    _save_row(row, write, RecordOutcome.UPDATED, row.package_id)
    return UNCHANGED, row.package_id


def _write_package(
    write: Write, row: Record, package: model.Package | None
) -> tuple[str, str, list[tuple[str, str]], list[changes.FieldChange]]:
    existing = _show(package.id) if package else None
    known = row.resources
    if known is None and existing:
        known = adoption.resources_written(existing["id"], existing["resources"])
    record = link_checks.with_found_formats(write.record)
    mapped = package_mapper.to_package_dict(record, existing, known, write.schema, write.defaults)
    profile_fields.add_missing_fields(mapped.package, write.profile_fields, write.schema)
    more = themes.set_themes(
        mapped.package, existing, write.schema, write.defaults, forced=write.forced
    )
    if existing is not None:
        # Most imports of a full run change nothing and need no second read of the dataset.
        differs = is_changed(existing, mapped.package)
        _call("package_update", mapped.package, original_package=existing, **more)
        found = find_changed_fields(existing, _show(existing["id"])) if differs else []
        return RecordOutcome.UPDATED, existing["id"], mapped.resources, found
    mapped.package["name"] = free_name(write.record.title, write.record.name)
    package_id = _call("package_create", mapped.package, **more)
    return RecordOutcome.ADDED, package_id, mapped.resources, []


def _call(action: str, package: dict[str, Any], **more: Any) -> str:
    context = {
        "user": config.harvest_user(),
        "ignore_auth": True,
        # With both, the action neither commits nor indexes. defer_commit alone loses the change
        # on CKAN 2.12 (package_update rolls its savepoint back).
        "defer_commit": True,
        "return_id_only": True,
        fields.BY_HARVEST: True,
        **more,
    }
    try:
        return str(tk.get_action(action)(context, package))
    except tk.ValidationError as exc:
        raise Rejected(exc.error_dict) from exc


def _show(package_id: str, **more: Any) -> dict[str, Any]:
    context = {"ignore_auth": True, "use_cache": False, **more}
    return dict(tk.get_action("package_show")(context, {"id": package_id}))


def fill_formats(package_id: str) -> list[str]:
    """Set missing formats of a dataset's resources from its link checks; commit.

    Locks its records, so that no import runs at the same time. Returns the ids of the resources
    that got a format.

    Raises:
        RecordError: CKAN or its index refused the dataset.
    """
    compat.rollback()  # data read before the locks may be outdated
    record_rows.lock_all_of(package_id)
    before = _show(package_id, for_update=True)
    resources, filled = link_checks.fill(before["resources"])
    if not filled or before["state"] != "active":
        Session.commit()
        return []
    after = {**before, "resources": resources}
    del after["metadata_modified"]  # CKAN 2.12 would keep it
    try:
        with index_after_commit.suspend_indexing() as pending:
            _call("package_update", after, original_package=before)
            record_rows.note_written(package_id, before["metadata_modified"])
            index_after_commit.mark_pending(package_id)
            Session.commit()
    except (Rejected, sa.exc.IntegrityError) as exc:
        compat.rollback()
        raise rejection(exc) from exc
    (result,) = _index([(RecordOutcome.UPDATED, package_id)], pending)
    if isinstance(result, UkharvestError):
        raise result
    return filled


def _save_row(row: Record, write: Write, outcome: str, package_id: str | None) -> None:
    obj = HarvestObject.get(write.object_id)
    is_changed_record = row.fingerprint != write.stamp.fingerprint
    row.package_id = package_id
    row.outcome = outcome
    record_rows.put_title(row, write.record.title)
    row.error = None
    record_rows.put_stamp(row, write.stamp)
    record_rows.mark_seen(row, obj)
    Session.flush()
    if is_changed_record and obj.content:
        versions.save(row.id, obj.harvest_job_id, obj.content)
    record_rows.replace_problems(row, write.record.problems)
    coupling.replace(row.id, write.record.coupled)


def skip(object_id: str, stamp: record_rows.Stamp) -> None:
    """Mark a record as skipped by the options, so that it is not fetched until it changes; commit.

    If it has a dataset from an earlier import, later complete runs count it as missing.
    """
    obj = HarvestObject.get(object_id)
    row = record_rows.locked(obj)
    row.outcome = RecordOutcome.SKIPPED
    row.error = None
    record_rows.put_stamp(row, stamp)
    record_rows.mark_seen(row, obj)
    obj.report_status = UNCHANGED
    Session.commit()


def delete(object_id: str) -> str:
    """Delete the dataset of a record that its source no longer lists; commit.

    Does nothing if the record came back since the approval, or the dataset is already deleted.

    Returns:
        "deleted", or "not modified" if nothing was done.
    """
    obj = HarvestObject.get(object_id)
    row = record_rows.locked(obj)
    Session.refresh(obj)
    if obj.report_status:
        Session.commit()
        return str(obj.report_status)
    package = Session.get(model.Package, row.package_id) if row.package_id else None
    is_back = not row.missed_runs and pending_deletions.is_approval(obj.harvest_job_id)
    if package is None or package.state != "active" or is_back:
        obj.report_status = UNCHANGED
        Session.commit()
        return UNCHANGED
    obj.report_status = RecordOutcome.DELETED
    obj.current = False
    row.outcome = RecordOutcome.DELETED
    row.error = None
    row.removed = True
    row.fingerprint = ""
    Session.flush()
    changes.save(row.id, obj.harvest_job_id, RecordOutcome.DELETED)
    obj.package_id = package.id
    record_rows.retire(package.id, obj)
    package_id = package.id
    context = {"user": config.harvest_user(), "ignore_auth": True}
    with index_after_commit.suspend_indexing() as pending:
        index_after_commit.mark_pending(package_id)
        # package_delete commits everything above too.
        tk.get_action("package_delete")(context, {"id": package_id})
        Session.commit()
    _index([(RecordOutcome.DELETED, package_id)], pending)
    return RecordOutcome.DELETED


def fail(object_id: str, error: UkharvestError, stage: str) -> None:
    """Store why a record failed; commit. Its dataset, if any, is not changed.

    Args:
        stage: "Fetch" or "Import".
    """
    obj = HarvestObject.get(object_id)
    row = record_rows.locked(obj)
    if row.outcome == RecordOutcome.ERRORED and not isinstance(error, NotValid):
        record_rows.forget_rejection(row)
    row.outcome = RecordOutcome.ERRORED
    record_rows.spoil_stamp(row, obj)
    record_rows.mark_seen(row, obj)
    obj.report_status = RecordOutcome.ERRORED
    if isinstance(error, NotValid):  # it names the problems
        Session.flush()
        record_rows.replace_problems(row, error.problems, lost=True)
    record_rows.put_error(row, obj, error, stage)
    Session.commit()
