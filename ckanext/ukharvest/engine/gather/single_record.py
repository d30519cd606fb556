"""Gather one record of a source: for ``ckan ukharvest run SOURCE --guid``.

Reads the whole source and stages one record. Counts nothing as missing or deleted, and does not
change the saved sync state.
"""

from __future__ import annotations

import logging

from ckan import model

from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.engine.gather import intake
from ckanext.ukharvest.engine.gather.changed_identifiers import hold_back
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.source_config import Setting
from ckanext.ukharvest.model import changed_identifiers, outcomes, staged_objects, utcnow
from ckanext.ukharvest.model.record_rows import write_again
from ckanext.ukharvest.model.source_state import ensure_source_state
from ckanext.ukharvest.reading.record_classifier import Classified, RecordClass

log = logging.getLogger(__name__)


def take(state: GatherState, record: Classified) -> None:
    """Stage the requested record, changed or not; ignore the others."""
    if record.raw.guid != state.only_guid or record.record_class is RecordClass.DELETED:
        return
    if record.record_class is RecordClass.LOST:
        intake.take(state, record)
        return
    state.counts["seen"] += 1
    # Who asks for one record wants its dataset as the source has it, without a person's edits.
    write_again(state.source.id, record.raw.guid)
    intake.stage(state, record)


def finish(state: GatherState, setting: Setting) -> None:
    """End the run's report, and release the object."""
    waiting = changed_identifiers.guids_of(ensure_source_state(state.source.id))
    is_waiting = hold_back(state, list(waiting))
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
    staged_objects.show(state.job_id)
    model.Session.commit()
    log.info("Gathered one record of %s: %s", setting.url, dict(state.counts))
