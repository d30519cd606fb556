"""Read a source, stage the records to import, plan deletions, release the objects."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from ckan import model
from ckanext.harvest.model import HarvestGatherError

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import deletions
from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.errors import SourceError, UkharvestError
from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.outcomes import AdoptedBy, PendingKind, RunMode, RunOutcome
from ckanext.ukharvest.core.records import Ending
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.batch.items import Item
from ckanext.ukharvest.harvest.batch.preparation import Preparation
from ckanext.ukharvest.harvest.batch.store import save_contents
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.consumers.failures import failing_service
from ckanext.ukharvest.harvest.gather import gather_state, objects
from ckanext.ukharvest.harvest.gather.gather_state import (
    GatherState,
    RunStopped,
    beat,
    end_if_replaced,
)
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.records.pending import IdentifierChange
from ckanext.ukharvest.harvest.records.record_rows import (
    end_failed,
    forget_records,
    known_records,
    mark_back,
    mark_missed,
    rename_row,
    write_again,
)
from ckanext.ukharvest.harvest.run import outcomes, run_report, stopping
from ckanext.ukharvest.harvest.sources import dataset_adoption, source_config, value_tables
from ckanext.ukharvest.harvest.sources.source_config import Setting, setting_of
from ckanext.ukharvest.harvest.sources.source_moves import load_facts
from ckanext.ukharvest.mapping.kept_fields import match_key
from ckanext.ukharvest.reading import changed_identifiers as rules
from ckanext.ukharvest.reading.changed_identifiers import RecordFacts
from ckanext.ukharvest.reading.record_classifier import Classified, RecordClass
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.reading.source_move import MOST_MOVES, infer_moves

log = logging.getLogger(__name__)
Session = model.Session

PAUSES = (5, 30, 60)  # seconds before a gather starts again


def retry_gather(
    gather: Callable[[], list[str]], abandon: Callable[[UkharvestError], None]
) -> list[str]:
    """Run a gather and return its result; run it again if a service failed.

    Each attempt discards the staged objects of the one before, or resumes after them.

    Args:
        abandon: called with the error if all attempts failed; stores why the run failed.
    """
    for pause in (*PAUSES, None):
        try:
            return gather()
        except Exception as exc:
            service = failing_service(exc)
            if not service:
                raise
            error = _service_failure(service, exc)
        compat.rollback()
        log.warning("%s", error.message)
        if pause is not None:
            log.warning("The gather begins again in %d s", pause)
            time.sleep(pause)
    abandon(error)
    return []


def _service_failure(service: str, exc: Exception) -> UkharvestError:
    error = SourceError(
        f"The {service} of this portal failed while the source was read:"
        f" {failures.first_error_line(exc)}."
        " Nothing was imported; the next run starts afresh"
    )
    error.retryable = True
    return error


CHUNK = 100  # records whose contents are in memory at the same time


def find_changed_identifiers(state: GatherState, ending: Ending) -> None:
    """Set ``state.changed`` if a complete read lists its missing records under new identifiers.

    Costs nothing unless two or more records are missing for the first time. Where the listing has
    no content, the new records are fetched here; their import does not fetch them again.

    Raises:
        Stopped: a person asked to stop the run.
    """
    if not ending.complete or ending.changes_only or ending.unchanged:
        return
    if state.listing.has_nameless:  # it may be any of those that seem to be missing
        return
    missing = _newly_missing(state)
    if not rules.enough(len(missing), len(missing)):
        return
    new = objects.new_staged(state.job_id)
    if not rules.enough(len(new), len(missing)):
        return
    records = list(_read_records(state, new))
    missing = _newly_missing(state)  # without those that plugins' identities have found
    if not rules.enough(len(missing), len(missing)):
        return
    pairs = rules.match(load_facts(missing), records)
    if rules.enough(len(pairs), len(missing)):
        guids = {pair.old.guid: pair.new.guid for pair in pairs}
        state.changed = IdentifierChange(guids, _moves(pairs), missing=len(missing))


def _newly_missing(state: GatherState) -> list[int]:
    """Return the ids of the rows that the run misses and no run has missed before."""
    return [
        known.id
        for guid, known in state.known.items()
        if known.can_go_missing
        and not known.missed_runs
        and guid not in state.listing.seen
        and guid not in state.listing.left_out
    ]


def _read_records(state: GatherState, ids: Sequence[str]) -> Iterator[RecordFacts]:
    """Yield the facts of staged records that can be read."""
    with Preparation(state.kind, state.source) as preparation:
        for start in range(0, len(ids), CHUNK):
            items = import_stage.load_items(ids[start : start + CHUNK], is_ours=True)
            preparation.ask_ahead(items)
            for item in items:
                beat(state)
                if facts := _facts(preparation, item, state):
                    yield facts
            save_contents(items)
            Session.commit()


def _facts(preparation: Preparation, item: Item, state: GatherState) -> RecordFacts | None:
    """Return the facts of a record; None if its import will fail or skip it.

    None also of a record whose dataset was adopted under the identity that a plugin gives it.
    """
    try:
        preparation.fetch(item)
        record = preparation.read(item)
        own_guid = preparation.own_guid(item, record)
    except UkharvestError:
        return None
    except Exception as exc:
        if failing_service(exc):
            raise
        log.exception("Record %s could not be compared", name_unseen(item.raw.guid))
        return None
    adopted = state.known.get(own_guid)
    if adopted and adopted.adopted and own_guid not in state.listing.seen:
        rename_row(adopted.id, state.source.id, item.raw.guid)
        state.known[item.raw.guid] = state.known.pop(own_guid)._replace(guid=item.raw.guid)
        return None
    urls = tuple(file.url for file in record.resources)
    return RecordFacts(item.raw.guid, record.title, urls, tuple(map(match_key, record.resources)))


def _moves(pairs: Iterable[rules.Pair]) -> list[BaseMove]:
    """Return how the URLs of resources changed, those that match most first."""
    moves = Counter(move for pair in pairs for move in infer_moves(pair.old.keys, pair.new.keys))
    return [move for move, _number in moves.most_common(MOST_MOVES)]


def hold_back_staged(state: GatherState, guids: Collection[str]) -> int:
    """Remove staged objects of records that wait for a decision; return their number; no commit."""
    if not guids or not state.ids:
        return 0
    removed = objects.discard_guids(state.job_id, guids)
    state.ids[:] = [id_ for id_ in state.ids if id_ not in removed]
    return len(removed)


def finish_gather(state: GatherState, setting: Setting, ending: Ending) -> None:
    """Plan deletions, save the sync state and release the objects, in one transaction.

    Raises:
        Stopped: a person asked to stop the run.
    """
    is_asked_for = run_report.is_asked_for(state.job_id, lock=True)
    end_if_replaced(state)
    if is_asked_for:
        raise RunStopped
    if ending.unchanged:
        gather_state.leave_all(state)
    complete, reason = _completeness(state, ending)
    stored = pending.StoredPending(state.source.id)
    changed = _hold_back_changed(state, stored, complete)
    plan, taken = _plan_deletions(state, stored, complete, changed)
    _stage_deletions(state, plan.delete)
    _stage_deletions(state, taken, {objects.HANDS_OVER: "1"})
    state.mark_unchanged()
    _mark_missing(state, plan)
    _end_failed(state, complete)
    if complete:  # else pending deletions do not change
        _forget_strangers(state)
        stored.replace(PendingKind.DELETION, state.job_id, dict.fromkeys(plan.held, ""))
    unread = state.counts["lost"] + state.counts["new_identifiers"]
    source_config.save_sync_state(setting, state.job_id, ending, unread=unread)
    objects.forget_point(setting.id)
    problems = [problem.message for problem in ending.problems]
    if changed and complete:
        problems.insert(0, changed.reason)
    _end_report(
        state,
        plan,
        changed,
        complete=complete,
        reason=_sentences(reason or plan.reason, *problems),
    )
    outcomes.save_unread(state.job_id)
    objects.show_staged(state.job_id)
    outcomes.settle_held_runs(setting.id)
    Session.commit()
    log.info("Gathered %s: %s", setting.url, dict(state.counts))


def _sentences(*reasons: str) -> str:
    """Join the reasons that are not empty."""
    return "; ".join(filter(None, reasons))


def _completeness(state: GatherState, ending: Ending) -> tuple[bool, str]:
    """Return whether records not seen count as missing, and if not, why."""
    if ending.changes_only:
        unread = [record for guid, record in state.known.items() if guid not in state.listing.seen]
        for record in unread:
            is_gone = record.guid in state.listing.said_deleted
            if record.fails_alike and not record.missed_runs and not is_gone:
                gather_state.leave_record(state, record)
        others = state.counts["not_asked"] = sum(record.is_active for record in unread)
        only_changes = (
            f"only what changed since {state.since} was asked for: {others:,} other datasets were "
            f"not checked and do not count as missing or deleted"
        )
        return False, _sentences(only_changes, ending.reason)
    if ending.complete and state.listing.has_nameless:
        return False, ("records without an identifier may be any of those that seem to be missing")
    return ending.complete, ending.reason


def _hold_back_changed(
    state: GatherState, stored: pending.StoredPending, complete: bool
) -> IdentifierChange | None:
    """Let records wait that seem to have new identifiers; return which.

    They are those of this run, or of the last complete one: an incomplete run proves nothing,
    except that a record that it saw has its old identifier.
    """
    changed = state.changed if complete else stored.change(state.listing.seen)
    stored.replace(PendingKind.IDENTIFIER, state.job_id, changed.guids if changed else {})
    if changed:
        hold_back_staged(state, changed.guids.values())
        state.counts["new_identifiers"] = len(changed.guids)
    return changed


def _plan_deletions(
    state: GatherState,
    stored: pending.StoredPending,
    complete: bool,
    changed: IdentifierChange | None,
) -> tuple[deletions.DeletionPlan, list[str]]:
    """Return what happens to the records that were not seen, and which go to other routes."""
    known = {
        guid: deletions.KnownRecord(missed=record.missed_runs, active=record.can_go_missing)
        for guid, record in state.known.items()
    }
    held = [
        guid
        for guid in stored.guids(PendingKind.DELETION)
        if guid in known and known[guid].missed  # else it came back meanwhile
    ]
    plan = _plan(state, known, held, complete, changed)
    due = [*plan.delete, *plan.held]
    ids = {state.known[guid].package_id: guid for guid in due}
    others = {ids[id_]: other for id_, other in routes.find_others([*filter(None, ids)]).items()}
    if not others:
        return plan, []
    # Datasets that go on from another source are not deleted, so they do not count as such.
    alone = {guid: record for guid, record in known.items() if guid not in others}
    plan = _plan(state, alone, held, complete, changed)
    taken = [
        guid
        for guid in due
        if guid in others and others[guid].may_have and guid not in state.listing.left_out
    ]
    asked = [guid for guid in due if guid in others and guid not in taken]
    reason = _sentences(plan.reason, _why_asked(others[guid] for guid in asked))
    return replace(plan, held=(*plan.held, *asked), reason=reason), taken


def _why_asked(others: Iterable[routes.OtherRoute]) -> str:
    """Return why the deletions of datasets that sources of other organisations list too wait."""
    titles = [f"'{other.source_title}'" for other in others]
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
    held: Collection[str],
    complete: bool,
    changed: IdentifierChange | None,
) -> deletions.DeletionPlan:
    # The first run after adopting datasets deletes none of them.
    is_first = any(record.is_newly_adopted for record in state.known.values())
    # Of records that are no datasets the deletion is a question, whatever their number.
    left_out = [
        guid for guid in state.listing.left_out if complete and guid in known and known[guid].active
    ]
    plan = deletions.plan(
        {guid: record for guid, record in known.items() if guid not in left_out},
        # A record that waits under a new identifier is not missing.
        state.listing.seen.union(changed.guids) if changed else state.listing.seen,
        complete=complete,
        said_deleted=() if is_first else state.listing.said_deleted,
        held=held,
        # A resumed read does not know which records were no datasets.
        after_runs=max(config.delete_after_runs(), 2 if is_first or state.taken_before else 1),
        max_share=config.delete_max_share(),
    )
    if not left_out:
        return plan
    what = "1 record is" if len(left_out) == 1 else f"{len(left_out)} records are"
    why = f"{what} of a type that is no dataset, so the deletion of what was imported waits"
    reason = _sentences(plan.reason, why)
    return replace(plan, held=(*plan.held, *left_out), reason=reason)


def _stage_deletions(
    state: GatherState, guids: Iterable[str], extras: Mapping[str, str] | None = None
) -> None:
    staged = [
        objects.StagedObject(guid, "delete", None, state.known[guid].package_id, extras or {})
        for guid in guids
    ]
    state.batch += staged
    state.ids += [obj.id for obj in staged]
    objects.add_staged(state.batch, state.job_id, state.source.id)
    state.batch.clear()


def _mark_missing(state: GatherState, plan: deletions.DeletionPlan) -> None:
    missing = [state.known[guid] for guid in (*plan.missing, *plan.held)]
    mark_missed(record.id for record in missing)
    outcomes.save_missing(state.job_id, [row.id for row in missing if not row.missed_runs])
    # Now, not at their import: until then a person might approve their deletion.
    mark_back(state.known[guid].id for guid in plan.back)
    state.counts["missing"] = len(plan.missing)
    state.counts["held"] = len(plan.held)


def _end_failed(state: GatherState, complete: bool) -> None:
    """Let failed records without a dataset that are gone no longer count as failed."""
    gone = state.known.keys() - state.listing.seen
    gone = gone if complete else gone & state.listing.said_deleted
    records = (state.known[guid] for guid in gone)
    end_failed(record.id for record in records if record.fails_alike and not record.is_active)


def _forget_strangers(state: GatherState) -> None:
    """Delete the rows of datasets adopted by guid alone that are not in this source after all."""
    forget_records(
        record.id
        for guid, record in state.known.items()
        if record.adopted == AdoptedBy.GUID and guid not in state.listing.seen
    )


def _end_report(
    state: GatherState,
    plan: deletions.DeletionPlan,
    changed: IdentifierChange | None,
    *,
    complete: bool,
    reason: str,
) -> None:
    report = state.report()
    report.counts = {"seen": 0, **state.counts}
    if plan.shortfall:
        report.counts["shortfall"] = asdict(plan.shortfall)
    report.complete = complete
    report.outcome = RunOutcome.FINISHED
    if plan.held or changed:
        report.outcome = RunOutcome.HELD
        moves, missing = (changed.moves, changed.missing) if changed else ((), 0)
        report.waits = pending.Waits(plan.reason, moves, missing).as_stored()
    report.reason = reason
    report.finished = report.heartbeat = utcnow()


def abandon_gather(state: GatherState, error: UkharvestError) -> None:
    """End the run as failed: nothing is imported, deleted or counted as missing."""
    compat.rollback()
    end_if_replaced(state)
    report = run_report.open_report(state.job_id, state.source.id)
    if report.stopped_by:  # stopped anyway: not a failure of the source
        stopping.end_gather(state.job)
        return
    objects.discard_staged(state.job_id)
    objects.forget_point(state.source.id)
    report.outcome, report.reason, report.finished = RunOutcome.FAILED, error.message, utcnow()
    report.error = {"code": error.code, "message": error.message, "passes": error.retryable}
    report.error["wording"] = wording_of(error.message)
    Session.add(HarvestGatherError(message=error.message, harvest_job_id=state.job_id))
    Session.commit()


def take_single(state: GatherState, record: Classified) -> None:
    """Stage the requested record, changed or not; ignore the others."""
    if record.raw.guid != state.only_guid or record.record_class is RecordClass.DELETED:
        return
    if record.record_class is RecordClass.LOST:
        gather_state.take_in(state, record)
        return
    state.counts["seen"] += 1
    # Who asks for one record wants its dataset as the source has it, without a person's edits.
    write_again(state.source.id, record.raw.guid)
    gather_state.stage_record(state, record)


def finish_single(state: GatherState, setting: Setting) -> None:
    """End the run's report, and release the object."""
    waiting = pending.StoredPending(state.source.id).guids(PendingKind.IDENTIFIER)
    is_waiting = hold_back_staged(state, set(waiting.values()))
    report = state.report()
    report.counts = dict(state.counts)
    report.outcome = RunOutcome.FINISHED
    report.reason = f"only the record {state.only_guid} was asked for"
    if not state.counts["seen"]:
        report.reason += "; the source does not list it"
    if is_waiting:
        report.reason += "; it waits for a decision, because identifiers may have changed"
    report.finished = report.heartbeat = utcnow()
    outcomes.save_unread(state.job_id)
    objects.show_staged(state.job_id)
    model.Session.commit()
    log.info("Gathered one record of %s: %s", setting.url, dict(state.counts))


