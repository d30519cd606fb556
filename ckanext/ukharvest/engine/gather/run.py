"""Read a source, stage the records to import, then release them to the fetch consumers."""

from __future__ import annotations

from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.core.records import Ending
from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.gather import (
    changed_identifiers,
    ending,
    intake,
    new_rules,
    resume,
    single_record,
)
from ckanext.ukharvest.engine.gather.signs_of_life import Stopped, show_life
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.source_config import Setting, setting_of
from ckanext.ukharvest.model import (
    adoption,
    index_repair,
    stock_objects,
    stopping,
    utcnow,
)
from ckanext.ukharvest.reading.records import SourceRead

Session = model.Session

BATCH = 500  # objects a commit; also records, where a read can go on behind them


def run(state: GatherState) -> list[str]:
    """Read the source and release its objects; return their ids for the fetch queue.

    Raises:
        SourceError, ConfigError: the run failed; call ``ending.abandon``.
    """
    try:
        if _begin(state):
            _gather(state)
        return state.ids
    except Stopped:
        compat.rollback()
        stopping.end_gather(state.job)
        return []


def _begin(state: GatherState) -> bool:
    """Open the run's report; return False if the job was gathered before (delivered twice)."""
    report = stopping.open_report(state.job_id, state.source.id)
    if report.outcome:
        return False
    if report.stopped_by:
        raise Stopped
    state.force = state.force or report.mode == RunMode.FORCE
    if state.force and report.mode != RunMode.APPROVAL:
        report.mode = RunMode.FORCE  # the import, in another process, asks the report
    if report.heartbeat is None:  # a stock gather of this job may have been ended half-way
        stock_objects.discard_stock_objects(state.job_id)
    report.started = report.heartbeat = utcnow()
    state.gathers_lost = int((report.counts or {}).get(stopping.LOST_GATHERS, 0))
    Session.commit()
    return True


def _gather(state: GatherState) -> None:
    setting = setting_of(state.kind, state.source)
    state.look_up()
    is_due = not state.known or adoption.is_due(state.source.id)
    if is_due and adoption.adopt(state.source):
        Session.commit()
        state.look_up()
    index_repair.mend(setting.id, state.known.values())
    told = resume.recall(state, setting)
    state.since = told.since
    how_it_ended = _read(state, setting, told)
    new_rules.settle(state)
    intake.flush(state)
    if state.only_guid:
        single_record.finish(state, setting)
    else:
        changed_identifiers.find(state, how_it_ended)
        ending.finish(state, setting, how_it_ended)


def _read(state: GatherState, setting: Setting, told: sync_state.SyncState) -> Ending:
    take = single_record.take if state.only_guid else intake.take
    with open_client(setting.options["credential"]) as http:
        read = SourceRead(
            state.kind,
            told.source(setting, http),
            state.classifier(setting),
            state.taken_before,
        )
        for record in read:
            take(state, record)
            state.taken += 1
            show_life(state)
            point = record.raw.resume
            held = len(state.batch) + len(state.to_compare)
            if held >= BATCH or (point and state.taken >= BATCH):
                new_rules.settle(state)
                if point and not state.only_guid:  # sent again, such a job is one of all records
                    resume.note_point(state, setting, point)
                intake.flush(state)
    return read.ended()
