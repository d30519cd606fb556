"""Import a batch of harvest objects that a fetch consumer has claimed.

Fetch, parse, write and index are those of a single import (import_stage.py, dataset_writer); what
ckanext-harvest's queue notes in an object at each stage is written once for all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import SkipRecord, UkharvestError
from ckanext.ukharvest.engine import dataset_writer, outages
from ckanext.ukharvest.engine.import_stage import SourceImport
from ckanext.ukharvest.model import (
    claims,
    retries,
    staged_objects,
    stock_objects,
    stopping,
    utcnow,
)
from ckanext.ukharvest.model.service_faults import failing_service
from ckanext.ukharvest.source_types import SourceType

log = logging.getLogger(__name__)
Session = model.Session

Note = Callable[[str], None]  # is called with the id of each object before the work on it


def import_batch(kind: SourceType, object_ids: Sequence[str], note: Note) -> None:
    """Import claimed objects, then give up the claims; never raises."""
    batch = _Batch(kind, object_ids, note)
    try:
        batch.run()
    except Exception as exc:  # noqa: BLE001 - the consumer has to survive
        service = failing_service(exc)
        if service:
            log.warning("%d harvest objects wait again: the %s failed", len(object_ids), service)
        else:
            log.exception("A batch of %d harvest objects failed", len(object_ids))
        _after_failure(batch.left, exc)
    rest = [id_ for id_ in object_ids if id_ not in batch.ended]
    if not rest:
        return
    try:
        retries.patiently(lambda: _end_and_commit(rest))
    except Exception:  # noqa: BLE001 - the sweeper ends them
        log.exception("The end of a batch could not be stored")


class _Batch:
    """The objects of a batch.

    Attributes:
        left: ids of those without a result.
        ended: ids of those whose end was stored with their datasets.
    """

    def __init__(self, kind: SourceType, object_ids: Sequence[str], note: Note) -> None:
        self._kind = kind
        self._note = note
        self.left = list(object_ids)
        self.ended: set[str] = set()

    def run(self) -> None:
        """Import the objects; those that fail, end with their error."""
        objects = self._load()
        if not objects:
            return
        extras = staged_objects.extras_of_all([obj.id for obj in objects])
        try:
            source = SourceImport(self._kind, objects[0].source)
        except UkharvestError as exc:
            for obj in objects:
                self._fail(obj, exc, "Fetch")
            return
        writes = []
        with source:
            source.load_versions(obj.guid for obj in objects)
            source.ask_ahead(objects, extras)
            for obj in objects:
                self._note(obj.id)
                write = self._prepare(source, obj, extras[obj.id])
                if write is not None:
                    writes.append(write)
        Session.commit()
        if self._is_stopped(objects[0].harvest_job_id):
            return
        for write, result in zip(writes, dataset_writer.upsert_many(writes, end), strict=True):
            self._take_result(write, result)

    def _load(self) -> list[HarvestObject]:
        """Return the objects that need work, in their order; end the others."""
        query = Session.query(HarvestObject).filter(HarvestObject.id.in_(self.left))
        found = {obj.id: obj for obj in query.populate_existing()}
        objects = []
        is_stock = bool(found) and stock_objects.is_stock_object(next(iter(found.values())))
        for obj in [found[id_] for id_ in list(self.left) if id_ in found]:
            if is_stock:
                log.warning("Harvest object %s: %s", obj.id, stock_objects.REASON)
                stock_objects.end_stock_object(obj)
                self.left.remove(obj.id)
            elif obj.report_status:  # imported by a consumer that died before it could say so
                self.left.remove(obj.id)
            else:
                objects.append(obj)
        if objects and self._is_stopped(objects[0].harvest_job_id):
            return []
        return objects

    def _is_stopped(self, job_id: str) -> bool:
        """End what is left if a person stopped the run."""
        if not stopping.is_asked_for(job_id):
            return False
        for obj in Session.query(HarvestObject).filter(HarvestObject.id.in_(self.left)):
            stopping.end_object(obj)
        self.left.clear()
        return True

    def _prepare(
        self, source: SourceImport, obj: HarvestObject, extras: Mapping[str, str]
    ) -> dataset_writer.Write | None:
        stage = "Fetch"
        try:
            extras = source.fetch(obj, extras)
            stage = "Import"
            if extras.get(staged_objects.STATUS) == "delete":
                dataset_writer.delete(obj.id)
                self.left.remove(obj.id)
                return None
            write = source.prepare(obj, extras)
        except UkharvestError as exc:
            self._fail(obj, exc, stage)
        except Exception as exc:
            if failing_service(exc):
                raise
            log.exception("%s of harvest object %s failed", stage, obj.id)
            self._fail(obj, UkharvestError("Internal error while importing; see the log"), stage)
        else:
            if write is None:
                self.left.remove(obj.id)
            return write
        return None

    def _fail(self, obj: HarvestObject, error: UkharvestError, stage: str) -> None:
        object_id = obj.id
        compat.rollback()
        dataset_writer.fail(object_id, error, stage)
        self.left.remove(object_id)

    def _take_result(self, write: dataset_writer.Write, result: str | UkharvestError) -> None:
        if isinstance(result, SkipRecord):
            dataset_writer.skip(write.object_id, write.stamp, result)
        elif isinstance(result, UkharvestError):
            dataset_writer.fail(write.object_id, result, "Import")
        else:
            self.ended.add(write.object_id)
        self.left.remove(write.object_id)


def _after_failure(object_ids: Sequence[str], exc: Exception) -> None:
    """Let objects wait again whose batch failed; each is imported alone later."""
    compat.rollback()
    for object_id in object_ids:
        try:
            outages.postpone_object(object_id, exc)
        except Exception:  # noqa: BLE001 - the sweeper recovers it
            log.exception("Harvest object %s could not be made to wait again", object_id)
            compat.rollback()


def end(object_ids: Sequence[str]) -> None:
    """Write how the objects ended, as ckanext-harvest's queue does, and delete the claims.

    Objects that wait again, or that have no result, keep their state. The caller commits.
    """
    now = utcnow()
    status = HarvestObject.report_status
    statement = (
        sa.update(HarvestObject)
        # One that the index refused has ended as complete before.
        .where(HarvestObject.id.in_(object_ids), HarvestObject.state != "WAITING")
        .where(status.isnot(None))
        .values(
            state=sa.case((status.in_(("errored", stopping.STOPPED)), "ERROR"), else_="COMPLETE"),
            fetch_finished=now,
            import_started=sa.func.coalesce(HarvestObject.import_started, now),
            import_finished=now,
        )
    )
    Session.execute(statement.execution_options(synchronize_session=False))
    claims.release(object_ids)


def _end_and_commit(object_ids: Sequence[str]) -> None:
    end(object_ids)
    Session.commit()
