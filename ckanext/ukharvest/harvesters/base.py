"""Base class of the harvester plugins; catches every exception at the end of a stage.

An exception that leaves a stage ends the consumer process (ckanext-harvest issue 112), so the
stages catch everything, restore the session, store a message and return False. All runs of a
process share the plugin instances, which hold no state.
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from typing import Any, ClassVar

import ckan.plugins as p
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import ConfigError, UkharvestError
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers.failures import failing_service
from ckanext.ukharvest.harvest.gather import dry_run, gather_stage, objects
from ckanext.ukharvest.harvest.gather.gather_state import GatherState
from ckanext.ukharvest.harvest.sources import source_config as harvest_source_config
from ckanext.ukharvest.reading.budget import Budget
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.source_preview import Tell
from ckanext.ukharvest.source_types.source_type import SourceType

log = logging.getLogger(__name__)
Session = model.Session

_force_next: ContextVar[bool] = ContextVar("ukharvest_force_next_import", default=False)


class UkHarvester(p.SingletonPlugin):
    """One source type as a CKAN plugin; a subclass sets only the type."""

    p.implements(IHarvester)

    source_type: ClassVar[SourceType]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        config.check_order(self.name)

    @property
    def force_import(self) -> bool:
        """Whether the next import in this thread imports a finished object again.

        ``ckan harvester import`` sets it before each object, on harvesters that have it, and never
        takes it back.
        """
        return _force_next.get()

    @force_import.setter
    def force_import(self, force: bool) -> None:
        _force_next.set(force)

    def info(self) -> dict[str, str]:
        """Return the type's description for the form; called for every message, so constant."""
        kind = self.source_type
        return {
            "name": config.type_name(kind),
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
            harvest_source_config.read_options(self.source_type, source_config)
        except ConfigError as exc:
            raise ValueError(exc.message) from exc
        options = json.loads(source_config) if source_config and source_config.strip() else {}
        return json.dumps(options, indent=2) if options else ""

    def dry_run(
        self,
        source: HarvestSource,
        tell: Tell,
        text: str | None = None,
        budget: Budget = dry_run.BUDGET,
    ) -> PreviewResult:
        """Read a saved source and return what a run would do, without writing anything.

        Args:
            tell: called with the progress.
            text: the options that it will have once it is adopted; None for those that it has.
            budget: how many records are read, and how long it may take.

        Raises:
            ConfigError: the source's options cannot be used.
        """
        return dry_run.dry_run_source(self.source_type, source, tell, text, budget)

    def get_original_url(self, harvest_object_id: str) -> str | None:
        """Return the URL that a record was read from, for the error report."""
        url = objects.extras_of(harvest_object_id).get(objects.URL)
        if url:
            return url
        obj = HarvestObject.get(harvest_object_id)
        return str(obj.source.url) if obj else None

    def gather_stage(self, harvest_job: HarvestJob) -> list[str]:
        """Read the source; return the ids of the objects to import, [] if the run failed."""
        try:
            return gather_stage.retry_gather(
                lambda: self._gather_once(harvest_job),
                lambda error: gather_stage.abandon_gather(self._state(harvest_job), error),
            )
        except Exception:  # noqa: BLE001 - no database: the log has to do
            log.exception("The end of a gather could not be stored")
            compat.rollback()
        return []

    def _gather_once(self, job: HarvestJob) -> list[str]:
        """Read the source, or store why it failed.

        Raises:
            Exception: a service failed (``failing_service``); the gather can start again.
        """
        Session.add(job)  # a failed service may have invalidated its session
        Session.commit()  # keeps what the framework set on the job
        state = self._state(job)
        error: UkharvestError
        try:
            return gather_stage.run_gather(state)
        except UkharvestError as exc:
            error = exc
        except Exception as exc:
            if failing_service(exc):
                raise
            log.exception("Gather of job %s failed", state.job_id)
            error = UkharvestError("Internal error while reading the source; see the log")
        compat.rollback()
        gather_stage.abandon_gather(state, error)
        return []

    def _state(self, job: HarvestJob) -> GatherState:
        # Set on the job, in this process only, by ``ckan ukharvest run --guid``.
        return GatherState(self.source_type, job, only_guid=str(getattr(job, "only_guid", "")))

    def fetch_stage(self, harvest_object: HarvestObject) -> import_stage.StageResult:
        """Return True: the import fetches what the listing did not contain."""
        return True

    def import_stage(self, harvest_object: HarvestObject) -> import_stage.StageResult:
        """Write the record's dataset, or delete it: a batch of one."""
        again, self.force_import = self.force_import, False
        try:
            Session.commit()  # keeps what the framework set on the object
            (object_id,) = sa.inspect(harvest_object).identity
            answer = import_stage.import_one(self.source_type, object_id, again=again)
            Session.add(harvest_object)  # a failed service may have closed its session
            Session.expire(harvest_object)  # it was changed by statements
        except Exception:  # noqa: BLE001 - the consumer has to survive
            log.exception("The end of an import could not be read")
            compat.rollback()
            return False
        return answer


def make_plugin(kind: SourceType, module: str) -> type[UkHarvester]:
    """Return the plugin of a source type, a class that is called as the plugin is."""
    about = {"__module__": module, "__doc__": f"{kind.description}.", "source_type": kind}
    return type(kind.plugin, (UkHarvester,), about)
