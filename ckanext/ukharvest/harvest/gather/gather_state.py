"""The state of a gather while it runs, and how it takes in records."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.harvest.batch import batch_transaction
from ckanext.ukharvest.harvest.batch.items import Item
from ckanext.ukharvest.harvest.batch.preparation import Preparation
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.records.pending import IdentifierChange
from ckanext.ukharvest.harvest.records.record_rows import mark_all_seen, rename_row, seen_by
from ckanext.ukharvest.harvest.run import run_report
from ckanext.ukharvest.harvest.sources import source_config
from ckanext.ukharvest.harvest.sources.source_config import Setting
from ckanext.ukharvest.reading.record_classifier import (
    MAX_GUID,
    Classified,
    KnownRecord,
    Listing,
    RecordClass,
    RecordClassifier,
)
from ckanext.ukharvest.source_types.source_type import SourceType

log = logging.getLogger(__name__)
Session = model.Session


@dataclass
class GatherState:
    """The state of one gather of one job; each call creates its own.

    Attributes:
        only_guid: guid of the one record to import, "" for all.
        force: import records even if they are unchanged.
        known: guid → the record as earlier runs stored it.
        listing: what the source has listed so far.
        taken_before: guids that a killed gather of this job handled before its last resume point.
        since: read only changes since this date; "": everything.
        changed: records that the source lists under new identifiers; None: none were found.
        to_compare: records of which only the import rules changed (``stage_changed``).
        batch: objects to stage with the next commit.
        ids: of the harvest objects to import.
        unchanged: ids of record rows that need no import and are not marked as seen yet.
        taken: number of records since the last commit.
        counts: the run's figures, stored with its report.
        last_heartbeat: ``time.monotonic`` when the last heartbeat was saved.
        gathers_lost: number of gathers that the run lost before this one; None: not begun.
    """

    kind: SourceType
    job: HarvestJob
    only_guid: str = ""
    force: bool = False
    known: dict[str, KnownRecord] = field(default_factory=dict)
    listing: Listing = field(default_factory=Listing)
    taken_before: frozenset[str] = frozenset()
    since: str = ""
    changed: IdentifierChange | None = None
    to_compare: list[Classified] = field(default_factory=list)
    batch: list[objects.StagedObject] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    taken: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    last_heartbeat: float = field(default_factory=time.monotonic)
    gathers_lost: int | None = None

    def __post_init__(self) -> None:
        self.job_id: str = self.job.id
        self.source: HarvestSource = self.job.source
        self.force = self.force or bool(getattr(self.job, "force_import", False))

    def classifier(self, setting: Setting) -> RecordClassifier:
        """Return the classifier that decides for each record whether to import it."""
        rules = source_config.load_former_rules(setting)
        return RecordClassifier(
            self.known,
            setting,
            setting.old_guids,
            force=self.force,
            listing=self.listing,
            former_fingerprint=partial(setting.fingerprint, rules=rules) if rules else None,
        )

    def report(self) -> JobReport:
        """Return the run's report row."""
        return model.Session.query(JobReport).filter_by(job_id=self.job_id).one()

    def mark_unchanged(self) -> None:
        """Mark the unchanged rows as seen; no commit."""
        mark_all_seen(self.unchanged, self.job_id)
        self.unchanged.clear()


HEARTBEAT_SECONDS = 2.0  # least seconds between two heartbeats


class RunStopped(Exception):
    """A person asked to stop the run."""


def end_process() -> None:
    """End this process at once, like a kill; its supervisor starts another."""
    logging.shutdown()
    os._exit(1)


def end_if_replaced(state: GatherState) -> None:
    """End this process if it hung for so long that another gather replaced it."""
    if state.gathers_lost is not None and run_report.is_replaced(state.job_id, state.gathers_lost):
        log.error(
            "The gather of job %s made no progress for too long and was started again by "
            "another consumer. This process ends now.",
            state.job_id,
        )
        compat.rollback()
        # Any other ending makes ckanext-harvest store the end of the other gather.
        end_process()


def beat(state: GatherState) -> None:
    """Save the heartbeat, at most every HEARTBEAT_SECONDS.

    Raises:
        Stopped: a person asked to stop the run.
    """
    now = time.monotonic()
    if now - state.last_heartbeat < HEARTBEAT_SECONDS:
        return
    state.last_heartbeat = now
    end_if_replaced(state)
    if run_report.save_heartbeat(state.job_id, state.counts["seen"]):
        raise RunStopped


def take_in(state: GatherState, record: Classified) -> None:
    """Count or stage a record, by its class; ``flush_batch`` stores it."""
    state.counts["seen"] += 1
    if record.record_class is RecordClass.LOST:
        _lose(state, record)
    elif record.record_class is RecordClass.UNCHANGED and record.known:
        leave_record(state, record.known)
    elif record.is_same:
        state.to_compare.append(record)
    elif record.record_class is not RecordClass.DELETED:
        stage_record(state, record)


