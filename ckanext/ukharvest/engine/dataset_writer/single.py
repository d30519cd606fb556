"""Delete, skip or fail one record, or fill in the formats of one dataset; each commits."""

from __future__ import annotations

import logging

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, config, write_batch
from ckanext.ukharvest.core.errors import NotValid, SkipRecord, UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.engine.dataset_writer.indexing import index_written
from ckanext.ukharvest.engine.dataset_writer.write import UNCHANGED, call, harvest_user, show
from ckanext.ukharvest.model import (
    assessments,
    changes,
    handed_on,
    link_checks,
    link_results,
    pending_deletions,
    pending_index,
    record_rows,
    run_results,
)
from ckanext.ukharvest.model.refusals import Rejected, rejection

log = logging.getLogger(__name__)
Session = model.Session


def fill_formats(package_id: str) -> list[str]:
    """Set missing formats of a dataset's resources from its link checks; commit.

    Locks its records, so that no import runs at the same time. Returns the ids of the resources
    that got a format.

    Raises:
        RecordError: CKAN or its index refused the dataset.
    """
    compat.rollback()  # data read before the locks may be outdated
    record_rows.lock_all_of(package_id)
    before = show(package_id, for_update=True)
    resources, filled = link_checks.fill(before["resources"])
    if not filled or before["state"] != "active":
        Session.commit()
        return []
    after = {**before, "resources": resources}
    del after["metadata_modified"]  # CKAN 2.12 would keep it
    try:
        with write_batch.collect() as collected:
            call("package_update", after, harvest_user(), original_package=before)
            record_rows.note_written(package_id, before["metadata_modified"])
            # What they are was found at these links, so they need no further check.
            link_results.cover([file["url"] for file in resources if file["id"] in filled])
            pending_index.mark(package_id)
            assessments.save_collected(collected.assessments)
            Session.commit()
    except (Rejected, sa.exc.IntegrityError) as exc:
        compat.rollback()
        raise rejection(exc) from exc
    for error in index_written(collected.pending).values():
        raise error
    return filled


def skip(object_id: str, stamp: record_rows.Stamp, reason: SkipRecord) -> None:
    """Mark a record as skipped by options or a hook, so that it waits until it changes; commit.

    If it has a dataset from an earlier import, later complete runs count it as missing.
    """
    obj = HarvestObject.get(object_id)
    log.info("Skipped %s", name_unseen(f"{obj.guid}: {reason.message}"))
    row = record_rows.locked(obj)
    if row.outcome == RecordOutcome.ADOPTED_BY_GUID:
        row.package_id = None  # not the source's after all: no run may delete the dataset
    row.outcome = RecordOutcome.SKIPPED
    row.origin_guid, row.same_as = "", None
    row.error = None
    record_rows.put_stamp(row, stamp)
    record_rows.mark_seen(row, obj.harvest_job_id)
    _end(obj, UNCHANGED)


def _end(obj: HarvestObject, status: str) -> str:
    """Store how an object ended; commit; return it."""
    obj.report_status = status
    run_results.save_outcomes([obj.id])
    Session.commit()
    return status


def delete(object_id: str) -> str:
    """Delete the dataset of a record that its source no longer lists; commit.

    If another portal's source of the same organisation lists it too, that one gets it instead.
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
        return _end(obj, UNCHANGED)
    route = handed_on.other_routes([package.id]).get(package.id)
    if route and route.is_same_organisation:
        handed_on.hand_over(row, route)
        return _end(obj, UNCHANGED)
    handed_on.release(package.id)
    obj.report_status = RecordOutcome.DELETED
    obj.current = False
    row.outcome = RecordOutcome.DELETED
    row.error = None
    row.removed = True
    row.fingerprint = row.package_hash = ""
    run_results.save_outcomes([object_id])
    changes.save([changes.New(row.id, obj.harvest_job_id, RecordOutcome.DELETED)])
    obj.package_id = package.id
    record_rows.retire({package.id: obj.id})
    package_id = package.id
    context = {"user": config.harvest_user(), "ignore_auth": True}
    with write_batch.collect() as collected:
        pending_index.mark(package_id)
        # package_delete commits everything above too.
        tk.get_action("package_delete")(context, {"id": package_id})
        Session.commit()
    index_written(collected.pending)
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
    record_rows.mark_seen(row, obj.harvest_job_id)
    if isinstance(error, NotValid):  # it names the problems
        Session.flush()
        record_rows.replace_problems({row: error.problems}, lost=True)
    record_rows.put_error(row, obj, error, stage)
    _end(obj, RecordOutcome.ERRORED)
