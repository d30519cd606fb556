"""One transaction of a batch: lock its records, decide, write their datasets, store how they ended.

Each dataset is written behind a savepoint of its own. After the commit those that were written are
indexed in one request.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.core.errors import RecordError, RejectedByCkan, SkipRecord, UkharvestError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import name_unseen, one_line, shorten
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.batch.dataset_writer import (
    DatasetWriter,
    index_written,
    package_hash,
    show_dataset,
)
from ckanext.ukharvest.harvest.batch.items import (
    Deleted,
    Item,
    Left,
    NotDeleted,
    Parsed,
    Result,
    Same,
    Skipped,
    Stopped,
    Written,
)
from ckanext.ukharvest.harvest.batch.store import store_items
from ckanext.ukharvest.harvest.consumers import claims, held_jobs
from ckanext.ukharvest.harvest.consumers.failures import failing_service, is_deadlock
from ckanext.ukharvest.harvest.hooks.stock_hooks import Emptied
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import DatasetBefore, Record
from ckanext.ukharvest.harvest.records import conflicts, record_rows
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records.conflicts import Rejected, is_name_taken, rejection_error
from ckanext.ukharvest.harvest.records.record_rows import Key, NameChooser, stored_organization
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.write_batch import Pending, WriteBatch

log = logging.getLogger(__name__)
Session = model.Session

# Two consumers can choose the same name at the same time; a third collision is no accident.
TRIES = 3
# A transaction is ended after so many seconds or characters; the rest of the batch gets another.
MOST_SECONDS = 5.0
MOST_CHARACTERS = 16_000_000
INTERNAL = Message("Internal error while importing; see the log")


def skip_item(item: Item, reason: SkipRecord) -> None:
    """End an item that options or a hook leave out."""
    log.info("Skipped %s", name_unseen(f"{item.raw.guid}: {reason.message}"))
    item.result = Skipped(reason.message)


def write_some(
    items: Sequence[Item],
    *,
    is_trial: bool = False,
    compares: bool = False,
    unsaved: Sequence[Any] = (),
) -> list[Item]:
    """Write as many of the items as fit into a transaction, at least one; return them.

    Args:
        is_trial: roll back what was written: only the items' results stay.
        compares: of a trial: find out what changes in datasets that are here.
        unsaved: of a trial: the rows of a source that is not saved.
    """
    how: dict[str, Any] = {"is_trial": is_trial, "compares": compares, "unsaved": unsaved}
    undecided = [item for item in items if item.result is None]
    parsed = [item.parsed for item in undecided if item.parsed]
    if not is_trial:
        dataset_rows.create_missing_tags(
            tag for read in parsed for tag in (*read.record.tags, *read.defaults.tags)
        )
    for attempt in range(1, TRIES + 1):
        try:
            done, pending = _write(items, undecided, **how)
        except sa.exc.IntegrityError as exc:
            if len(items) > 1:
                one_by_one = (write_some([alone], **how) for alone in items)
                return [item for done in one_by_one for item in done]
            if attempt == TRIES:
                if not undecided:  # storing the result is what fails
                    raise
                items[0].fail(rejection_error(exc, parsed[0].record.title if parsed else ""))
                return write_some(items, **how)
        except sa.exc.OperationalError as exc:
            # The other transaction has ended, so the next try succeeds.
            if not is_deadlock(exc) or attempt == TRIES:
                raise
        else:
            _fail_unindexed(done, index_written(pending))
            return done
    raise AssertionError("the last try returns or raises")


def _write(
    items: Sequence[Item],
    undecided: Sequence[Item],
    *,
    is_trial: bool,
    compares: bool,
    unsaved: Sequence[Any],
) -> tuple[list[Item], Pending]:
    """Write items; commit, or roll back and take back the results. A trial keeps the results.

    Returns:
        Those that were written, and the datasets to index.
    """
    try:
        with write_batch.collect(is_trial=is_trial, compares=compares) as collected:
            if unsaved:
                Session.add_all(unsaved)
                Session.flush()  # SQL as text does not
            transaction = Transaction(items, collected)
            done = transaction.write()
            if is_trial:
                return done, {}
            transaction.store(done)
            jobs = held_jobs.store_held_jobs(collected)
            Session.commit()
    except BaseException:
        compat.rollback()
        for item in undecided:
            item.result = None
        raise
    held_jobs.send_held_jobs(jobs)
    return done, collected.pending


def _fail_unindexed(items: Iterable[Item], refused: Mapping[str, UkharvestError]) -> None:
    """Let records fail whose datasets are stored but refused by the index."""
    failed = [
        (item, error)
        for item in items
        if item.result and (error := refused.get(item.result.package_id or ""))
    ]
    if not failed:
        return
    rows = record_rows.lock_rows(item.key for item, _error in failed)
    for item, error in failed:
        item.row = rows.get(item.key)
        item.fail(error)
    store_items([item for item, _error in failed])
    Session.commit()


class Transaction:
    """The items of one transaction, whose records it locks."""

    def __init__(self, items: Sequence[Item], collected: WriteBatch) -> None:
        self._collected = collected
        self._started = time.monotonic()
        # Of records with one guid, one is written in a transaction.
        self._items = list({item.key: item for item in reversed(items)}.values())[::-1]
        self._lock()
        self._standing = Standing(item.row for item in self._items if item.row)
        # As of ``decision_log.add_hand_overs``.
        self._handed_over: Counter[tuple[str, str, str]] = Counter()
        self._plan()

    def _lock(self) -> None:
        """Lock the records until the transaction ends; load their rows and results as of now."""
        wanted = [item for item in self._items if not isinstance(item.result, Stopped)]
        rows = record_rows.lock_rows(item.key for item in wanted)
        for item in wanted:
            item.row = rows.get(item.key) or record_rows.new_row(item.key, item.job_id)
            if item.adopts and not item.row.package_id:
                item.row.package_id = item.adopts
        self._take_own_guids(wanted)
        obj = HarvestObject
        ended = set(
            Session.scalars(
                sa.select(obj.id).where(
                    obj.id.in_([item.object_id for item in self._items if not item.again]),
                    obj.report_status.isnot(None),
                )
            )
        )
        # The same record was imported while this one waited for the lock.
        self._over = [item for item in self._items if item.object_id in ended]
        self._items = [item for item in self._items if item.object_id not in ended]

    def _take_own_guids(self, items: Iterable[Item]) -> None:
        """Give new records the adopted datasets that are stored under their own identities."""
        new = {
            (item.key[0], item.parsed.own_guid): item.row
            for item in items
            if item.parsed and item.parsed.own_guid and item.row and not item.row.package_id
        }
        for key, adopted in (record_rows.lock_rows(new) if new else {}).items():
            if adopted.adopted:
                record_rows.take_over(new[key], adopted)

    def _plan(self) -> None:
        """Look up, for all items at once, what their results depend on."""
        todo = [(item, item.row) for item in self._items if item.result is None and item.row]
        writes = [(item, row, item.parsed) for item, row in todo if item.parsed]
        new = [
            (item, row, parsed) for item, row, parsed in writes if not self._standing.is_active(row)
        ]
        names = NameChooser([(read.record.title, read.record.name) for _item, _row, read in new])
        own = {item.key: item.parsed.own_guid for item, _row in todo if item.parsed}
        self._own_guids = record_rows.find_own_guids(
            {(source_id, guid) for (source_id, _guid), guid in own.items() if guid}
        )
        found = routes.lock_and_find(
            {item.key: _new_record(item, row, parsed) for item, row, parsed in new}, names.locks
        )
        self._same, self._refused = found.same, found.refused
        self._takes = self._lock_holders(found.takes) if found.takes else {}
        names.load()
        self._collected.links = link_results.load_link_evidence(
            file.url for _item, _row, read in writes for file in read.record.resources
        )
        self._collected.free_names = names.chosen
        self._writer = DatasetWriter(link_results.formats_in(self._collected.links), names)
        self._due = {
            row.package_id: item
            for item, row in todo
            if item.is_deletion and self._is_due(item, row)
        }
        due = sorted(filter(None, self._due))
        self._takers = self._lock_takers(due)
        if due:
            pending_index.mark_pending(*due)

    def _lock_holders(self, takes: Mapping[Key, routes.Route]) -> dict[Key, Record]:
        """Return the records that still have the datasets which new records take, locked."""
        rows = record_rows.lock_rows((route.source_id, route.guid) for route in takes.values())
        holders: dict[Key, Record] = {}
        for key, route in takes.items():
            holder = rows.pop((route.source_id, route.guid), None)
            if holder and holder.package_id == route.dataset_id:
                holders[key] = holder
        return holders

    def _lock_takers(self, package_ids: Sequence[str]) -> dict[str, Record | None]:
        """Return dataset id → the record that has it next, locked; None if it just ceased to."""
        others = routes.find_others(package_ids)
        keys = {id_: (each.source_id, each.guid) for id_, each in others.items() if each.may_have}
        rows = record_rows.lock_rows(keys.values()) if keys else {}
        return {
            id_: row if (row := rows.get(key)) and routes.is_other_route(row, id_) else None
            for id_, key in keys.items()
        }

    def _is_due(self, item: Item, row: Record) -> bool:
        """Tell whether a dataset is still to be deleted."""
        is_old = item.is_approved or item.again  # the record may have come back since
        is_back = is_old and not row.missed_runs
        return self._standing.is_active(row) and not is_back

    def write(self) -> list[Item]:
        """Write the datasets of as many items as fit; return these and those that ended before."""
        characters, done = 0, []
        for item in self._items:
            done.append(item)
            characters += len(item.raw.content or "")
            if item.result is None and item.row:
                item.keeps = self._keeps(item.row)
                if item.is_deletion:
                    item.result = self._delete(item, item.row)
                elif item.parsed:
                    item.result = self._result(item, item.row, item.parsed)
            if time.monotonic() - self._started > MOST_SECONDS or characters > MOST_CHARACTERS:
                break
        return [*done, *self._over]

    def store(self, done: Iterable[Item]) -> None:
        """Store how the items that ``write`` returned ended; no commit."""
        dataset_rows.save_collected(self._collected.own_rows)
        decision_log.add_hand_overs(self._handed_over)
        store_items([item for item in done if item not in self._over])
        claims.end_objects([item.object_id for item in self._over])

    def _keeps(self, row: Record) -> bool:
        """Tell whether a dataset is, or was before our first write, another harvester's."""
        # Rows with resources are ours, of a deleted source. ``adopted`` is cleared by imports that
        # failed or were skipped, and wrote nothing.
        is_theirs = bool(row.package_id) and row.resources is None and row.written is None
        return is_theirs or row.package_id in self._standing.kept

    def _result(self, item: Item, row: Record, parsed: Parsed) -> Result | None:
        state = self._standing.states.get(row.package_id or "", "")
        if state not in ("", "active") and not row.removed and not item.forced:
            # A person deleted this dataset. It stays deleted, and the record counts as unchanged
            # until a full run; its stamp is saved, so that it is not fetched again before.
            return Left(parsed, row.package_id, row.package_hash, is_current=False)
        if parsed.own_guid and (error := self._twice(item.key[1], parsed.own_guid)):
            item.fail(error)
            return item.result
        if item.key in self._refused:
            item.fail(rejection_error(self._refused[item.key], parsed.record.title))
            return item.result
        if item.key in self._takes:
            return self._take(item, row, parsed, self._takes[item.key])
        if item.key in self._same:
            return Same(parsed, self._same[item.key])
        # A trial stores none, and without a dataset there is none to compare with.
        hashed = package_hash(parsed) if state or not self._collected.is_trial else ""
        if not item.forced and self._standing.stands(row, hashed):
            # The source record that people see is the newest.
            is_current = row.fingerprint != item.stamp.fingerprint
            return Left(parsed, row.package_id, hashed, is_current=is_current)
        return self._guarded(item, lambda: self._writer.write(item, row, parsed, hashed, state))

    def _take(self, item: Item, row: Record, parsed: Parsed, holder: Record) -> Result | None:
        """Write the dataset of another record, which gives it up once it is written."""
        before = routes.copy_dataset(holder, row)
        result = self._guarded(
            item, lambda: self._writer.write(item, row, parsed, package_hash(parsed), "active")
        )
        if isinstance(result, Written):
            routes.hand_over(holder, row)
            self._handed_over[holder.source_id, row.source_id, item.job_id] += 1
        else:
            routes.put_dataset(row, before)
        return result

    def _twice(self, guid: str, own_guid: str) -> RecordError | None:
        """Return an error if another record of the source has an own identity."""
        other = self._own_guids.setdefault(own_guid, guid)
        if other == guid:
            return None
        message = Message(
            "identifier '{guid}': a plugin of this portal gives it to this record and to another"
            " one of this source, '{other}', which has a dataset already",
            guid=shorten(own_guid),
            other=shorten(other),
        )
        return conflicts.GuidElsewhere(message)

    def _delete(self, item: Item, row: Record) -> Result | None:
        if self._due.get(row.package_id) is not item:
            return NotDeleted(row)
        package_id = str(row.package_id)
        if package_id in self._takers:
            if taker := self._takers[package_id]:
                routes.hand_over(row, taker)
                self._handed_over[row.source_id, taker.source_id, item.job_id] += 1
            return NotDeleted(row)
        if item.only_hands_over:
            return NotDeleted(row)

        def delete() -> Result:
            # CKAN takes a deleted dataset out of its groups.
            groups = show_dataset(package_id)["groups"] if item.keeps else ()
            self._writer.delete(package_id)
            return Deleted(package_id, groups)

        return self._guarded(item, delete)

    def _guarded(self, item: Item, write: Callable[[], Result]) -> Result | None:
        """Write one dataset behind a savepoint; return its result, also if it was refused."""
        for attempt in range(1, TRIES + 1):
            try:
                with self._collected.savepoint():
                    return write()
            except Exception as exc:
                if failing_service(exc) or isinstance(exc, sa.exc.OperationalError):
                    raise
                if not is_name_taken(exc):
                    _refuse(item, exc)
                    return item.result
                if attempt < TRIES:
                    self._writer.names.look_again()
        error = Message("name: no free name for the dataset could be found; try again later")
        item.fail(RejectedByCkan(error))
        return item.result


