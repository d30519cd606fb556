"""The one writer: datasets, their harvest objects, record rows and problems.

Everything about one record is written in one transaction, under an advisory lock on its source
and guid, so that a record that is delivered twice, or to two consumers, is written once. The
search index follows the commit: a crash between the two leaves a dataset that is not found yet,
never a search result without a dataset.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, config, fields, further, mapper, theming
from ckanext.ukharvest.core.changed import is_changed
from ckanext.ukharvest.core.errors import NotValid, RecordError, RejectedByCkan, UkharvestError
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.model import (
    Record,
    adoption,
    changes,
    claims,
    coupling,
    held,
    links,
    rows,
    utcnow,
    versions,
)
from ckanext.ukharvest.model.names import free_name
from ckanext.ukharvest.model.refusals import Rejected, is_name_taken, rejection

log = logging.getLogger(__name__)
Session = model.Session

ADDED, UPDATED, UNCHANGED, DELETED, ERRORED, SKIPPED = (
    "added",
    "updated",
    "not modified",
    "deleted",
    "errored",
    "skipped",
)
# Two workers can choose one name between look-up and insert; a third time is no accident.
NAME_TRIES = 3


@dataclass(frozen=True, slots=True)
class Write:
    """One record to be written.

    Attributes:
        object_id: the harvest object it came in; becomes the current one.
        record: what the source says.
        stamp: what it was read from; stored with it.
        further: a dataset dict of ckanext-dcat's profiles; what ours has not is added from it.
        forced: also bring back a dataset that a person deleted.
    """

    object_id: str
    record: DatasetRecord
    stamp: rows.Stamp
    defaults: mapper.Defaults
    further: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    schema: frozenset[str] = field(default_factory=frozenset)


def upsert_many(writes: Sequence[Write]) -> list[str | UkharvestError]:
    """Write records, all in one transaction; a single import is a batch of one.

    A record that CKAN refuses ends the transaction: the batch is then written one by one, so
    that it costs nobody but itself. The caller's session is committed or rolled back.

    Returns:
        For each record "added", "updated" or "not modified", or the error that it was lost to
        (not yet written to the database: see ``fail``).
    """
    for _try in range(NAME_TRIES):
        try:
            written = [_write(write) for write in writes]
            Session.commit()
        except (Rejected, RecordError, sa.exc.IntegrityError) as exc:
            compat.rollback()
            if len(writes) > 1:
                return [result for write in writes for result in upsert_many([write])]
            if not is_name_taken(exc):
                return [rejection(exc, writes[0].record.title)]
        else:
            return _index(written)
    return [RejectedByCkan("name: no free name for the dataset could be found; try again later")]


def _index(written: list[tuple[str, str]]) -> list[str | UkharvestError]:
    changed = [package_id for status, package_id in written if status in (ADDED, UPDATED)]
    try:
        compat.index_packages(changed)
    except compat.IndexFailed as exc:
        log.error("Search index not written for %s: %s", changed, exc)
        rows.forget_stamps(changed)
        Session.commit()
        message = "the dataset is stored but the search index did not accept it; it is tried again"
        return [RejectedByCkan(f"{message} at the next run", code="index-failed") for _ in written]
    return [status for status, _package_id in written]


def _write(write: Write) -> tuple[str, str]:
    obj = HarvestObject.get(write.object_id)
    row = rows.locked(obj)
    Session.refresh(obj)
    if obj.report_status:  # the same message was worked off while this one waited for the lock
        return obj.report_status, obj.package_id
    package = Session.get(model.Package, row.package_id) if row.package_id else None
    if package and package.state != "active" and not row.removed and not write.forced:
        return _leave_deleted(obj, row, write)
    is_new = package is None or package.state != "active"
    if is_new:
        claims.refuse_foreign(obj.guid, write.record.title, obj.source)
    status, package_id, resources, found = _write_package(write, row, package)
    rows.make_current(obj, package_id, status)
    _remember(row, write, status, package_id)
    row.resources = resources
    row.removed = False
    row.written = utcnow()
    changes.keep(row.id, obj.harvest_job_id, ADDED if is_new else UPDATED, found)
    return status, package_id


def _leave_deleted(obj: HarvestObject, row: Record, write: Write) -> tuple[str, str]:
    # A person deleted this dataset. It stays deleted, and the record counts as unchanged until
    # a forced run; its content is remembered, so that it costs nothing until then.
    obj.report_status = UNCHANGED
    obj.package_id = row.package_id
    _remember(row, write, UPDATED, row.package_id)
    return UNCHANGED, row.package_id


def _write_package(
    write: Write, row: Record, package: model.Package | None
) -> tuple[str, str, list[tuple[str, str]], list[changes.Difference]]:
    existing = _show(package.id) if package else None
    known = row.resources
    if known is None and existing:
        known = adoption.resources_written(existing["id"], existing["resources"])
    record = links.with_found_formats(write.record)
    mapped = mapper.to_package_dict(record, existing, known, write.schema, write.defaults)
    further.add_missing(mapped.package, write.further, write.schema)
    more = theming.put(mapped.package, existing, write.schema, write.defaults, forced=write.forced)
    if existing is not None:
        # Most forced imports change nothing, and need no second look at what became of it.
        differs = is_changed(existing, mapped.package)
        _call("package_update", mapped.package, original_package=existing, **more)
        found = changes.found(existing, _show(existing["id"])) if differs else []
        return UPDATED, existing["id"], mapped.resources, found
    mapped.package["name"] = free_name(write.record.title, write.record.name)
    package_id = _call("package_create", mapped.package, **more)
    return ADDED, package_id, mapped.resources, []


def _call(action: str, package: dict[str, Any], **more: Any) -> str:
    context = {
        "user": config.harvest_user(),
        "ignore_auth": True,
        # Both together: the action neither commits nor indexes. defer_commit alone drops the
        # change on CKAN 2.12 (package_update rolls its savepoint back).
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
    """Give a dataset's resources without a format what was found at their links; commits.

    Under the locks of its records, so that an import is neither overwritten nor met half-way.
    Returns the ids of the resources that were given one.

    Raises:
        RecordError: CKAN does not accept the dataset, or its index did not.
    """
    compat.rollback()  # what was read before the locks may be out of date
    rows.lock_all_of(package_id)
    before = _show(package_id, for_update=True)
    resources, filled = links.fill(before["resources"])
    if not filled or before["state"] != "active":
        Session.commit()
        return []
    after = {**before, "resources": resources}
    del after["metadata_modified"]  # CKAN 2.12 would keep it
    try:
        _call("package_update", after, original_package=before)
        rows.note_written(package_id, before["metadata_modified"])
        Session.commit()
    except (Rejected, sa.exc.IntegrityError) as exc:
        compat.rollback()
        raise rejection(exc) from exc
    (result,) = _index([(UPDATED, package_id)])
    if isinstance(result, UkharvestError):
        raise result
    return filled


def _remember(row: Record, write: Write, outcome: str, package_id: str | None) -> None:
    obj = HarvestObject.get(write.object_id)
    is_other = row.fingerprint != write.stamp.fingerprint
    row.package_id = package_id
    row.outcome = outcome
    rows.put_title(row, write.record.title)
    row.error = None
    rows.put_stamp(row, write.stamp)
    rows.mark_seen(row, obj)
    Session.flush()
    if is_other and obj.content:
        versions.keep(row.id, obj.harvest_job_id, obj.content)
    rows.replace_problems(row, write.record.problems)
    coupling.replace(row.id, write.record.coupled)


def skip(object_id: str, stamp: rows.Stamp) -> None:
    """Note that a record is not for us, so that it costs nothing until it changes; commits.

    If it has a dataset from before, the next complete runs count it as missing.
    """
    obj = HarvestObject.get(object_id)
    row = rows.locked(obj)
    row.outcome = SKIPPED
    row.error = None
    rows.put_stamp(row, stamp)
    rows.mark_seen(row, obj)
    obj.report_status = UNCHANGED
    Session.commit()


def delete(object_id: str) -> str:
    """Delete the dataset of a record that is gone from its source; commits.

    Not if it came back since a person approved that, nor if a person has deleted it already.

    Returns:
        "deleted", or "not modified" where nothing was done.
    """
    obj = HarvestObject.get(object_id)
    row = rows.locked(obj)
    Session.refresh(obj)
    if obj.report_status:
        Session.commit()
        return str(obj.report_status)
    package = Session.get(model.Package, row.package_id) if row.package_id else None
    is_back = not row.missed_runs and held.is_approval(obj.harvest_job_id)
    if package is None or package.state != "active" or is_back:
        obj.report_status = UNCHANGED
        Session.commit()
        return UNCHANGED
    obj.report_status = DELETED
    obj.current = False
    row.outcome = DELETED
    row.error = None
    row.removed = True
    row.fingerprint = ""
    Session.flush()
    changes.keep(row.id, obj.harvest_job_id, DELETED)
    obj.package_id = package.id
    rows.retire(package.id, obj)
    # package_delete commits, and with it everything above.
    context = {"user": config.harvest_user(), "ignore_auth": True}
    tk.get_action("package_delete")(context, {"id": package.id})
    Session.commit()
    return DELETED


def fail(object_id: str, error: UkharvestError, stage: str) -> None:
    """Note that a record was lost and why; its dataset, if any, stays as it is; commits.

    Args:
        stage: "Fetch" or "Import".
    """
    obj = HarvestObject.get(object_id)
    row = rows.locked(obj)
    if row.outcome == ERRORED and not isinstance(error, NotValid):
        rows.forget_rejection(row)
    row.outcome = ERRORED
    rows.spoil_stamp(row, obj)
    rows.mark_seen(row, obj)
    obj.report_status = ERRORED
    if isinstance(error, NotValid):  # what it was rejected for
        Session.flush()
        rows.replace_problems(row, error.problems)
    rows.put_error(row, obj, error, stage)
    Session.commit()
