"""Handle each record as it is read: count it if it is unchanged, else stage it for import."""

from __future__ import annotations

from ckan import model

from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.model import staged_objects, utcnow
from ckanext.ukharvest.model.record_state import rename
from ckanext.ukharvest.reading.record_classifier import (
    MAX_GUID,
    Classified,
    KnownRecord,
    RecordClass,
)


def take(state: GatherState, record: Classified) -> None:
    """Count or stage a record, by its class; ``flush`` stores it."""
    state.counts["seen"] += 1
    if record.record_class is RecordClass.LOST:
        _lose(state, record)
    elif record.record_class is RecordClass.UNCHANGED and record.known:
        leave(state, record.known)
    elif record.is_same:
        state.to_compare.append(record)
    elif record.record_class is not RecordClass.DELETED:
        stage(state, record)


def leave(state: GatherState, known: KnownRecord) -> None:
    """Count a record that needs no import."""
    if known.is_skipped:
        state.counts["skipped"] += 1
        if not known.is_active:  # else its row is not seen: its earlier dataset goes missing
            state.unchanged.append(known.id)
        return
    state.unchanged.append(known.id)
    state.counts["kept_deleted" if known.deleted_by_hand else "unchanged"] += 1


def _lose(state: GatherState, record: Classified) -> None:
    raw = record.raw
    state.counts["lost"] += 1
    state.batch.append(
        staged_objects.Staged(
            guid=raw.guid[:MAX_GUID],
            status=dataset_writer.ERRORED,
            content=raw.content,
            error=raw.error.message if raw.error else "",
            line=raw.error.line if raw.error else None,
            code=raw.error.code if raw.error else "",
            title=getattr(raw.error, "title", ""),
        )
    )


def stage(state: GatherState, record: Classified) -> None:
    """Add a record to the batch of records to import."""
    raw = record.raw
    if record.old_guid and record.known:
        rename(record.known.id, state.source.id, raw.guid)
    extras = {staged_objects.MODIFIED: raw.modified, staged_objects.ETAG: raw.etag}
    if raw.url != state.source.url:
        extras[staged_objects.URL] = raw.url
    staged = staged_objects.Staged(
        guid=raw.guid,
        status="change" if record.known and record.known.package_id else "new",
        content=raw.content,
        package_id=None,
        extras=extras,
    )
    state.batch.append(staged)
    state.ids.append(staged.id)


def flush(state: GatherState) -> None:
    """Store the batch, and commit."""
    staged_objects.add(state.batch, state.job_id, state.source.id)
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
    leave(state, known)
    if not known.is_skipped:
        state.listing.seen.add(known.guid)