def _new_record(item: Item, row: Record, parsed: Parsed) -> routes.NewRecord:
    return routes.NewRecord(
        parsed.own_guid or item.key[1],
        parsed.record.title,
        parsed.record.origin,
        item.source[0].url,
        stored_organization(parsed.defaults.owner_org),
        row.same_as,
        parsed.record.modified,
    )


def _refuse(item: Item, exc: Exception) -> None:
    """End an item whose dataset could not be written or deleted."""
    if item.is_deletion:
        item.fail(_deletion_refused(item, exc))
    elif isinstance(exc, SkipRecord):
        skip_item(item, exc)
    elif isinstance(exc, Emptied) and item.parsed and item.row:
        row = item.row
        item.result = Left(item.parsed, row.package_id, row.package_hash, is_current=False)
    elif isinstance(exc, (Rejected, RecordError, sa.exc.IntegrityError)):
        item.fail(rejection_error(exc, item.parsed.record.title if item.parsed else ""))
    else:
        log.exception("Import of harvest object %s failed", item.object_id, exc_info=exc)
        item.fail(UkharvestError(INTERNAL))


def _deletion_refused(item: Item, exc: Exception) -> UkharvestError:
    """Return the error of a deletion that CKAN or a plugin refused, with its words."""
    if not isinstance(exc, (tk.ValidationError, tk.NotAuthorized)):
        log.exception("Deletion by harvest object %s failed", item.object_id, exc_info=exc)
    summary = getattr(exc, "error_summary", None) or {"": str(exc) or type(exc).__name__}
    why = one_line("; ".join(map(str, summary.values())))
    message = Message("CKAN did not delete the dataset: {why}", why=why)
    return RejectedByCkan(message, code="deletion-refused")


