"""The IHarvester face of a source type: the border where every exception ends.

An exception that leaves a stage ends the consumer process (ckanext-harvest issue 112), so the
stages catch everything, bring the session back, store a message and answer False. Plugin
instances are shared by all runs of a process and keep no state.
"""

from __future__ import annotations

import json
import logging
from typing import Any, ClassVar

import ckan.plugins as p
from ckan import model
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, store
from ckanext.ukharvest.check.trial import Tell
from ckanext.ukharvest.core.errors import ConfigError, UkharvestError
from ckanext.ukharvest.harvesters.run import gather, one, rehearsal, setting, work
from ckanext.ukharvest.model import staging
from ckanext.ukharvest.types import SourceType

log = logging.getLogger(__name__)
Session = model.Session


class UkHarvester(p.SingletonPlugin):
    """One source type as a CKAN plugin; a subclass names its type and nothing else."""

    p.implements(IHarvester)

    source_type: ClassVar[SourceType]

    def info(self) -> dict[str, str]:
        """Describe the type for the form; called for every message, so constant."""
        kind = self.source_type
        return {
            "name": kind.name,
            "title": kind.title,
            "description": kind.description,
            "form_config_interface": "Text",
        }

    def validate_config(self, source_config: str | None) -> str:
        """Return the configuration as it is stored: only what was given, checked.

        Raises:
            ValueError: shown on the form as it is.
        """
        try:
            setting.read_options(self.source_type, source_config)
        except ConfigError as exc:
            raise ValueError(exc.message) from exc
        found = json.loads(source_config) if source_config and source_config.strip() else {}
        return json.dumps(found, indent=2) if found else ""

    def rehearse(self, source: HarvestSource, tell: Tell) -> dict[str, Any]:
        """Read a saved source as a run would, write nothing, and return what the run would do.

        Args:
            tell: is told how far it is.

        Returns:
            As ``Trial.run``.

        Raises:
            ConfigError: the source's options cannot be used.
        """
        return rehearsal.rehearse(self.source_type, source, tell)

    def get_original_url(self, harvest_object_id: str) -> str | None:
        """Return where a record was read, for the error report."""
        url = staging.extras_of(harvest_object_id).get(staging.URL)
        if url:
            return url
        obj = HarvestObject.get(harvest_object_id)
        return str(obj.source.url) if obj else None

    def gather_stage(self, harvest_job: HarvestJob) -> list[str]:
        """Read the source; return the ids of the objects to import, [] if the run failed."""
        try:
            Session.commit()  # keeps what the framework set on the job
            run = self._gather(harvest_job)
            error: UkharvestError
            try:
                return run.run()
            except UkharvestError as exc:
                error = exc
            except Exception:  # noqa: BLE001 - the consumer has to survive
                log.exception("Gather of job %s failed", run.job_id)
                error = UkharvestError("Internal error while reading the source; see the log")
            compat.rollback()
            run.abandon(error)
        except Exception:  # noqa: BLE001 - no database: the log has to do
            log.exception("The end of a gather could not be stored")
            compat.rollback()
        return []

    def _gather(self, job: HarvestJob) -> gather.Gather:
        # Set on the job, in this process only, by ``ckan ukharvest run --guid``.
        guid = str(getattr(job, "only_guid", ""))
        if guid:
            return one.GatherOne(self.source_type, job, guid)
        return gather.Gather(self.source_type, job)

    def fetch_stage(self, harvest_object: HarvestObject) -> work.Answer:
        """Make sure that the object has its content."""
        return self._stage("Fetch", harvest_object, work.fetch)

    def import_stage(self, harvest_object: HarvestObject) -> work.Answer:
        """Write the record's dataset, or delete it."""
        # ``ckan harvester import`` sets this on the plugin and wants finished objects again.
        again = bool(getattr(self, "force_import", False))

        def import_(kind: SourceType, obj: HarvestObject) -> work.Answer:
            return work.import_record(kind, obj, again=again)

        return self._stage("Import", harvest_object, import_)

    def _stage(self, name: str, obj: HarvestObject, do: Any) -> work.Answer:
        try:
            Session.commit()  # keeps what the framework set on the object
            object_id = obj.id
            error: UkharvestError
            try:
                answer: work.Answer = do(self.source_type, obj)
            except UkharvestError as exc:
                error = exc
            except Exception:  # noqa: BLE001 - the consumer has to survive
                log.exception("%s of harvest object %s failed", name, object_id)
                error = UkharvestError("Internal error while importing; see the log")
            else:
                return answer
            compat.rollback()
            store.fail(object_id, error, name)
        except Exception:  # noqa: BLE001 - no database, or the object is gone: the log has to do
            log.exception("The end of a %s could not be stored", name)
            compat.rollback()
        return False
