"""Gather one record of a source: for ``ckan ukharvest run SOURCE --guid``."""

from __future__ import annotations

import logging

from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.records import Ending, RawRecord
from ckanext.ukharvest.harvesters.run import memory
from ckanext.ukharvest.harvesters.run.gather import Gather
from ckanext.ukharvest.harvesters.run.setting import Setting
from ckanext.ukharvest.model import staging, utcnow
from ckanext.ukharvest.types import SourceType

log = logging.getLogger(__name__)


class GatherOne(Gather):
    """Reads the whole source, stages one record, and says nothing of the others.

    Nothing is counted as missing or deleted, and what the last run remembered of the source's
    documents stays.
    """

    def __init__(self, kind: SourceType, job: HarvestJob, guid: str) -> None:
        super().__init__(kind, job)
        self.guid = guid

    def _recall(self, setting: Setting) -> memory.Recalled:
        staging.discard(self.job_id)
        # "Not modified", or changes alone, might not bring the record.
        return memory.recall_nothing(setting, self.known.values())

    def _note(self, _setting: Setting, _point: str) -> None:
        """Note nothing: sent again, the job is one of all records."""

    def _take(self, raw: RawRecord, setting: Setting) -> None:
        if raw.guid != self.guid or raw.deleted:
            return
        if raw.error:
            super()._take(raw, setting)
            return
        self.counts["seen"] += 1
        self._stage(raw, self.known.get(raw.guid))

    def _finish(self, setting: Setting, _ending: Ending) -> list[str]:
        report = self._report()
        report.counts = dict(self.counts)
        report.outcome = "finished"
        report.reason = f"only the record {self.guid} was asked for"
        if not self.counts["seen"]:
            report.reason += "; the source does not list it"
        report.finished = report.heartbeat = utcnow()
        staging.show(self.job_id)
        model.Session.commit()
        log.info("Gathered one record of %s: %s", setting.url, dict(self.counts))
        return self.ids