package = model.Package


class Standing:
    """What datasets' records came out as at their last import, and who wrote them last.

    Attributes:
        states: dataset id → its state, of those that exist.
        kept: ids of those whose version of before our first write is kept.
    """

    def __init__(self, rows: Iterable[Record]) -> None:
        ids = {row.package_id for row in rows if row.package_id}
        is_current = sa.and_(HarvestObject.package_id == package.id, HarvestObject.current)
        query = (
            Session.query(
                package.id,
                package.state,
                HarvestObject.harvest_source_id,
                DatasetBefore.package_id,
            )
            .outerjoin(HarvestObject, is_current)
            .outerjoin(DatasetBefore, DatasetBefore.package_id == package.id)
            .filter(package.id.in_(ids))
        )
        known = query.all() if ids else ()
        self.states = {id_: state for id_, state, _source_id, _kept in known}
        self._sources = {id_: source_id for id_, _state, source_id, _kept in known}
        self.kept = {id_ for *_others, id_ in known if id_}

    def is_active(self, row: Record) -> bool:
        """Tell whether a record has an active dataset."""
        return self.states.get(row.package_id or "") == "active"

    def stands(self, row: Record, hashed: str) -> bool:
        """Tell whether an active dataset already is what its record comes out as.

        Not if its harvest objects are gone, or another source wrote it last.

        Args:
            hashed: of ``package_hash``.
        """
        is_own = self._sources.get(row.package_id or "") == row.source_id
        return self.is_active(row) and is_own and row.package_hash == hashed


def leave_items(items: Iterable[Item]) -> set[str]:
    """Store items, without objects, of records whose datasets stand; no commit.

    For records of which only the import rules changed, so that the source record that people see
    stays. Locks the records until the transaction ends.

    Returns:
        Their guids; the others have to be imported.
    """
    by_key = {item.key: item for item in items}
    rows = record_rows.lock_rows(by_key)
    standing = Standing(rows.values())
    left = []
    for key, row in rows.items():
        item = by_key[key]
        item.row = row
        if item.parsed and standing.stands(row, hashed := package_hash(item.parsed)):
            item.result = Left(item.parsed, row.package_id, hashed, is_current=False)
            left.append(item)
    store_items(left)
    return {item.key[1] for item in left}
