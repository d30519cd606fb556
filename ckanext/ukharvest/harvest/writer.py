"""Write a batch of records: one transaction, then one request to the index."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.core.dataset_changes import FieldChange, is_changed
from ckanext.ukharvest.core.errors import RecordError, RejectedByCkan, SkipRecord, UkharvestError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.harvest import (
    changes,
    conflicts,
    dataset_adoption,
    datasets,
    hooks,
    lists,
    outcomes,
    records,
    search_index,
    stopping,
)
from ckanext.ukharvest.harvest import links as link_results
from ckanext.ukharvest.harvest.changes import find_changed_fields
from ckanext.ukharvest.harvest.claims import failing_service, is_deadlock
from ckanext.ukharvest.harvest.conflicts import Rejected, is_name_taken, rejection
from ckanext.ukharvest.harvest.model import Record, utcnow
from ckanext.ukharvest.harvest.records import NameChooser, stored_organization
from ckanext.ukharvest.harvest.write import (
    UNCHANGED,
    Write,
    call,
    harvest_user,
    index_written,
    package_hash,
    show_dataset,
)
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.mapping.kept_fields import SuppliedFields
from ckanext.ukharvest.write_batch import WriteBatch

log = logging.getLogger(__name__)
Session = model.Session

package = model.Package


class Standing:
    """What datasets' records came out as at their last import, and who wrote them last.

    Attributes:
        states: dataset id → its state, of those that exist.
    """

    def __init__(self, rows: Iterable[Record]) -> None:
        ids = {row.package_id for row in rows if row.package_id}
        is_current = sa.and_(HarvestObject.package_id == package.id, HarvestObject.current)
        query = (
            Session.query(package.id, package.state, HarvestObject.harvest_source_id)
            .outerjoin(HarvestObject, is_current)
            .filter(package.id.in_(ids))
        )
        known = query.all() if ids else ()
        self.states = {id_: state for id_, state, _source_id in known}
        self._sources = {id_: source_id for id_, _state, source_id in known}

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


def leave(writes: Mapping[str, Write], source_id: str, job_id: str) -> set[str]:
    """Save stamps, titles and problems of records whose datasets stand; no commit.

    For records of which only the import rules changed, so that the source record that people see
    stays. Locks the records until the transaction ends.

    Args:
        writes: guid → what the record comes out as.

    Returns:
        Their guids; the others have to be imported.
    """
    rows = records.lock_rows((source_id, guid) for guid in writes)
    standing = Standing(rows.values())
    left: dict[Record, Write] = {
        row: writes[guid]
        for (_source_id, guid), row in rows.items()
        if standing.stands(row, package_hash(writes[guid]))
    }
    for row, write in left.items():
        records.put_title(row, write.record.title)
        records.put_stamp(row, write.stamp)
        row.owner_org = stored_organization(write.defaults.owner_org)
        row.origin_guid = write.record.origin.guid if write.record.origin else ""
        records.mark_seen(row, job_id)
    Session.flush()
    records.replace_problems({row: write.record.problems for row, write in left.items()})
    datasets.replace({row.id: write.record.coupled for row, write in left.items()})
    return {row.guid for row in left}


Result = str | UkharvestError
End = Callable[[Sequence[str]], None]

# Two consumers can choose the same name at the same time; a third collision is no accident.
TRIES = 3
# A transaction is ended after so many seconds or characters; the rest of the batch gets another.
MOST_SECONDS = 5.0
MOST_CHARACTERS = 16_000_000
INTERNAL = "Internal error while importing; see the log"


def upsert_many(writes: Sequence[Write], end: End | None = None) -> list[Result]:
    """Write records; a single import is a batch of one. Commits or rolls back the session.

    Args:
        end: is called in each transaction with the ids of the objects that it has imported.

    Returns:
        For each record "added", "updated" or "not modified", or its error (not yet stored: call
            ``fail``; of a ``SkipRecord`` call ``skip``).
    """
    results: dict[str, Result] = {}
    todo = list(writes)
    while todo:
        results |= _write_some(todo, end)
        todo = [write for write in todo if write.object_id not in results]
    return [results[write.object_id] for write in writes]


def _write_some(writes: Sequence[Write], end: End | None) -> dict[str, Result]:
    """Write as many of the records as fit into a transaction, at least one."""
    tags = [tag for write in writes for tag in (*write.record.tags, *write.defaults.tags)]
    datasets.create_missing(tags)
    for attempt in range(1, TRIES + 1):
        try:
            with write_batch.collect() as collected:
                batch = _Batch(writes, collected)
                batch.write()
                if end:
                    end([id_ for id_, result in batch.results.items() if isinstance(result, str)])
                Session.commit()
        except sa.exc.IntegrityError as exc:
            compat.rollback()
            if len(writes) > 1:
                alone = (_write_some([write], end) for write in writes)
                return {id_: result for results in alone for id_, result in results.items()}
            if attempt == TRIES:
                return {writes[0].object_id: rejection(exc, writes[0].record.title)}
        except sa.exc.OperationalError as exc:
            compat.rollback()
            # The other transaction has ended, so the next try succeeds.
            if not is_deadlock(exc) or attempt == TRIES:
                raise
        except BaseException:
            compat.rollback()
            raise
        else:
            refused = index_written(collected.pending)
            return {
                id_: refused.get(batch.package_ids.get(id_, ""), result)
                for id_, result in batch.results.items()
            }
    raise AssertionError("the last try returns or raises")


@dataclass(slots=True)
class _Written:
    """A record whose dataset is written, or left as it is (``left``).

    Attributes:
        is_current: the dataset comes from this harvest object from now on.
    """

    write: Write
    obj: HarvestObject
    row: Record
    status: str
    package_id: str
    package_hash: str
    resources: list[tuple[str, str]] | None = None
    supplied: SuppliedFields | None = None
    changed: Sequence[FieldChange] = ()
    is_new: bool = False
    left: bool = False
    is_current: bool = True


class _Batch:
    """The records of one transaction.

    Attributes:
        results: harvest object id → result.
        package_ids: harvest object id → id of the dataset that was written.
    """

    def __init__(self, writes: Sequence[Write], collected: WriteBatch) -> None:
        self._collected = collected
        self._started = time.monotonic()
        self._user = harvest_user()
        self.results: dict[str, Result] = {}
        self.package_ids: dict[str, str] = {}
        self._written: list[_Written] = []
        self._skipped: list[tuple[Write, HarvestObject, Record, str | None]] = []
        self._objects, self._rows = records.lock_all(
            {write.object_id: write.key for write in writes}
        )
        # Of records with one guid, one is written in a transaction.
        self._writes = list({write.key: write for write in reversed(writes)}.values())[::-1]
        self._standing = Standing(self._rows.values())
        new = [write for write in self._writes if self._is_new(write)]
        self._same = conflicts.lock_and_find_handed_on({write.key: write.record for write in new})
        self._names = NameChooser([(write.record.title, write.record.name) for write in new])
        self._claims = conflicts.lock_and_find(
            [self._objects[write.object_id] for write in new], self._names.locks
        )
        self._names.load()
        collected.links = link_results.load_link_evidence(
            file.url for write in self._writes for file in write.record.resources
        )
        self._formats = link_results.formats_in(collected.links)

    def _is_new(self, write: Write) -> bool:
        return not self._standing.is_active(self._rows[write.key])

    def write(self) -> None:
        """Write the datasets, then what we remember of them; no commit."""
        characters = 0
        for write in self._writes:
            characters += len(self._objects[write.object_id].content or "")
            self.results[write.object_id] = self._result(write)
            if time.monotonic() - self._started > MOST_SECONDS or characters > MOST_CHARACTERS:
                break
        datasets.save_collected(self._collected.own_rows)
        self._remember()

    def _result(self, write: Write) -> Result:
        obj, row = self._objects[write.object_id], self._rows[write.key]
        # The same record was imported while this one waited for the lock.
        if obj.report_status and not write.again:
            return str(obj.report_status)
        state = self._standing.states.get(row.package_id or "", "")
        if state not in ("", "active") and not row.removed and not write.forced:
            # A person deleted this dataset. It stays deleted, and the record counts as unchanged
            # until a full run; its stamp is saved, so that it is not fetched again before.
            return self._leave(write, obj, row, row.package_hash, is_current=False)
        if write.key in self._same:
            self._skipped.append((write, obj, row, self._same[write.key]))
            return UNCHANGED
        hashed = package_hash(write)
        if not write.forced and self._standing.stands(row, hashed):
            # The source record that people see is the newest.
            is_current = row.fingerprint != write.stamp.fingerprint
            return self._leave(write, obj, row, hashed, is_current=is_current)
        return self._guarded(write, obj, row, hashed)

    def _leave(
        self, write: Write, obj: HarvestObject, row: Record, hashed: str, *, is_current: bool
    ) -> Result:
        """Leave a dataset as it is; its row is written all the same."""
        facts = (write, obj, row, UNCHANGED, row.package_id, hashed)
        self._written.append(_Written(*facts, left=True, is_current=is_current))
        return UNCHANGED

    def _guarded(self, write: Write, obj: HarvestObject, row: Record, hashed: str) -> Result:
        """Write one dataset behind a savepoint; return its outcome, or why it was refused."""
        for attempt in range(1, TRIES + 1):
            try:
                with self._collected.savepoint():
                    written = self._write_package(write, obj, row, hashed)
            except (Rejected, RecordError, sa.exc.IntegrityError) as exc:
                if not is_name_taken(exc):
                    return rejection(exc, write.record.title)
                if attempt < TRIES:
                    self._names.look_again()
            except SkipRecord as exc:
                return exc
            except Exception as exc:
                if failing_service(exc) or isinstance(exc, sa.exc.OperationalError):
                    raise
                log.exception("Import of harvest object %s failed", write.object_id)
                return UkharvestError(INTERNAL)
            else:
                self._written.append(written)
                self.package_ids[write.object_id] = written.package_id
                return written.status
        return RejectedByCkan("name: no free name for the dataset could be found; try again later")

    def _write_package(
        self, write: Write, obj: HarvestObject, row: Record, hashed: str
    ) -> _Written:
        is_new = self._is_new(write)
        if is_new:
            conflicts.refuse_foreign(obj, write.record.title, self._claims)
        existing = (
            show_dataset(row.package_id)
            if self._standing.states.get(row.package_id or "")
            else None
        )
        known = row.resources
        if known is None and existing:
            known = dataset_adoption.resources_written(existing["id"], existing["resources"])
        mapped = package_mapper.to_package_dict(
            link_results.with_formats(write.record, self._formats),
            existing,
            known,
            write.schema,
            write.defaults,
            supplied=row.supplied_fields,
            found_formats=self._formats,
            change=functools.partial(_complete, write),
        )
        more: dict[str, Any] = {}
        for prepare in lists.BEFORE_WRITE:
            more |= _prepare(prepare, mapped.package, existing, write)
        changed: Sequence[FieldChange] = ()
        if existing is None:
            mapped.package["name"] = self._names.choose(write.record.title, write.record.name)
            package_id = call("package_create", mapped.package, self._user, **more)
        else:
            package_id = existing["id"]
            # Most imports of a full run change nothing and need no second read of the dataset.
            differs = is_changed(existing, mapped.package)
            more["original_package"] = existing
            call("package_update", mapped.package, self._user, **more)
            changed = find_changed_fields(existing, show_dataset(package_id)) if differs else ()
        return _Written(
            write,
            obj,
            row,
            RecordOutcome.UPDATED if existing else RecordOutcome.ADDED,
            package_id,
            hashed,
            resources=mapped.resources,
            supplied=mapped.supplied,
            changed=changed,
            is_new=is_new,
        )

    def _remember(self) -> None:
        """Write harvest objects, rows, problems, versions and changes of all written records."""
        new_contents = [
            written
            for written in self._written
            if written.obj.content and written.row.fingerprint != written.write.stamp.fingerprint
        ]
        self._give_resource_ids()
        # A new row has no id yet, and nothing of an earlier import.
        known = [written.row for written in self._written if written.row.id is not None]
        for written in self._written:
            _update_row(written)
        for skipped in self._skipped:
            _skip(*skipped)
        outcomes.save_outcomes_of_batch(
            [written.obj.id for written in self._written]
            + [obj.id for _write, obj, _row, _same_as in self._skipped]
        )
        records.retire(
            {
                written.package_id: written.obj.id
                for written in self._written
                if written.is_current and not written.is_new
            }
        )
        changes.save_versions(
            (written.row.id, written.obj.harvest_job_id, written.obj.content)
            for written in new_contents
        )
        records.end_problems(known)
        records.add_problems(
            {written.row: written.write.record.problems for written in self._written}
        )
        coupled = {written.row: written.write.record.coupled for written in self._written}
        datasets.replace({row.id: named for row, named in coupled.items() if named or row in known})
        changes.save_changes(
            changes.NewChange(
                written.row.id,
                written.obj.harvest_job_id,
                RecordOutcome.ADDED if written.is_new else RecordOutcome.UPDATED,
                written.changed,
            )
            for written in self._written
            if not written.left
        )
        search_index.mark_pending(
            *(written.package_id for written in self._written if written.is_current)
        )

    def _give_resource_ids(self) -> None:
        """Fill in the ids that CKAN gave the resources of new datasets."""
        for written in self._written:
            if written.status == RecordOutcome.ADDED:
                # Resources that another plugin adds come after ours.
                ids = self._collected.resource_ids.get(written.package_id, ())
                pairs = zip(ids, written.resources or (), strict=False)
                written.resources = [(id_, key) for id_, (_no_id, key) in pairs]


def _prepare(
    prepare: Callable[..., dict[str, Any]],
    package: dict[str, Any],
    existing: Mapping[str, Any] | None,
    write: Write,
) -> dict[str, Any]:
    """Call a function of ``BEFORE_WRITE``; one that fails costs no record."""
    try:
        return prepare(package, existing, write.schema, write.defaults, forced=write.forced)
    except sa.exc.SQLAlchemyError:  # the transaction fails anyway
        raise
    except Exception:
        log.exception("%s.%s failed", prepare.__module__, prepare.__name__)
        return {}


def _complete(write: Write, package: dict[str, Any]) -> None:
    """Let ckanext-dcat's profiles and other extensions' hooks change a mapped package dict."""
    package_mapper.add_missing_fields(package, write.profile_fields, write.schema)
    hooks.change_dataset(write.record, write.source, package)


def _skip(write: Write, obj: HarvestObject, row: Record, same_as: str | None) -> None:
    """Mark a record as skipped because its dataset is here already; None: it was purged."""
    obj.report_status = UNCHANGED
    row.outcome, row.error = RecordOutcome.SKIPPED, None
    row.same_as = same_as
    # By it such a record is known whose dataset, purged, has no id any more.
    row.origin_guid = _origin_guid(write) or ("" if same_as else row.guid)
    row.owner_org = stored_organization(write.defaults.owner_org)
    records.put_title(row, write.record.title)
    records.put_stamp(row, write.stamp)
    records.mark_seen(row, obj.harvest_job_id)
    Session.add(row)


def _origin_guid(write: Write) -> str:
    return write.record.origin.guid if write.record.origin else ""


def _update_row(each: _Written) -> None:
    """Save a record's outcome in its row and its harvest object."""
    obj, row = each.obj, each.row
    if obj.report_status not in stopping.IMPORTED:
        obj.report_status = each.status
    obj.package_id = row.package_id = each.package_id
    row.outcome = RecordOutcome.UPDATED if each.left else each.status
    records.put_title(row, each.write.record.title)
    row.error = None
    records.put_stamp(row, each.write.stamp)
    if not each.write.again:
        records.mark_seen(row, obj.harvest_job_id)
    obj.current = each.is_current
    row.package_hash = each.package_hash
    row.owner_org = stored_organization(each.write.defaults.owner_org)
    row.origin_guid, row.same_as = _origin_guid(each.write), None
    if not each.left:
        row.resources = each.resources
        ids = [id_ for id_, _key in each.resources or ()]
        row.supplied_fields = each.supplied.as_stored(ids) if each.supplied else None
        row.removed = False
        row.written = utcnow()
    Session.add(row)
