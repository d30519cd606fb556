"""Resume a gather that was killed: save how far a gather is, and restore what it staged."""

from __future__ import annotations

from ckan import model

from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.gather import intake
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.source_config import Setting
from ckanext.ukharvest.model import staged_objects
from ckanext.ukharvest.model.record_state import seen_by

Session = model.Session


def recall(state: GatherState, setting: Setting) -> sync_state.SyncState:
    """Return the read's sync state; restore or discard what a killed gather of this job staged."""
    known = state.known.values()
    if not state.only_guid and (
        saved := sync_state.load_resume_point(setting, state.job_id, known)
    ):
        _restore(state)
        return saved
    staged_objects.discard(state.job_id)
    if not state.only_guid:
        staged_objects.forget_point(setting.id)
    Session.commit()
    if state.force or state.only_guid:
        # A read of changes alone, or "not modified", may not contain the requested record.
        return sync_state.load_for_full_read(setting, known)
    return sync_state.load_sync_state(setting, known)


def _restore(state: GatherState) -> None:
    """Count what a killed gather of this job saw before it saved its last resume point."""
    listing = state.listing
    for id_, guid, is_lost in staged_objects.staged(state.job_id):
        state.counts.update(seen=1, lost=is_lost)
        if not is_lost:
            state.ids.append(id_)
        if guid:
            listing.seen.add(guid)
        else:
            listing.has_nameless = True
    left = seen_by(state.source.id, state.job_id) - listing.seen
    for guid in left:
        intake.leave_unread(state, state.known[guid])
    state.taken_before = frozenset(listing.seen | left)
    state.unchanged.clear()  # they are marked


def note_point(state: GatherState, setting: Setting, point: str) -> None:
    """Save that a resumed gather can start at this point; ``intake.flush`` commits."""
    state.mark_unchanged()
    sync_state.save_resume_point(setting, state.job_id, point, state.since)
