"""Gather, fetch and import, once for all source types.

A run is gathered in one go (DESIGN: gather does the reading, stages it, then shows it); fetch
and import then work off one harvest object each, possibly in other processes and possibly twice.
Nothing here catches what it does not expect: that is ``base``'s border.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config, mapper, store
from ckanext.ukharvest.core import deletions, options
from ckanext.ukharvest.core.errors import (
    ConfigError,
    FetchError,
    ParseError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.fingerprint import canonical_json, fingerprint
from ckanext.ukharvest.core.records import (
    DatasetRecord,
    Ending,
    Problem,
    RawRecord,
    Reading,
    Source,
    Validators,
)
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.model import JobReport, Record, SourceState, staging, utcnow
from ckanext.ukharvest.model.known import Known, known_records, mark_missed, mark_seen
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import COMMON_OPTIONS, SourceType

log = logging.getLogger(__name__)
Session = model.Session

BATCH = 500  # objects a commit while gathering
# A unique index holds at most 2,704 bytes an entry; no real identifier comes near.
MAX_GUID = 2000

Answer = bool | str  # what a stage returns to ckanext.harvest.queue: True, "unchanged" or False
ANSWERS: Mapping[str, Answer] = {store.UNCHANGED: "unchanged", store.ERRORED: False}


@dataclass(frozen=True, slots=True)
class Setting:
    """A source with its options read and checked, for one call of a stage."""

    kind: SourceType
    id: str
    url: str
    owner_org: str
    options: Mapping[str, Any]

    @property
    def salt(self) -> tuple[object, ...]:
        """What, besides its content, decides how a record comes out."""
        return (self.kind.parser.VERSION, mapper.VERSION, canonical_json(dict(self.options)))

    def fingerprint(self, content: str) -> str:
        return fingerprint(content, self.kind.parser.FORM, self.salt)


def read_options(kind: SourceType, text: str | None) -> dict[str, Any]:
    """Return the source's options with defaults filled in.

    Raises:
        ConfigError: not a JSON object, or an option that the type does not have.
    """
    try:
        found = json.loads(text) if text and text.strip() else {}
    except ValueError as exc:
        raise ConfigError(f"configuration: not valid JSON ({exc})", field="config") from exc
    if not isinstance(found, dict):
        raise ConfigError(
            'configuration: expected a JSON object such as {"option": "value"}', field="config"
        )
    return options.validate(found, (*kind.options, *COMMON_OPTIONS))


def _setting(kind: SourceType, source: HarvestSource) -> Setting:
    package = Session.get(model.Package, source.id)
    owner = (package.owner_org if package else None) or source.publisher_id or ""
    return Setting(kind, source.id, source.url, owner, read_options(kind, source.config))


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
        setting = _setting(self.kind, self.source)
        self.known = known_records(setting.id)
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
        error = raw.error or _guid_error(raw)
        if error:
            self._lose(raw, error)
            return
        if raw.deleted:
            self.said_deleted.add(raw.guid)
            return
        known = self.known.get(raw.guid)
        if known and not self.force and _is_unchanged(raw, known, setting):
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
        self.counts["missing"] = len(plan.missing)
        self.counts["held"] = len(plan.held)
        self._remember(setting, ending, plan, complete=complete)
        report = self._report()
        report.counts = dict(self.counts)
        report.complete = complete
        report.outcome = "held" if plan.held else "finished"
        report.reason = _sentences(reason or plan.reason, ending.problems)
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

    def _plan_deletions(self, complete: bool) -> deletions.DeletionPlan:
        known = {
            guid: deletions.Known(missed=each.missed_runs, active=each.is_active)
            for guid, each in self.known.items()
        }
        return deletions.plan(
            known,
            self.seen,
            complete=complete,
            said_deleted=self.said_deleted,
            after_runs=config.delete_after_runs(),
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
            held = {"job_id": self.job_id, "guids": list(plan.held), "reason": plan.reason}
            state.held = held if plan.held else sa.null()
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


def _sentences(reason: str, problems: Iterable[Problem]) -> str:
    return "; ".join(each for each in (reason, *(problem.message for problem in problems)) if each)


def _guid_error(raw: RawRecord) -> ParseError | None:
    if len(raw.guid) > MAX_GUID:
        return ParseError(
            f"{raw.position or raw.url}: the identifier has {len(raw.guid):,} characters; "
            f"expected at most {MAX_GUID:,}",
            url=raw.url,
        )
    return None


def _is_unchanged(raw: RawRecord, known: Known, setting: Setting) -> bool:
    if not known.is_sound:
        return False
    if raw.content is None:
        # Only listed: the source's own stamp decides whether it is fetched, by equality alone.
        return bool(raw.modified) and raw.modified == known.last_modified
    return setting.fingerprint(raw.content) == known.fingerprint


def fetch(kind: SourceType, obj: HarvestObject) -> Answer:
    """Make sure that the object has its content, asking the source only if the listing had none.

    Raises:
        FetchError, RecordError, ConfigError: the record is lost.
    """
    if obj.report_status:
        return ANSWERS.get(obj.report_status, True)
    extras = staging.extras_of(obj.id)
    if obj.content is not None or extras.get(staging.STATUS) == "delete":
        return True
    setting = _setting(kind, obj.source)
    with config.http_client(setting.options["credential"]) as http:
        raw = kind.reader.fetch(Source(setting.url, setting.options, http), _raw(obj, extras))
    if raw.content is None:
        raise FetchError(f"{raw.url or raw.guid} has no content", url=raw.url)
    obj.content = raw.content
    Session.commit()
    return True


def import_record(kind: SourceType, obj: HarvestObject, *, again: bool = False) -> Answer:
    """Write the object's record, or delete its dataset.

    Args:
        again: import an object that was imported before (``ckan harvester import``).

    Raises:
        RecordError, ConfigError: the record is lost; the dataset stays as it is.
    """
    if obj.report_status and not again:
        return ANSWERS.get(obj.report_status, True)
    extras = staging.extras_of(obj.id)
    if extras.get(staging.STATUS) == "delete":
        store.delete(obj.id)
        return True
    setting = _setting(kind, obj.source)
    raw = _raw(obj, extras)
    if raw.content is None:
        raise ParseError(f"{raw.guid}: there is no content to import", url=raw.url)
    content_fingerprint = setting.fingerprint(raw.content)
    try:
        record = kind.parser.parse(raw, setting.options)
    except SkipRecord as exc:
        log.info("Skipped %s: %s", obj.guid, exc.message)
        store.skip(obj.id, content_fingerprint)
        return "unchanged"
    report = Session.query(JobReport.mode).filter_by(job_id=obj.harvest_job_id).first()
    (result,) = store.upsert_many(
        [
            store.Write(
                object_id=obj.id,
                record=_with_parent_checked(record, obj),
                fingerprint=content_fingerprint,
                defaults=_defaults(setting),
                url=raw.url,
                last_modified=raw.modified,
                forced=again or bool(report and report.mode == "force"),
                schema=store.dataset_schema(),
            )
        ]
    )
    if isinstance(result, UkharvestError):
        raise result
    return ANSWERS.get(result, True)


def _with_parent_checked(record: DatasetRecord, obj: HarvestObject) -> DatasetRecord:
    """Report a collection (isPartOf) that neither this run nor an earlier one has seen."""
    parent = record.extras.get("is_part_of")
    if not parent:
        return record
    in_run = Session.query(HarvestObject.id).filter_by(
        harvest_job_id=obj.harvest_job_id, guid=parent
    )
    before = Session.query(Record.id).filter_by(source_id=obj.harvest_source_id, guid=parent)
    if in_run.first() or before.first():
        return record
    problem = Problem(
        "missing-parent",
        "isPartOf",
        f"isPartOf: '{shorten(parent)}' is not a dataset of this source; expected the identifier "
        "of the collection that the dataset belongs to",
    )
    return replace(record, problems=(*record.problems, problem))


def _raw(obj: HarvestObject, extras: Mapping[str, str]) -> RawRecord:
    return RawRecord(
        guid=obj.guid,
        content=obj.content,
        url=extras.get(staging.URL, obj.source.url),
        modified=extras.get(staging.MODIFIED, ""),
    )


def _defaults(setting: Setting) -> mapper.Defaults:
    extras = dict(each.split("=", 1) for each in setting.options["default_extras"] if "=" in each)
    return mapper.Defaults(
        owner_org=setting.owner_org,
        tags=setting.options["default_tags"],
        extras=extras,
        not_overwrite={*setting.options["not_overwrite"], *config.not_overwrite_fields()},
    )