def leave_record(state: GatherState, known: KnownRecord) -> None:
    """Count a record that needs no import."""
    if known.is_skipped:
        state.counts["skipped"] += 1
        if not known.is_active:  # else its row is not seen: its earlier dataset goes missing
            state.unchanged.append(known.id)
        return
    state.unchanged.append(known.id)
    if known.fails_alike:
        state.counts["failed_again"] += 1
    else:
        state.counts["kept_deleted" if known.deleted_by_hand else "unchanged"] += 1


def _lose(state: GatherState, record: Classified) -> None:
    raw = record.raw
    state.counts["lost"] += 1
    state.batch.append(
        objects.StagedObject(
            guid=raw.guid[:MAX_GUID],
            status=RecordOutcome.ERRORED,
            content=raw.content,
            error=raw.error.message if raw.error else "",
            line=raw.error.line if raw.error else None,
            code=raw.error.code if raw.error else "",
            title=getattr(raw.error, "title", ""),
        )
    )


def stage_record(state: GatherState, record: Classified) -> None:
    """Add a record to the batch of records to import."""
    raw = record.raw
    if record.old_guid and record.known:
        rename_row(record.known.id, state.source.id, raw.guid)
    extras = {objects.MODIFIED: raw.modified, objects.ETAG: raw.etag}
    if raw.url != state.source.url:
        extras[objects.URL] = raw.url
    staged = objects.StagedObject(
        guid=raw.guid,
        status="change" if record.known and record.known.package_id else "new",
        content=raw.content,
        package_id=None,
        extras=extras,
    )
    state.batch.append(staged)
    state.ids.append(staged.id)


def flush_batch(state: GatherState) -> None:
    """Store the batch, and commit."""
    objects.add_staged(state.batch, state.job_id, state.source.id)
    state.batch.clear()
    state.taken = 0
    state.report().heartbeat = utcnow()
    model.Session.commit()


def leave_all(state: GatherState) -> None:
    """Count all records of a source that is "not modified" as a whole.

    Records that the last complete run saw are unchanged; those that it missed are still missing.
    """
    for known in state.known.values():
        if not known.missed_runs and not known.removed:
            leave_unread(state, known)


def leave_unread(state: GatherState, known: KnownRecord) -> None:
    """Count a record that is known to be unchanged without reading it."""
    state.counts["seen"] += 1
    leave_record(state, known)
    if not known.is_skipped:
        state.listing.seen.add(known.guid)


def restore_sync_state(state: GatherState, setting: Setting) -> source_config.SyncState:
    """Return the read's sync state; restore or discard what a killed gather of this job staged."""
    known = state.known.values()
    if not state.only_guid and (
        saved := source_config.load_resume_point(setting, state.job_id, known)
    ):
        _restore(state)
        return saved
    objects.discard_staged(state.job_id)
    if not state.only_guid:
        objects.forget_point(setting.id)
    Session.commit()
    if state.force or state.only_guid:
        # A read of changes alone, or "not modified", may not contain the requested record.
        return source_config.load_for_full_read(setting, known)
    return source_config.load_sync_state(setting, known)


def _restore(state: GatherState) -> None:
    """Count what a killed gather of this job saw before it saved its last resume point."""
    listing = state.listing
    for id_, guid, is_lost in objects.list_staged(state.job_id):
        state.counts.update(seen=1, lost=is_lost)
        if not is_lost:
            state.ids.append(id_)
        if guid:
            listing.seen.add(guid)
        else:
            listing.has_nameless = True
    left = seen_by(state.source.id, state.job_id) - listing.seen
    for guid in left:
        leave_unread(state, state.known[guid])
    state.taken_before = frozenset(listing.seen | left)
    state.unchanged.clear()  # they are marked


def note_point(state: GatherState, setting: Setting, point: str) -> None:
    """Save that a resumed gather can start at this point; ``flush_batch`` commits."""
    state.mark_unchanged()
    source_config.save_resume_point(setting, state.job_id, point, state.since)


def stage_changed(state: GatherState) -> None:
    """Count records that come out as before as unchanged, and stage the others; no commit."""
    records, state.to_compare = state.to_compare, []
    if not records:
        return
    source = state.source, None
    items = [Item((source[0].id, rec.raw.guid), state.job_id, rec.raw, source) for rec in records]
    with Preparation(state.kind, state.source) as preparation:
        preparation.load_versions(items)
        parsed = [
            item
            for item, record in zip(items, records, strict=True)
            if _is_parsed(preparation, item, record.fingerprint)
        ]
    model.Session.commit()  # parsing took a while: the locks begin here
    left = batch_transaction.leave_items(parsed)
    for record in records:
        if record.known and record.raw.guid in left:
            leave_record(state, record.known)
        else:
            stage_record(state, record)


def _is_parsed(preparation: Preparation, item: Item, fingerprint: str) -> bool:
    """Parse a record; return False if its import has to find out what is wrong."""
    try:
        preparation.parse(item, fingerprint)
    except UkharvestError:
        return False
    except Exception:
        log.exception("Record %s could not be compared", name_unseen(item.raw.guid))
        return False
    return True