BATCH = 500  # objects a commit; also records, where a read can go on behind them


def run_gather(state: GatherState) -> list[str]:
    """Read the source and release its objects; return their ids for the fetch queue.

    Raises:
        SourceError, ConfigError: the run failed; call ``abandon_gather``.
    """
    try:
        if _begin(state):
            _gather(state)
        return state.ids
    except RunStopped:
        compat.rollback()
        stopping.end_gather(state.job)
        return []


def _begin(state: GatherState) -> bool:
    """Open the run's report; return False if the job was gathered before (delivered twice)."""
    report = run_report.open_report(state.job_id, state.source.id)
    if report.outcome:
        return False
    if report.stopped_by:
        raise RunStopped
    state.force = state.force or report.mode == RunMode.FORCE
    if state.force and report.mode != RunMode.APPROVAL:
        report.mode = RunMode.FORCE  # the import, in another process, asks the report
    if report.heartbeat is None:  # a stock gather of this job may have been ended half-way
        objects.discard_stock_objects(state.job_id)
    report.started = report.heartbeat = utcnow()
    state.gathers_lost = int((report.counts or {}).get(run_report.LOST_GATHERS, 0))
    Session.commit()
    return True


def _gather(state: GatherState) -> None:
    setting = setting_of(state.kind, state.source)
    value_tables.mark_outdated(setting.id, setting.options)
    Session.commit()
    state.known = known_records(state.source.id)
    is_due = dataset_adoption.does_run_adopt(state.source.id, state.known)
    if is_due and dataset_adoption.adopt_datasets(state.source):
        if source_config.keep_stock_schema(state.kind, state.source):
            setting = setting_of(state.kind, state.source)
        Session.commit()
        state.known = known_records(state.source.id)
    search_index.mend_source(setting.id, state.known.values(), lambda: beat(state))
    saved_state = gather_state.restore_sync_state(state, setting)
    state.since = saved_state.since
    how_it_ended = _read(state, setting, saved_state)
    gather_state.stage_changed(state)
    gather_state.flush_batch(state)
    if state.only_guid:
        finish_single(state, setting)
    else:
        find_changed_identifiers(state, how_it_ended)
        finish_gather(state, setting, how_it_ended)


def _read(state: GatherState, setting: Setting, saved_state: source_config.SyncState) -> Ending:
    take = take_single if state.only_guid else gather_state.take_in
    with open_client(setting.options["credential"]) as http:
        read = SourceRead(
            state.kind,
            saved_state.source(setting, http),
            state.classifier(setting),
            state.taken_before,
        )
        for record in read:
            take(state, record)
            state.taken += 1
            beat(state)
            point = record.raw.resume
            in_memory = len(state.batch) + len(state.to_compare)
            if in_memory >= BATCH or (point and state.taken >= BATCH):
                gather_state.stage_changed(state)
                if point and not state.only_guid:  # sent again, such a job is one of all records
                    gather_state.note_point(state, setting, point)
                gather_state.flush_batch(state)
    return read.ended()
