"""A record to write, and the single writes: delete, skip or fail a record, fill in formats."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, config, fields, write_batch
from ckanext.ukharvest.core.errors import NotValid, RejectedByCkan, SkipRecord, UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.text import name_unseen, one_line
from ckanext.ukharvest.harvest import (
    changes,
    conflicts,
    datasets,
    decisions,
    outcomes,
    records,
    search_index,
)
from ckanext.ukharvest.harvest import hooks as harvest_hooks
from ckanext.ukharvest.harvest import links as link_results
from ckanext.ukharvest.harvest.conflicts import Rejected, rejection
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.mapping import package_mapper

log = logging.getLogger(__name__)
Session = model.Session

UNCHANGED = "not modified"  # ckanext-harvest's report_status; no outcome of a record row
ERRORED = RecordOutcome.ERRORED


@dataclass(frozen=True, slots=True)
class Write:
    """One record to write.

    Attributes:
        object_id: its harvest object; becomes the current one. "" if it has none (``leave``).
        key: source id and guid of that object.
        record: the parsed record.
        stamp: its fingerprint, import rules and HTTP validators; stored with it.
        profile_fields: dataset dict of ckanext-dcat's profiles; adds fields that ours lacks.
        forced: also restore a dataset that a person deleted.
        again: its object was imported before; the figures of its run stay (``ckan harvester
            import``).
        schema: names of the dataset type's own fields.
        source: what plugins are told about the source.
    """

    object_id: str
    record: DatasetRecord
    stamp: records.Stamp
    defaults: package_mapper.Defaults
    source: SourceFacts
    key: records.Key = ("", "")
    profile_fields: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    again: bool = False
    schema: frozenset[str] = field(default_factory=frozenset)


def package_hash(write: Write) -> str:
    """Return a hash of what a record comes out as, whatever dataset exists.

    Of its package dict without ids and without formats found at links, of the dataset type's
    fields, of the options that act on the merge, and of the versions of other extensions' hooks. If
    it is that of the last import, writing the dataset again would change nothing but what a person
    has edited.
    """
    mapped = package_mapper.to_package_dict(write.record, None, None, write.schema, write.defaults)
    package = mapped.package
    package_mapper.add_missing_fields(package, write.profile_fields, write.schema)
    for resource in package["resources"]:
        resource.pop("id", None)
    facts: list[Any] = [package, sorted(write.schema), sorted(write.defaults.not_overwrite)]
    if hooks := harvest_hooks.hook_versions():  # without any, the hash is that of earlier releases
        facts.append(hooks)
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def harvest_user() -> dict[str, Any]:
    """Return the harvest user for the context of actions, each of which would load it again."""
    name = tk.config.get("ckanext.harvest.user_name") or tk.config.get("ckan.site_id")
    user = model.User.get(name)
    return {"user": user.name if user else config.harvest_user(), "auth_user_obj": user}


def call(action: str, package: dict[str, Any], user: Mapping[str, Any], **more: Any) -> str:
    """Call package_create or package_update without commit and index; return the dataset's id.

    Args:
        user: of ``harvest_user``.
        more: more of the context.

    Raises:
        Rejected: CKAN's validation refused the dataset.
    """
    context = {
        "ignore_auth": True,
        # With both, the action neither commits nor indexes. defer_commit alone loses the change
        # on CKAN 2.12 (package_update rolls its savepoint back).
        "defer_commit": True,
        "return_id_only": True,
        fields.BY_HARVEST: True,
        **user,
        **more,
    }
    try:
        return str(tk.get_action(action)(context, package))
    except tk.ValidationError as exc:
        raise Rejected(exc.error_dict) from exc


def show_dataset(package_id: str, **more: Any) -> dict[str, Any]:
    """Return a dataset as package_show does."""
    context = {"ignore_auth": True, "use_cache": False, **more}
    return dict(tk.get_action("package_show")(context, {"id": package_id}))


def index_written(pending: Mapping[str, dt.datetime]) -> dict[str, RejectedByCkan]:
    """Index committed datasets; return package id → error of those that Solr refused.

    If the index or database is down, the records do not fail: the sweeper indexes them later.
    """
    if not pending:
        return {}
    try:
        refused = search_index.index_pending(pending)
        if refused:
            records.forget_stamps(sorted(refused))
            model.Session.commit()
    except compat.IndexFailed as exc:
        log.warning("%d datasets wait for the search index: %s", len(pending), exc)
        return {}
    except sa.exc.DBAPIError:
        log.warning("%d datasets wait for the search index", len(pending), exc_info=True)
        compat.rollback()
        return {}
    message = "the dataset is stored but the search index does not accept it"
    return {
        id_: RejectedByCkan(f"{message}: {one_line(reason)}", code="index-failed")
        for id_, reason in refused.items()
    }


def fill_formats(package_id: str) -> list[str]:
    """Set missing formats of a dataset's resources from its link checks; commit.

    Locks its records, so that no import runs at the same time. Returns the ids of the resources
    that got a format.

    Raises:
        RecordError: CKAN or its index refused the dataset.
    """
    compat.rollback()  # data read before the locks may be outdated
    records.lock_all_of(package_id)
    before = show_dataset(package_id, for_update=True)
    resources, filled = link_results.fill(before["resources"])
    if not filled or before["state"] != "active":
        Session.commit()
        return []
    after = {**before, "resources": resources}
    del after["metadata_modified"]  # CKAN 2.12 would keep it
    try:
        with write_batch.collect() as collected:
            call("package_update", after, harvest_user(), original_package=before)
            records.note_written(package_id, before["metadata_modified"])
            # What they are was found at these links, so they need no further check.
            link_results.cover([file["url"] for file in resources if file["id"] in filled])
            search_index.mark_pending(package_id)
            datasets.save_collected(collected.own_rows)
            Session.commit()
    except (Rejected, sa.exc.IntegrityError) as exc:
        compat.rollback()
        raise rejection(exc) from exc
    for error in index_written(collected.pending).values():
        raise error
    return filled


def skip(object_id: str, stamp: records.Stamp, reason: SkipRecord) -> None:
    """Mark a record as skipped by options or a hook, so that it waits until it changes; commit.

    If it has a dataset from an earlier import, later complete runs count it as missing.
    """
    obj = HarvestObject.get(object_id)
    log.info("Skipped %s", name_unseen(f"{obj.guid}: {reason.message}"))
    row = records.locked(obj)
    if row.outcome == RecordOutcome.ADOPTED_BY_GUID:
        row.package_id = None  # not the source's after all: no run may delete the dataset
    row.outcome = RecordOutcome.SKIPPED
    row.origin_guid, row.same_as = "", None
    row.error = None
    records.put_stamp(row, stamp)
    records.mark_seen(row, obj.harvest_job_id)
    _end(obj, UNCHANGED)


def _end(obj: HarvestObject, status: str) -> str:
    """Store how an object ended; commit; return it."""
    obj.report_status = status
    outcomes.save_outcomes_of_batch([obj.id])
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
    row = records.locked(obj)
    Session.refresh(obj)
    if obj.report_status:
        Session.commit()
        return str(obj.report_status)
    package = Session.get(model.Package, row.package_id) if row.package_id else None
    is_back = not row.missed_runs and decisions.is_approval(obj.harvest_job_id)
    if package is None or package.state != "active" or is_back:
        return _end(obj, UNCHANGED)
    route = conflicts.other_routes([package.id]).get(package.id)
    if route and route.is_same_organisation:
        conflicts.hand_over(row, route)
        return _end(obj, UNCHANGED)
    conflicts.release(package.id)
    obj.report_status = RecordOutcome.DELETED
    obj.current = False
    row.outcome = RecordOutcome.DELETED
    row.error = None
    row.removed = True
    row.fingerprint = row.package_hash = ""
    outcomes.save_outcomes_of_batch([object_id])
    changes.save_changes([changes.NewChange(row.id, obj.harvest_job_id, RecordOutcome.DELETED)])
    obj.package_id = package.id
    records.retire({package.id: obj.id})
    package_id = package.id
    context = {"user": config.harvest_user(), "ignore_auth": True}
    with write_batch.collect() as collected:
        search_index.mark_pending(package_id)
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
    row = records.locked(obj)
    if row.outcome == RecordOutcome.ERRORED and not isinstance(error, NotValid):
        records.forget_rejection(row)
    row.outcome = RecordOutcome.ERRORED
    records.spoil_stamp(row, obj)
    records.mark_seen(row, obj.harvest_job_id)
    if isinstance(error, NotValid):  # it names the problems
        Session.flush()
        records.replace_problems({row: error.problems}, lost=True)
    records.put_error(row, obj, error, stage)
    _end(obj, RecordOutcome.ERRORED)
