"""Take a source's records as they are read: leave what is unchanged, stage the rest."""

from __future__ import annotations

import time
from collections import Counter

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import store
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.harvesters.run import memory
from ckanext.ukharvest.harvesters.run.rules import MAX_GUID, guid_error, is_unchanged
from ckanext.ukharvest.harvesters.run.setting import Setting
from ckanext.ukharvest.model import JobReport, staging, utcnow
from ckanext.ukharvest.model.known import (
    ADOPTED,
    ADOPTED_BY_GUID,
    Known,
    known_records,
    mark_seen,
    rename,
    seen_by,
)
from ckanext.ukharvest.types import SourceType

Session = model.Session


class Intake:
    """The records of one gather, and what it counts of them.

    Attributes:
        seen: guids that the source listed, lost records included, skipped ones not.
        before: those that a killed gather of this job took before its last resume point.
        adopted: guids of rows that no import has confirmed yet.
        unchanged: ids of rows with nothing to do; so many of them are ``marked`` as seen.
        taken: records since the last commit.
        shown: when the gather last showed that it lives (``time.monotonic``).
    """

    def __init__(self, kind: SourceType, job: HarvestJob) -> None:
        self.kind = kind
        self.job = job
        self.job_id: str = job.id
        self.source: HarvestSource = job.source
        self.force = bool(getattr(job, "force_import", False))
        self.known: dict[str, Known] = {}
        self.batch: list[staging.Staged] = []
        self.ids: list[str] = []
        self.seen: set[str] = set()
        self.before: frozenset[str] = frozenset()
        self.since = ""
        self.taken = 0
        self.shown = time.monotonic()
        self.unchanged: list[int] = []
        self.marked = 0
        self.said_deleted: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.has_nameless = False
        self.adopted: set[str] = set()

    def _look_up(self) -> None:
        """Read what is known of the source's records."""
        self.known = known_records(self.source.id)
        unconfirmed = (ADOPTED, ADOPTED_BY_GUID)
        self.adopted = {g for g, each in self.known.items() if each.outcome in unconfirmed}

    def _restore(self) -> None:
        """Count what a killed gather of this job saw before it noted its last resume point."""
        for id_, guid, is_lost in staging.staged(self.job_id):
            self.counts["seen"] += 1
            self.counts["lost"] += is_lost
            if not is_lost:
                self.ids.append(id_)
            if guid:
                self.seen.add(guid)
            self.has_nameless = self.has_nameless or not guid
        left = seen_by(self.source.id, self.job_id) - self.seen
        for guid in left:
            self.counts["seen"] += 1
            self._leave(self.known[guid])
        self.before = frozenset(self.seen | left)
        self.marked = len(self.unchanged)

    def _note(self, setting: Setting, point: str) -> None:
        """Note that all that was taken so far need not be read again; the flush commits."""
        self._mark_unchanged()
        memory.note_point(setting, self.job_id, point, self.since)

    def _mark_unchanged(self) -> None:
        mark_seen(self.unchanged[self.marked :], self.job_id)
        self.marked = len(self.unchanged)

    def _take(self, raw: RawRecord, setting: Setting) -> None:
        self.counts["seen"] += 1
        error = raw.error or guid_error(raw)
        if error:
            self._lose(raw, error)
            return
        if raw.deleted:
            self.said_deleted.add(raw.guid)
            return
        known = self._known(raw)
        if known and not self.force and is_unchanged(raw, known, setting):
            self._leave(known)
            return
        self.seen.add(raw.guid)
        self._stage(raw, known)

    def _known(self, raw: RawRecord) -> Known | None:
        """Return the record's row, one of an earlier harvester's form of its guid included."""
        known = self.known.get(raw.guid)
        if (known and known.package_id) or not self.adopted:
            return known
        for old in self.kind.old_guids(raw):
            if old in self.adopted and old != raw.guid:
                self.adopted.discard(old)
                rename(self.known[old].id, self.source.id, raw.guid)
                self.known[raw.guid] = self.known.pop(old)._replace(guid=raw.guid)
                return self.known[raw.guid]
        return known

    def _leave(self, known: Known) -> None:
        if known.outcome == store.SKIPPED:
            self.counts["skipped"] += 1
            if not known.is_active:  # else not seen: its earlier dataset goes missing
                self.unchanged.append(known.id)
            return
        self.unchanged.append(known.id)
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
                code=error.code,
            )
        )

    def _stage(self, raw: RawRecord, known: Known | None) -> None:
        extras = {staging.MODIFIED: raw.modified, staging.ETAG: raw.etag}
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
        self.taken = 0
        self._report().heartbeat = utcnow()
        Session.commit()

    def _report(self) -> JobReport:
        return Session.query(JobReport).filter_by(job_id=self.job_id).one()
