"""Base class of the harvester plugins; catches every exception at the end of a stage.

An exception that leaves a stage ends the consumer process (ckanext-harvest issue 112), so the
stages catch everything, restore the session, store a message and return False. All runs of a
process share the plugin instances, which hold no state.
"""

from __future__ import annotations

import json
import logging
from typing import Any, ClassVar

import ckan.plugins as p
from ckan import model
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import ConfigError, UkharvestError
from ckanext.ukharvest.engine import dataset_writer, dry_run, outages
from ckanext.ukharvest.engine import import_stage as work
from ckanext.ukharvest.engine import source_config as setting
from ckanext.ukharvest.engine.gather import ending, run
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.model import staged_objects, stock_objects
from ckanext.ukharvest.model.service_faults import failing_service
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.source_preview import Tell
from ckanext.ukharvest.source_types import SourceType

log = logging.getLogger(__name__)
Session = model.Session


class UkHarvester(p.SingletonPlugin):
    """One source type as a CKAN plugin; a subclass sets only the type."""

    p.implements(IHarvester)

    source_type: ClassVar[SourceType]

    def info(self) -> dict[str, str]:
        """Return the type's description for the form; called for every message, so constant."""
        kind = self.source_type
        return {
            "name": kind.name,
            "title": kind.title,
            "description": kind.description,
            "form_config_interface": "Text",
        }

    def validate_config(self, source_config: str | None) -> str:
        """Return the checked configuration with only the options that were set.

        Raises:
            ValueError: an option is invalid; the form shows the text unchanged.
        """
        try:
            setting.read_options(self.source_type, source_config)
        except ConfigError as exc:
            raise ValueError(exc.message) from exc
        found = json.loads(source_config) if source_config and source_config.strip() else {}
        return json.dumps(found, indent=2) if found else ""

    def dry_run(self, source: HarvestSource, tell: Tell) -> PreviewResult:
        """Read a saved source and return what a run would do, without writing anything.

        Args:
            tell: called with the progress.

        Raises:
            ConfigError: the source's options cannot be used.
        """
        return dry_run.dry_run(self.source_type, source, tell)

    def get_original_url(self, harvest_object_id: str) -> str | None:
        """Return the URL that a record was read from, for the error report."""
        url = staged_objects.extras_of(harvest_object_id).get(staged_objects.URL)
        if url:
            return url
        obj = HarvestObject.get(harvest_object_id)
        return str(obj.source.url) if obj else None

    def gather_stage(self, harvest_job: HarvestJob) -> list[str]:
        """Read the source; return the ids of the objects to import, [] if the run failed."""
        try:
            return outages.retry_gather(
                lambda: self._gather_once(harvest_job),
                lambda error: ending.abandon(self._state(harvest_job), error),
            )
        except Exception:  # noqa: BLE001 - no database: the log has to do
            log.exception("The end of a gather could not be stored")
            compat.rollback()
        return []

    def _gather_once(self, job: HarvestJob) -> list[str]:
        """Read the source, or store why it failed.

        Raises:
            Exception: a service failed (``service_faults``); the gather can start again.
        """
        Session.add(job)  # a failed service may have invalidated its session
        Session.commit()  # keeps what the framework set on the job
        state = self._state(job)
        error: UkharvestError
        try:
            return run.run(state)
        except UkharvestError as exc:
            error = exc
        except Exception as exc:
            if failing_service(exc):
                raise
            log.exception("Gather of job %s failed", state.job_id)
            error = UkharvestError("Internal error while reading the source; see the log")
        compat.rollback()
        ending.abandon(state, error)
        return []

    def _state(self, job: HarvestJob) -> GatherState:
        # Set on the job, in this process only, by ``ckan ukharvest run --guid``.
        return GatherState(self.source_type, job, only_guid=str(getattr(job, "only_guid", "")))

    def fetch_stage(self, harvest_object: HarvestObject) -> work.StageResult:
        """Fetch the object's content if it has none."""
        return self._stage("Fetch", harvest_object, work.fetch)

    def import_stage(self, harvest_object: HarvestObject) -> work.StageResult:
        """Write the record's dataset, or delete it."""
        # ``ckan harvester import`` sets this on the plugin to import finished objects again.
        again = bool(getattr(self, "force_import", False))

        def import_(kind: SourceType, obj: HarvestObject) -> work.StageResult:
            return work.import_record(kind, obj, again=again)

        return self._stage("Import", harvest_object, import_)

    def _stage(self, name: str, obj: HarvestObject, do: Any) -> work.StageResult:
        try:
            Session.commit()  # keeps what the framework set on the object
            object_id = obj.id
            if stock_objects.is_stock_object(obj):
                log.warning("Harvest object %s: %s", object_id, stock_objects.REASON)
                stock_objects.end_stock_object(obj)
                return False
            error: UkharvestError
            try:
                answer: work.StageResult = do(self.source_type, obj)
            except UkharvestError as exc:
                error = exc
            except Exception as exc:
                if failing_service(exc):
                    raise
                log.exception("%s of harvest object %s failed", name, object_id)
                error = UkharvestError("Internal error while importing; see the log")
            else:
                return answer
            compat.rollback()
            dataset_writer.fail(object_id, error, name)
        except Exception as exc:  # noqa: BLE001 - the consumer has to survive
            if not (failing_service(exc) and outages.postpone(obj, exc, name)):
                log.exception("The end of a %s could not be stored", name)
                compat.rollback()
        return False
