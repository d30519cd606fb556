"""Read a source, stage what has to be imported, then show it to the consumers."""

from __future__ import annotations

import logging
import time

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import deletions
from ckanext.ukharvest.core.errors import SourceError, UkharvestError
from ckanext.ukharvest.core.records import Ending, Reading
from ckanext.ukharvest.harvesters.run import memory
from ckanext.ukharvest.harvesters.run.intake import Intake
from ckanext.ukharvest.harvesters.run.rules import sentences
from ckanext.ukharvest.harvesters.run.setting import Setting, setting_of
from ckanext.ukharvest.model import adoption, held, indexed, staging, stopping, utcnow
from ckanext.ukharvest.model.known import (
    ADOPTED_BY_GUID,
    Known,
    forget,
    mark_back,
    mark_missed,
)
from ckanext.ukharvest.readers.paging import unique

log = logging.getLogger(__name__)
Session = model.Session

BATCH = 500  # objects a commit; also records, where a read can go on behind them
LIFE_EVERY = 2.0  # seconds between two signs of life, where the source is slower than that


class Stopped(Exception):
    """A person asked to stop the run."""


class Gather(Intake):
    """One gather of one job; made anew for each call."""

    def run(self) -> list[str]:
        """Read the source and show its objects; return their ids for the fetch queue.

        Raises:
            SourceError, ConfigError: nothing was staged that is still there.
        """
        try:
            return self._run() if self._begin() else []
        except Stopped:
            compat.rollback()
            stopping.end_gather(self.job)
            return []

    def _run(self) -> list[str]:
        setting = setting_of(self.kind, self.source)
        self._look_up()
        if not self.known and adoption.adopt(self.source):
            Session.commit()
            self._look_up()
        indexed.mend(setting.id, self.known.values())
        told = self._recall(setting)
        self.since = told.since
        with config.http_client(setting.options["credential"]) as http:
            reading = Reading(unique(self.kind.reader.records(told.source(setting, http))))
            self._read(reading, setting)
        if reading.ending is None:
            raise SourceError(
                f"{setting.url}: the read broke off without a reason", url=setting.url
            )
        self._flush()
        return self._finish(setting, reading.ending)

    def _read(self, reading: Reading, setting: Setting) -> None:
        for raw in reading:
            if raw.guid in self.before:
                continue
            self._take(raw, setting)
            self.taken += 1
            self._show_life()
            if len(self.batch) >= BATCH or (raw.resume and self.taken >= BATCH):
                if raw.resume:
                    self._note(setting, raw.resume)
                self._flush()

    def _begin(self) -> bool:
        """Open the run's report; False if this job was gathered before (delivered twice)."""
        report = stopping.open_report(self.job_id, self.source.id)
        if report.outcome:
            return False
        if report.stopped_by:
            raise Stopped
        self.force = self.force or report.mode == "force"
        if self.force and report.mode != "approval":
            report.mode = "force"  # the import, in another process, asks the report
        report.started = report.heartbeat = utcnow()
        Session.commit()
        return True

    def _show_life(self) -> None:
        """Note now and then that the gather lives, and end it if a person asked for that."""
        now = time.monotonic()
        if now - self.shown < LIFE_EVERY:
            return
        self.shown = now
        if stopping.show_life(self.job_id, self.counts["seen"]):
            raise Stopped

    def _recall(self, setting: Setting) -> memory.Recalled:
        """Return what the read is told; what a killed gather of this job staged goes, or counts."""
        told = memory.recall_point(setting, self.job_id, self.known.values())
        if told:
            self._restore()
            return told
        staging.discard(self.job_id)
        staging.forget_point(setting.id)
        Session.commit()
        if self.force:
            return memory.recall_nothing(setting, self.known.values())
        return memory.recall(setting, self.known.values())

    def _finish(self, setting: Setting, ending: Ending) -> list[str]:
        if stopping.is_asked_for(self.job_id, lock=True):
            raise Stopped
        if ending.unchanged:
            self._leave_all()
        complete, reason = ending.complete and not ending.changes_only, ending.reason
        if ending.changes_only:
            reason = sentences(self._only_changes(), ending.reason)
        elif complete and self.has_nameless:
            complete = False
            reason = "records without an identifier may be any of those that seem to be missing"
        plan = self._plan_deletions(complete)
        self._stage_deletions(plan.delete)
        missed = (*plan.missing, *plan.held)
        self._mark_unchanged()
        mark_missed(self.known[guid].id for guid in missed)
        # At once, and not when they are imported: until then they might be approved for deletion.
        mark_back(self.known[guid].id for guid in plan.back)
        if complete:
            forget(each.id for each in self.known.values() if self._is_strange(each))
        self.counts["missing"] = len(plan.missing)
        self.counts["held"] = len(plan.held)
        if complete:  # a read that proves nothing leaves what waits as it is
            state = memory.state_of(setting.id)
            state.held = held.note(state.held, self.job_id, plan) or sa.null()
        memory.keep(setting, self.job_id, ending, lost=self.counts["lost"])
        staging.forget_point(setting.id)
        report = self._report()
        report.counts = dict(self.counts)
        report.complete = complete
        report.outcome = "held" if plan.held else "finished"
        problems = (problem.message for problem in ending.problems)
        report.reason = sentences(reason or plan.reason, *problems)
        report.finished = report.heartbeat = utcnow()
        staging.show(self.job_id)
        Session.commit()
        log.info("Gathered %s: %s", setting.url, dict(self.counts))
        return self.ids

    def _only_changes(self) -> str:
        """Say what a run was that asked for changes; what it did not ask for is no figure of it."""
        others = sum(each.is_active for guid, each in self.known.items() if guid not in self.seen)
        self.counts["not_asked"] = others
        return (
            f"only what changed since {self.since} was asked for: {others:,} other datasets were "
            "neither looked at nor counted as missing or deleted"
        )

    def _leave_all(self) -> None:
        # "Not modified" as a whole: what the last complete run saw is there, unchanged; what it
        # missed is still missing.
        for known in self.known.values():
            if not known.missed_runs and not known.removed:
                self.counts["seen"] += 1
                self._leave(known)

    def _is_strange(self, known: Known) -> bool:
        """An organisation's dataset that turned out not to be of this source."""
        return known.outcome == ADOPTED_BY_GUID and known.guid not in self.seen

    def _plan_deletions(self, complete: bool) -> deletions.DeletionPlan:
        known = {
            guid: deletions.Known(missed=each.missed_runs, active=each.can_go_missing)
            for guid, each in self.known.items()
        }
        # The first run over datasets of another harvester deletes none of them.
        is_first = any(each.is_newly_adopted for each in self.known.values())
        return deletions.plan(
            known,
            self.seen,
            complete=complete,
            said_deleted=() if is_first else self.said_deleted,
            after_runs=max(config.delete_after_runs(), 2 if is_first else 1),
            max_share=config.delete_max_share(),
        )

    def _stage_deletions(self, guids: tuple[str, ...]) -> None:
        for guid in guids:
            staged = staging.Staged(
                guid=guid, status="delete", package_id=self.known[guid].package_id
            )
            self.batch.append(staged)
            self.ids.append(staged.id)
        staging.add(self.batch, self.job_id, self.source.id)
        self.batch.clear()

    def abandon(self, error: UkharvestError) -> None:
        """End the run without a result: nothing is imported, deleted or counted missing."""
        compat.rollback()
        report = stopping.open_report(self.job_id, self.source.id)
        if report.stopped_by:  # it should have ended anyway: no failure of the source
            stopping.end_gather(self.job)
            return
        staging.discard(self.job_id)
        staging.forget_point(self.source.id)
        report.outcome = "failed"
        report.reason = error.message
        report.error = {
            "code": error.code,
            "message": error.message,
            "passes": error.retryable,
        }
        report.finished = utcnow()
        Session.add(HarvestGatherError(message=error.message, harvest_job_id=self.job_id))
        Session.commit()
