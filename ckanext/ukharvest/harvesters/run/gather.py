"""Read a source, stage what has to be imported, then show it to the consumers."""

from __future__ import annotations

import logging
from collections import Counter

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestSource

from ckanext.ukharvest import compat, config, store
from ckanext.ukharvest.core import deletions
from ckanext.ukharvest.core.errors import SourceError, UkharvestError
from ckanext.ukharvest.core.records import (
    Ending,
    RawRecord,
    Reading,
    Source,
    Validators,
)
from ckanext.ukharvest.harvesters.run.rules import MAX_GUID, guid_error, is_unchanged, sentences
from ckanext.ukharvest.harvesters.run.setting import Setting, setting_of
from ckanext.ukharvest.model import JobReport, SourceState, adoption, held, indexed, staging, utcnow
from ckanext.ukharvest.model.known import (
    ADOPTED_BY_GUID,
    Known,
    forget,
    known_records,
    mark_missed,
    mark_seen,
)
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import SourceType

log = logging.getLogger(__name__)
Session = model.Session

BATCH = 500  # objects a commit


class Gather:
    """One gather of one job; made anew for each call."""

    def __init__(self, kind: SourceType, job: HarvestJob) -> None:
        self.kind = kind
        self.job_id: str = job.id
        self.source: HarvestSource = job.source
        self.force = bool(getattr(job, "force_import", False))
        self.known: dict[str, Known] = {}
        self.batch: list[staging.Staged] = []
        self.ids: list[str] = []
        self.seen: set[str] = set()
        self.unchanged: list[int] = []
        self.said_deleted: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.has_nameless = False

    def run(self) -> list[str]:
        """Read the source and show its objects; return their ids for the fetch queue.

        Raises:
            SourceError, ConfigError: nothing was staged that is still there.
        """
        if not self._begin():
            return []
        setting = setting_of(self.kind, self.source)
        self.known = known_records(setting.id)
        if not self.known and adoption.adopt(self.source):
            Session.commit()
            self.known = known_records(setting.id)
        indexed.mend(setting.id, self.known.values())
        documents = {} if self.force else self._trusted_validators(setting)
        with config.http_client(setting.options["credential"]) as http:
            source = Source(setting.url, setting.options, http, documents)
            reading = Reading(unique(self.kind.reader.records(source)))
            for raw in reading:
                self._take(raw, setting)
                if len(self.batch) >= BATCH:
                    self._flush()
        if reading.ending is None:
            raise SourceError(
                f"{setting.url}: the read broke off without a reason", url=setting.url
            )
        self._flush()
        return self._finish(setting, reading.ending)

    def _begin(self) -> bool:
        """Open the run's report; False if this job was gathered before (delivered twice)."""
        report = Session.query(JobReport).filter_by(job_id=self.job_id).one_or_none()
        if report is None:
            report = JobReport(job_id=self.job_id, source_id=self.source.id)
            Session.add(report)
        elif report.outcome:
            return False
        self.force = self.force or report.mode == "force"
        if self.force and report.mode != "approval":
            report.mode = "force"  # the import, in another process, asks the report
        report.started = report.heartbeat = utcnow()
        staging.discard(self.job_id)  # of an earlier gather of this job that was killed
        Session.commit()
        return True

    def _trusted_validators(self, setting: Setting) -> dict[str, Validators]:
        """Validators of documents whose "not modified" means that there is nothing to do."""
        state = Session.get(SourceState, setting.id)
        kept = state.validators if state else None
        if not kept or kept["salt"] != setting.fingerprint("{}"):
            return {}
        job = HarvestJob.get(kept["job_id"])
        if job is None or staging.count_unfinished(job.id):
            return {}
        if not all(each.is_settled for each in self.known.values()):
            return {}
        return {url: Validators(*pair) for url, pair in kept["documents"].items()}

    def _take(self, raw: RawRecord, setting: Setting) -> None:
        self.counts["seen"] += 1
        error = raw.error or guid_error(raw)
        if error:
            self._lose(raw, error)
            return
        if raw.deleted:
            self.said_deleted.add(raw.guid)
            return
        known = self.known.get(raw.guid)
        if known and not self.force and is_unchanged(raw, known, setting):
            self._leave(known)
            return
        self.seen.add(raw.guid)
        self._stage(raw, known)

    def _leave(self, known: Known) -> None:
        self.unchanged.append(known.id)
        if known.outcome == store.SKIPPED:
            self.counts["skipped"] += 1  # not seen: an earlier dataset of it goes missing
            return
        self.seen.add(known.guid)
        self.counts["kept_deleted" if known.deleted_by_hand else "unchanged"] += 1

    def _lose(self, raw: RawRecord, error: UkharvestError) -> None:
        if raw.guid:
            self.seen.add(raw.guid)
        else:
            self.has_nameless = True
        self.counts["lost"] += 1
        self.batch.append(
            staging.Staged(
                guid=raw.guid[:MAX_GUID],
                status=store.ERRORED,
                content=raw.content,
                error=error.message,
                line=error.line,
            )
        )

    def _stage(self, raw: RawRecord, known: Known | None) -> None:
        extras = {staging.MODIFIED: raw.modified}
        if raw.url != self.source.url:
            extras[staging.URL] = raw.url
        staged = staging.Staged(
            guid=raw.guid,
            status="change" if known and known.package_id else "new",
            content=raw.content,
            package_id=None,
            extras=extras,
        )
        self.batch.append(staged)
        self.ids.append(staged.id)

    def _flush(self) -> None:
        staging.add(self.batch, self.job_id, self.source.id)
        self.batch.clear()
        self._report().heartbeat = utcnow()
        Session.commit()

    def _report(self) -> JobReport:
        return Session.query(JobReport).filter_by(job_id=self.job_id).one()

    def _finish(self, setting: Setting, ending: Ending) -> list[str]:
        if ending.unchanged:
            self._leave_all()
        complete, reason = ending.complete, ending.reason
        if complete and self.has_nameless:
            complete = False
            reason = "records without an identifier may be any of those that seem to be missing"
        plan = self._plan_deletions(complete)
        self._stage_deletions(plan.delete)
        missed = (*plan.missing, *plan.held)
        mark_seen(self.unchanged, self.job_id)
        mark_missed(self.known[guid].id for guid in missed)
        if complete:
            forget(each.id for each in self.known.values() if self._is_strange(each))
        self.counts["missing"] = len(plan.missing)
        self.counts["held"] = len(plan.held)
        self._remember(setting, ending, plan, complete=complete)
        report = self._report()
        report.counts = dict(self.counts)
        report.complete = complete
        report.outcome = "held" if plan.held else "finished"
        report.reason = sentences(reason or plan.reason, ending.problems)
        report.finished = report.heartbeat = utcnow()
        staging.show(self.job_id)
        Session.commit()
        log.info("Gathered %s: %s", setting.url, dict(self.counts))
        return self.ids

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

    def _remember(
        self, setting: Setting, ending: Ending, plan: deletions.DeletionPlan, *, complete: bool
    ) -> None:
        state = Session.get(SourceState, setting.id)
        if state is None:
            state = SourceState(source_id=setting.id)
            Session.add(state)
        if complete:  # a read that proves nothing leaves what waits as it is
            state.held = held.note(state.held, self.job_id, plan) or sa.null()
        if ending.unchanged and state.validators:
            return
        documents = {
            url: [each.etag, each.last_modified] for url, each in ending.validators.items()
        }
        trusted = documents and ending.complete and not self.counts["lost"]
        kept = {"salt": setting.fingerprint("{}"), "job_id": self.job_id, "documents": documents}
        state.validators = kept if trusted else sa.null()

    def abandon(self, error: UkharvestError) -> None:
        """End the run without a result: nothing is imported, deleted or counted missing."""
        compat.rollback()
        staging.discard(self.job_id)
        report = Session.query(JobReport).filter_by(job_id=self.job_id).one_or_none()
        if report is None:
            report = JobReport(job_id=self.job_id, source_id=self.source.id)
            Session.add(report)
        report.outcome = "failed"
        report.reason = error.message
        report.finished = utcnow()
        Session.add(HarvestGatherError(message=error.message, harvest_job_id=self.job_id))
        Session.commit()
