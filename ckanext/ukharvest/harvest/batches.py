"""Import harvest objects: a batch that a fetch consumer has claimed, or one of a plugin's stage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject
from sqlalchemy.orm import joinedload

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import ServiceFailed, SkipRecord, UkharvestError
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.harvest import claims, stopping, writer
from ckanext.ukharvest.harvest import objects as harvest_objects
from ckanext.ukharvest.harvest import write as harvest_write
from ckanext.ukharvest.harvest.claims import failing_service
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.preparation import SourceImport
from ckanext.ukharvest.source_types.source_type import SourceType

log = logging.getLogger(__name__)
Session = model.Session


def postpone(object_id: str, exc: Exception) -> None:
    """Let an object wait again after a service, or its batch, failed; it fails at the last attempt.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: that could not be stored.
    """
    service, message = failing_service(exc) or "harvester", claims.first_line(exc)
    try:
        claims.postpone(object_id, service, message)
    except claims.GivenUp as given_up:
        failure = ServiceFailed(
            f"The {service} of this portal failed at each of {given_up.attempts} attempts to import"
            f" the record; the last error was: {message}"
        )
        harvest_write.fail(object_id, failure, "Import")


Note = Callable[[str], None]  # is called with the id of each object before the work on it

# Return value of a plugin's stage: True, "unchanged" or False.
StageResult = bool | str
_RESULTS: Mapping[str, StageResult] = {  # by report_status
    harvest_write.UNCHANGED: "unchanged",
    harvest_write.ERRORED: False,
    stopping.STOPPED: False,
}
INTERNAL = "Internal error while importing; see the log"


def import_one(kind: SourceType, object_id: str, *, again: bool = False) -> StageResult:
    """Import one object; return its answer, an earlier one if it was imported before.

    Args:
        again: import one that was imported before (``ckan harvester import``).

    Returns:
        What ckanext.harvest.queue expects of a stage. False also of an object that waits again.
    """
    import_batch(kind, [object_id], lambda _id: None, again=again)
    status = Session.query(HarvestObject.report_status).filter_by(id=object_id).scalar()
    return _RESULTS.get(status, True) if status else False


def import_batch(
    kind: SourceType, object_ids: Sequence[str], note: Note, *, again: bool = False
) -> None:
    """Import objects of one run, then give up their claims; never raises.

    Args:
        again: import those that were imported before, too.
    """
    batch = _Batch(kind, object_ids, note, again=again)
    try:
        batch.run()
    except Exception as exc:  # noqa: BLE001 - the consumer has to survive
        service = failing_service(exc)
        if service:
            log.warning("%d harvest objects wait again: the %s failed", len(object_ids), service)
        else:
            log.exception("A batch of %d harvest objects failed", len(object_ids))
        _after_failure(batch.unfinished, exc, again=again)
    rest = [id_ for id_ in object_ids if id_ not in batch.ended]
    if not rest:
        return
    try:
        claims.patiently(lambda: _end_and_commit(rest))
    except Exception:  # noqa: BLE001 - the sweeper ends them
        log.exception("The end of a batch could not be stored")


class _Batch:
    """The objects of a batch.

    Attributes:
        unfinished: ids of those without a result.
        ended: ids of those whose end was stored with their datasets.
    """

    def __init__(
        self, kind: SourceType, object_ids: Sequence[str], note: Note, *, again: bool
    ) -> None:
        self._kind = kind
        self._note = note
        self._again = again
        self._is_forced = again
        self._package: model.Package | None = None
        self.unfinished = list(object_ids)
        self.ended: set[str] = set()

    def run(self) -> None:
        """Import the objects; those that fail, end with their error."""
        objects = self._load()
        if not objects:
            return
        try:
            source = SourceImport(self._kind, next(iter(objects)).source)
        except UkharvestError as exc:
            for obj in objects:
                self._fail(obj, exc, "Fetch")
            return
        with source:
            source.load_versions(obj.guid for obj in objects)
            source.ask_ahead(objects)
            writes = [
                write
                for obj, extras in objects.items()
                if (write := self._prepare(source, obj, extras))
            ]
        Session.commit()
        if source.has_requested and not self._again and self._is_stopped():
            return
        for write, result in zip(writes, writer.upsert_many(writes, end), strict=True):
            self._take_result(write, result)

    def _load(self) -> dict[HarvestObject, dict[str, str]]:
        """Return the objects that need work, in their order, with their extras; end the others."""
        report = JobReport
        query = (
            Session.query(
                HarvestObject,
                harvest_objects.extras_column(),
                # Kept in the session for what asks for the source's organisation.
                model.Package,
                *(report.heartbeat, report.stopped_by, report.mode),
            )
            .select_from(HarvestObject)
            .outerjoin(report, report.job_id == HarvestObject.harvest_job_id)
            .outerjoin(model.Package, model.Package.id == HarvestObject.harvest_source_id)
            .options(joinedload(HarvestObject.source))
            .filter(HarvestObject.id.in_(self.unfinished))
        )
        rows = {row[0].id: row for row in query.populate_existing()}
        if not rows:
            return {}
        # All are of one run.
        *_, package, heartbeat, stopped_by, mode = next(iter(rows.values()))
        self._package = package
        self._is_forced = self._again or mode == RunMode.FORCE
        objects = {}
        for obj, extras, *_facts in [rows[id_] for id_ in list(self.unfinished) if id_ in rows]:
            if heartbeat is None:
                log.warning("Harvest object %s: %s", obj.id, claims.REASON)
                claims.end_stock_object(obj)
                self.unfinished.remove(obj.id)
            elif obj.report_status and not self._again:
                # Imported by a consumer that died before it could say so.
                self.unfinished.remove(obj.id)
            else:
                objects[obj] = dict(extras or {})
        if objects and stopped_by and not self._again:
            self._end_stopped()
            return {}
        return objects

    def _is_stopped(self) -> bool:
        """End what is left if a person has stopped the run meanwhile."""
        first = HarvestObject.get(self.unfinished[0]) if self.unfinished else None
        if first is None or not stopping.is_asked_for(first.harvest_job_id):
            return False
        self._end_stopped()
        return True

    def _end_stopped(self) -> None:
        for obj in Session.query(HarvestObject).filter(HarvestObject.id.in_(self.unfinished)):
            stopping.end_object(obj)
        self.unfinished.clear()

    def _prepare(
        self, source: SourceImport, obj: HarvestObject, extras: Mapping[str, str]
    ) -> harvest_write.Write | None:
        self._note(obj.id)
        stage = "Fetch"
        try:
            extras = source.fetch(obj, extras)
            stage = "Import"
            if extras.get(harvest_objects.STATUS) == "delete":
                harvest_write.delete(obj.id)
                self.unfinished.remove(obj.id)
                return None
            write = source.prepare(obj, extras, forced=self._is_forced)
        except UkharvestError as exc:
            self._fail(obj, exc, stage)
        except Exception as exc:
            if failing_service(exc):
                raise
            log.exception("%s of harvest object %s failed", stage, obj.id)
            self._fail(obj, UkharvestError(INTERNAL), stage)
        else:
            if write is None:
                self.unfinished.remove(obj.id)
            return write
        return None

    def _fail(self, obj: HarvestObject, error: UkharvestError, stage: str) -> None:
        (object_id,) = sa.inspect(obj).identity
        compat.rollback()
        harvest_write.fail(object_id, error, stage)
        self.unfinished.remove(object_id)

    def _take_result(self, write: harvest_write.Write, result: str | UkharvestError) -> None:
        if isinstance(result, SkipRecord):
            harvest_write.skip(write.object_id, write.stamp, result)
        elif isinstance(result, UkharvestError):
            harvest_write.fail(write.object_id, result, "Import")
        else:
            self.ended.add(write.object_id)
        self.unfinished.remove(write.object_id)


def _after_failure(object_ids: Sequence[str], exc: Exception, *, again: bool) -> None:
    """Let objects wait again whose batch failed; each is imported alone later.

    One that is alone fails, unless a service did, or its dataset was committed before.
    """
    compat.rollback()
    is_bug = len(object_ids) == 1 and not failing_service(exc)
    for object_id in object_ids:
        try:
            if not is_bug:
                postpone(object_id, exc)
            elif again or HarvestObject.get(object_id).report_status not in stopping.IMPORTED:
                harvest_write.fail(object_id, UkharvestError(INTERNAL), "Import")
        except Exception:  # noqa: BLE001 - the sweeper recovers it
            log.exception("The failure of harvest object %s could not be stored", object_id)
            compat.rollback()


def end(object_ids: Sequence[str]) -> None:
    """Write how the objects ended, as ckanext-harvest's queue does, and delete the claims.

    Objects that wait again, that have no result or that had ended before keep their state. The
    caller commits.
    """
    now = utcnow()
    table = HarvestObject.__table__.c
    status = table.report_status
    is_error = status.in_(("errored", stopping.STOPPED))
    Session.execute(
        sa.update(HarvestObject.__table__)
        .where(table.id.in_(object_ids), table.state != "WAITING", status.isnot(None))
        # One that the index refused has ended as complete before.
        .where(table.state.notin_(harvest_objects.ENDED) | is_error)
        .values(
            state=sa.case((is_error, "ERROR"), else_="COMPLETE"),
            fetch_finished=now,
            import_started=sa.func.coalesce(table.import_started, now),
            import_finished=now,
        )
        .add_cte(claims.released(object_ids).cte("released"))
    )


def _end_and_commit(object_ids: Sequence[str]) -> None:
    end(object_ids)
    Session.commit()
