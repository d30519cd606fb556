"""End a gather: plan deletions, save the run's figures and sync state, release its objects."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import deletions
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome, RunOutcome
from ckanext.ukharvest.core.records import Ending
from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.gather import intake
from ckanext.ukharvest.engine.gather.changed_identifiers import hold_back
from ckanext.ukharvest.engine.gather.signs_of_life import Stopped, end_if_replaced
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.source_config import Setting
from ckanext.ukharvest.model import (
    changed_identifiers,
    handed_on,
    outcomes,
    pending_deletions,
    run_results,
    staged_objects,
    stopping,
    utcnow,
)
from ckanext.ukharvest.model.changed_identifiers import Change
from ckanext.ukharvest.model.record_state import forget, mark_back, mark_missed
from ckanext.ukharvest.model.source_state import ensure_source_state

log = logging.getLogger(__name__)
Session = model.Session


def finish(state: GatherState, setting: Setting, ending: Ending) -> None:
    """Plan deletions, save the sync state and release the objects, in one transaction.

    Raises:
        Stopped: a person asked to stop the run.
    """
    is_asked_for = stopping.is_asked_for(state.job_id, lock=True)
    end_if_replaced(state)
    if is_asked_for:
        raise Stopped
    if ending.unchanged:
        intake.leave_all(state)
    complete, reason = _completeness(state, ending)
    changed = _hold_back_changed(state, complete)
    plan = _plan_deletions(state, complete, changed)
    _stage_deletions(state, plan.delete)
    state.mark_unchanged()
    _mark_missing(state, plan, complete)
    unread = state.counts["lost"] + state.counts["new_identifiers"]
    sync_state.save_sync_state(setting, state.job_id, ending, unread=unread)
    staged_objects.forget_point(setting.id)
    problems = [problem.message for problem in ending.problems]
    if changed and complete:
        problems.insert(0, changed.reason)
    _end_report(state, plan, complete=complete, reason=_sentences(reason or plan.reason, *problems))
    outcomes.save_unread(state.job_id)
    staged_objects.show(state.job_id)
    run_results.settle(setting.id)
    Session.commit()
    log.info("Gathered %s: %s", setting.url, dict(state.counts))


def _sentences(*reasons: str) -> str:
    """Join the reasons that are not empty."""
    return "; ".join(filter(None, reasons))


def _completeness(state: GatherState, ending: Ending) -> tuple[bool, str]:
    """Return whether records not seen count as missing, and if not, why."""
    if ending.changes_only:
        unread = (record for guid, record in state.known.items() if guid not in state.listing.seen)
        others = state.counts["not_asked"] = sum(record.is_active for record in unread)
        only_changes = (
            f"only what changed since {state.since} was asked for: {others:,} other datasets were "
            f"not checked and do not count as missing or deleted"
        )
        return False, _sentences(only_changes, ending.reason)
    if ending.complete and state.listing.has_nameless:
        return False, ("records without an identifier may be any of those that seem to be missing")
    return ending.complete, ending.reason


def _hold_back_changed(state: GatherState, complete: bool) -> Change | None:
    """Let records wait that seem to have new identifiers; return which.

    They are those of this run, or of the last complete one: an incomplete run proves nothing,
    except that a record that it saw has its old identifier.
    """
    row = ensure_source_state(state.source.id)
    changed = state.changed
    if not complete:
        changed = changed_identifiers.load(row, state.listing.seen)
    if complete or row.changed_identifiers:
        changed_identifiers.update(row, state.job_id, changed)
    if changed:
        hold_back(state, changed.guids.values())
        state.counts["new_identifiers"] = len(changed.guids)
    return changed


def _plan_deletions(
    state: GatherState, complete: bool, changed: Change | None
) -> deletions.DeletionPlan:
    known = {
        guid: deletions.KnownRecord(missed=record.missed_runs, active=record.can_go_missing)
        for guid, record in state.known.items()
    }
    plan = _plan(state, known, complete, changed)
    due = [*plan.delete, *plan.held]
    ids = {state.known[guid].package_id: guid for guid in due}
    routes = {
        ids[id_]: route for id_, route in handed_on.other_routes([*filter(None, ids)]).items()
    }
    if not routes:
        return plan
    # Datasets that go on from another source are not deleted, so they do not count as such.
    others = {guid: record for guid, record in known.items() if guid not in routes}
    plan = _plan(state, others, complete, changed)
    taken = [guid for guid in due if guid in routes and routes[guid].is_same_organisation]
    asked = [guid for guid in due if guid in routes and guid not in taken]
    return replace(
        plan,
        delete=(*plan.delete, *taken),
        held=(*plan.held, *asked),
        reason=_sentences(plan.reason, _why_asked(routes[guid] for guid in asked)),
    )


def _why_asked(routes: Iterable[handed_on.Route]) -> str:
    """Return why the deletions of datasets that sources of other organisations list too wait."""
    titles = [f"'{route.source_title}'" for route in routes]
    if not titles:
        return ""
    number = "1 dataset" if len(titles) == 1 else f"{len(titles)} datasets"
    names = ", ".join(sorted(set(titles)))
    return (
        f"{number} that the source no longer lists can be had from {names} of another organisation,"
        " so the deletion waits for approval"
    )


def _plan(
    state: GatherState,
    known: Mapping[str, deletions.KnownRecord],
    complete: bool,
    changed: Change | None,
) -> deletions.DeletionPlan:
    # The first run after adopting datasets deletes none of them.
    is_first = any(record.is_newly_adopted for record in state.known.values())
    return deletions.plan(
        known,
        # A record that waits under a new identifier is not missing.
        state.listing.seen.union(changed.guids) if changed else state.listing.seen,
        complete=complete,
        said_deleted=() if is_first else state.listing.said_deleted,
        after_runs=max(config.delete_after_runs(), 2 if is_first else 1),
        max_share=config.delete_max_share(),
    )


def _stage_deletions(state: GatherState, guids: tuple[str, ...]) -> None:
    staged = [
        staged_objects.Staged(guid, "delete", package_id=state.known[guid].package_id)
        for guid in guids
    ]
    state.batch += staged
    state.ids += [obj.id for obj in staged]
    staged_objects.add(state.batch, state.job_id, state.source.id)
    state.batch.clear()


def _mark_missing(state: GatherState, plan: deletions.DeletionPlan, complete: bool) -> None:
    missing = [state.known[guid] for guid in (*plan.missing, *plan.held)]
    mark_missed(record.id for record in missing)
    outcomes.save_missing(state.job_id, [row.id for row in missing if not row.missed_runs])
    # Now, not at their import: until then a person might approve their deletion.
    mark_back(state.known[guid].id for guid in plan.back)
    state.counts["missing"] = len(plan.missing)
    state.counts["held"] = len(plan.held)
    if complete:  # else pending deletions do not change
        # Datasets adopted by guid alone that are not in this source after all.
        forget(
            record.id
            for guid, record in state.known.items()
            if record.outcome == RecordOutcome.ADOPTED_BY_GUID and guid not in state.listing.seen
        )
        row = ensure_source_state(state.source.id)
        row.held = pending_deletions.update_held(row.held, state.job_id, plan) or sa.null()


def _end_report(
    state: GatherState, plan: deletions.DeletionPlan, *, complete: bool, reason: str
) -> None:
    report = state.report()
    report.counts = {"seen": 0, **state.counts}
    if plan.shortfall:
        report.counts["shortfall"] = asdict(plan.shortfall)
    report.complete = complete
    waits = bool(plan.held or state.counts["new_identifiers"])
    report.outcome = RunOutcome.HELD if waits else RunOutcome.FINISHED
    report.reason = reason
    report.finished = report.heartbeat = utcnow()


def abandon(state: GatherState, error: UkharvestError) -> None:
    """End the run as failed: nothing is imported, deleted or counted as missing."""
    compat.rollback()
    end_if_replaced(state)
    report = stopping.open_report(state.job_id, state.source.id)
    if report.stopped_by:  # stopped anyway: not a failure of the source
        stopping.end_gather(state.job)
        return
    staged_objects.discard(state.job_id)
    staged_objects.forget_point(state.source.id)
    report.outcome, report.reason, report.finished = RunOutcome.FAILED, error.message, utcnow()
    report.error = {"code": error.code, "message": error.message, "passes": error.retryable}
    Session.add(HarvestGatherError(message=error.message, harvest_job_id=state.job_id))
    Session.commit()
