"""Import harvest objects: a batch that a fetch consumer has claimed, or one of a plugin's stage.

A batch is a list of items, each of which ends in one result. They are loaded, then fetched and
parsed without a transaction, then written by as few transactions as they need.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import ServiceFailed, SkipRecord, UkharvestError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.harvest.batch import store
from ckanext.ukharvest.harvest.batch.batch_transaction import INTERNAL, skip_item, write_some
from ckanext.ukharvest.harvest.batch.items import UNCHANGED, Item, Stopped
from ckanext.ukharvest.harvest.batch.preparation import Preparation
from ckanext.ukharvest.harvest.consumers import claims, failures
from ckanext.ukharvest.harvest.consumers.failures import failing_service
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.run import outcomes, run_report, stopping
from ckanext.ukharvest.source_types.source_type import SourceType

log = logging.getLogger(__name__)
Session = model.Session

Note = Callable[[str], None]  # is called with the id of each object before the work on it
# Return value of a plugin's stage: True, "unchanged" or False.
StageResult = bool | str
_RESULTS: Mapping[str, StageResult] = {  # by report_status
    UNCHANGED: "unchanged",
    "errored": False,
    stopping.STOPPED: False,
}


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
    """Import objects of one run, and give up their claims; never raises.

    Args:
        again: import those that were imported before, too.
    """
    ended: set[str] = set()
    try:
        _import(kind, object_ids, note, ended, again=again)
    except Exception as exc:  # noqa: BLE001 - the consumer has to survive
        service = failing_service(exc)
        if service:
            log.warning("%d harvest objects wait again: the %s failed", len(object_ids), service)
        else:
            log.exception("A batch of %d harvest objects failed", len(object_ids))
        _after_failure([id_ for id_ in object_ids if id_ not in ended], exc, again=again)


def _import(
    kind: SourceType, object_ids: Sequence[str], note: Note, ended: set[str], *, again: bool
) -> None:
    """Import objects; add the ids of those whose end is stored to ``ended``."""
    items = load_items(object_ids, again=again)
    if rest := set(object_ids) - {item.object_id for item in items}:
        claims.end_objects(rest)
        Session.commit()
        ended |= rest
    if not items:
        return
    if items[0].result is None:
        _prepare(kind, items, note, again=again)
    Session.commit()
    while items:
        done = set(write_some(items))
        ended |= {item.object_id for item in done}
        items = [item for item in items if item not in done]


def load_items(
    object_ids: Iterable[str], *, again: bool = False, is_ours: bool = False
) -> list[Item]:
    """Return the items of objects that need work, in their order; one statement.

    Those of a stopped run have that result. The others have ended before, or are gone; those of
    another harvester's run are ended here.

    Args:
        again: also objects that have ended.
        is_ours: the run is known to be ours, even if its gather goes on.
    """
    ids = list(object_ids)
    report, obj = JobReport, HarvestObject
    query = (
        sa.select(
            *(obj.id, obj.guid, obj.content, obj.report_status, obj.harvest_job_id),
            objects.extras_column().label("extras"),
            *(report.id.label("run_id"), report.heartbeat, report.stopped_by, report.mode),
            *(HarvestSource, model.Package),
        )
        .join(HarvestSource, HarvestSource.id == obj.harvest_source_id)
        .outerjoin(model.Package, model.Package.id == HarvestSource.id)
        .outerjoin(report, report.job_id == obj.harvest_job_id)
        .where(obj.id.in_(ids))
    )
    rows = {row.id: row for row in Session.execute(query)}
    items = []
    for row in (rows[id_] for id_ in ids if id_ in rows):
        if row.heartbeat is None and not is_ours:
            log.warning("Harvest object %s: %s", row.id, stopping.REASON)
            stopping.end_stock_object(HarvestObject.get(row.id))
        elif again or not row.report_status:  # else a consumer died before it could say so
            items.append(_item(row, again=again))
    return items


def _item(row: sa.Row[Any], *, again: bool) -> Item:
    extras, source = dict(row.extras or {}), row.HarvestSource
    raw = RawRecord(
        guid=row.guid,
        content=row.content,
        url=extras.get(objects.URL, source.url),
        modified=extras.get(objects.MODIFIED, ""),
        etag=extras.get(objects.ETAG, ""),
    )
    item = Item(
        key=(source.id, row.guid),
        job_id=row.harvest_job_id,
        raw=raw,
        source=(source, row.Package),
        object_id=row.id,
        run_id=row.run_id,
        status=row.report_status or "",
        is_deletion=extras.get(objects.STATUS) == "delete",
        is_approved=row.mode == RunMode.APPROVAL,
        only_hands_over=objects.HANDS_OVER in extras,
        forced=again or row.mode == RunMode.FORCE,
        # Only an import that is asked for again meets an object with a result.
        again=bool(row.report_status),
    )
    if row.stopped_by and not again:
        item.result = Stopped()
    return item


def _prepare(kind: SourceType, items: Sequence[Item], note: Note, *, again: bool) -> None:
    """Fetch and parse items; those that fail or are skipped get their result."""
    try:
        preparation = Preparation(kind, items[0].source[0])
    except UkharvestError as exc:
        for item in items:
            item.fail(exc, "Fetch")
        return
    with preparation:
        preparation.load_versions(items)
        preparation.ask_ahead(items)
        for item in items:
            note(item.object_id)
            if not item.is_deletion:
                prepare_item(preparation, item)
    if preparation.has_requested and not again and run_report.is_asked_for(items[0].job_id):
        for item in items:
            item.result = Stopped()


def prepare_item(preparation: Preparation, item: Item) -> None:
    """Fetch and parse an item; one that fails or is skipped gets its result."""
    stage = "Fetch"
    try:
        preparation.fetch(item)
        stage = "Import"
        preparation.parse(item)
    except SkipRecord as exc:
        skip_item(item, exc)
    except UkharvestError as exc:
        item.fail(exc, stage)
    except Exception as exc:
        if failing_service(exc):
            raise
        log.exception("%s of harvest object %s failed", stage, item.object_id)
        compat.rollback()
        item.fail(UkharvestError(INTERNAL), stage)


def fail_object(object_id: str, error: UkharvestError, stage: str = "Import") -> None:
    """Store why a record failed; commit. Its dataset, if any, is not changed."""
    items = load_items([object_id], again=True, is_ours=True)
    rows = record_rows.lock_rows(item.key for item in items)
    for item in items:
        item.row = rows.get(item.key) or record_rows.new_row(item.key, item.job_id)
        item.fail(error, stage)
    store.store_items(items)
    Session.commit()


def postpone_object(object_id: str, exc: Exception) -> None:
    """Let an object wait again after a service, or its batch, failed; it fails at the last attempt.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: that could not be stored.
    """
    service, message = failing_service(exc) or "harvester", failures.first_error_line(exc)
    try:
        failures.postpone_attempt(object_id, service, message)
    except failures.GivenUp as given_up:
        words = Message(
            "The {service} of this portal failed at each of {attempts} attempts to import the"
            " record; the last error was: {error}",
            service=service,
            attempts=given_up.attempts,
            error=message,
        )
        fail_object(object_id, ServiceFailed(words))


def _after_failure(object_ids: Sequence[str], exc: Exception, *, again: bool) -> None:
    """Let objects wait again whose batch failed; each is imported alone later.

    One that is alone fails, unless a service did, or its dataset was committed before.
    """
    compat.rollback()
    is_bug = len(object_ids) == 1 and not failing_service(exc)
    for object_id in object_ids:
        try:
            if not is_bug:
                postpone_object(object_id, exc)
            elif again or HarvestObject.get(object_id).report_status not in stopping.IMPORTED:
                _fail_at_least(object_id)
        except Exception:  # noqa: BLE001 - the sweeper recovers it
            log.exception("The failure of harvest object %s could not be stored", object_id)
            compat.rollback()
    try:
        failures.call_patiently(lambda: _end_and_commit(object_ids))
    except Exception:  # noqa: BLE001 - the sweeper ends them
        log.exception("The end of a batch could not be stored")


def _fail_at_least(object_id: str) -> None:
    """Store that an object failed; without its record, if storing is what fails."""
    try:
        fail_object(object_id, UkharvestError(INTERNAL))
    except Exception as exc:
        if failing_service(exc):
            raise
        log.exception("The failure of harvest object %s is stored without its record", object_id)
        compat.rollback()
        objects.end_as_failed(object_id, INTERNAL)
        outcomes.save_outcomes_of_batch([object_id])
        Session.commit()


def _end_and_commit(object_ids: Collection[str]) -> None:
    claims.end_objects(object_ids)
    Session.commit()
