"""Write a batch of records: one transaction, then one request to the index.

Each record is written behind a savepoint, so that one that CKAN, a hook or the database refuses
costs itself alone. What we remember of the records is written at the end, in a few statements for
all of them.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat, themes, write_batch
from ckanext.ukharvest.core.dataset_changes import is_changed
from ckanext.ukharvest.core.errors import (
    RecordError,
    RejectedByCkan,
    SkipRecord,
    UkharvestError,
)
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.engine import dataset_hooks
from ckanext.ukharvest.engine.changed_fields import find_changed_fields
from ckanext.ukharvest.engine.dataset_writer.indexing import index_written
from ckanext.ukharvest.engine.dataset_writer.standing import Standing
from ckanext.ukharvest.engine.dataset_writer.write import (
    UNCHANGED,
    Write,
    call,
    harvest_user,
    package_hash,
    show,
)
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.mapping.kept_fields import SuppliedFields
from ckanext.ukharvest.model import (
    Record,
    adoption,
    assessments,
    changes,
    coupling,
    guid_conflicts,
    handed_on,
    link_checks,
    link_evidence,
    pending_index,
    record_rows,
    run_results,
    stopping,
    tag_names,
    utcnow,
    versions,
)
from ckanext.ukharvest.model.dataset_names import NameChooser
from ckanext.ukharvest.model.record_organizations import stored_organization
from ckanext.ukharvest.model.refusals import Rejected, is_name_taken, rejection
from ckanext.ukharvest.model.service_faults import failing_service, is_deadlock
from ckanext.ukharvest.write_batch import WriteBatch

log = logging.getLogger(__name__)
Session = model.Session

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
    tag_names.create_missing(tag for write in writes for tag in _tags(write))
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
                alone = [_write_some([write], end) for write in writes]
                return {id_: result for each in alone for id_, result in each.items()}
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


def _tags(write: Write) -> list[str]:
    return [*write.record.tags, *write.defaults.tags]


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
    found: Sequence[changes.FieldChange] = ()
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
        self._skipped: list[tuple[Write, HarvestObject, Record, handed_on.Same]] = []
        self._objects, self._rows = record_rows.lock_all(
            {write.object_id: write.key for write in writes}
        )
        # Of records with one guid, one is written in a transaction.
        self._writes = list({write.key: write for write in reversed(writes)}.values())[::-1]
        self._standing = Standing(self._rows.values())
        new = [write for write in self._writes if self._is_new(write)]
        self._same = handed_on.lock_and_find({each.key: each.record for each in new})
        self._names = NameChooser([(each.record.title, each.record.name) for each in new])
        self._claims = guid_conflicts.lock_and_find(
            [self._objects[each.object_id] for each in new], self._names.locks
        )
        self._names.load()
        collected.links = link_evidence.load(
            each.url for write in self._writes for each in write.record.resources
        )
        self._formats = link_checks.formats_in(collected.links)

    def _row(self, write: Write) -> Record:
        return self._rows[write.key]

    def _is_new(self, write: Write) -> bool:
        return not self._standing.is_active(self._row(write))

    def write(self) -> None:
        """Write the datasets, then what we remember of them; no commit."""
        characters = 0
        for write in self._writes:
            characters += len(self._objects[write.object_id].content or "")
            self.results[write.object_id] = self._result(write)
            if time.monotonic() - self._started > MOST_SECONDS or characters > MOST_CHARACTERS:
                break
        assessments.save_collected(self._collected.assessments)
        self._remember()

    def _result(self, write: Write) -> Result:
        obj, row = self._objects[write.object_id], self._row(write)
        # The same record was imported while this one waited for the lock.
        if obj.report_status and not write.again:
            return str(obj.report_status)
        state = self._standing.states.get(row.package_id or "", "")
        if state not in ("", "active") and not row.removed and not write.forced:
            # A person deleted this dataset. It stays deleted, and the record counts as unchanged
            # until a full run; its stamp is saved, so that it is not fetched again before.
            left = _Written(write, obj, row, UNCHANGED, row.package_id, row.package_hash, left=True)
            left.is_current = False
            self._written.append(left)
            return UNCHANGED
        if same := self._same.get(write.key):
            self._skipped.append((write, obj, row, same))
            return UNCHANGED
        hashed = package_hash(write)
        if not write.forced and self._standing.stands(row, hashed):
            left = _Written(write, obj, row, UNCHANGED, row.package_id, hashed, left=True)
            # The source record that people see is the newest.
            left.is_current = row.fingerprint != write.stamp.fingerprint
            self._written.append(left)
            return UNCHANGED
        return self._guarded(write, obj, row, hashed)

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
            guid_conflicts.refuse_foreign(obj, write.record.title, self._claims)
        existing = show(row.package_id) if self._standing.states.get(row.package_id or "") else None
        known = row.resources
        if known is None and existing:
            known = adoption.resources_written(existing["id"], existing["resources"])
        mapped = package_mapper.to_package_dict(
            link_checks.with_formats(write.record, self._formats),
            existing,
            known,
            write.schema,
            write.defaults,
            supplied=row.supplied_fields,
            found_formats=self._formats,
            change=functools.partial(_complete, write),
        )
        more = themes.set_themes(
            mapped.package, existing, write.schema, write.defaults, forced=write.forced
        )
        found: Sequence[changes.FieldChange] = ()
        if existing is None:
            mapped.package["name"] = self._names.choose(write.record.title, write.record.name)
            package_id = call("package_create", mapped.package, self._user, **more)
        else:
            package_id = existing["id"]
            # Most imports of a full run change nothing and need no second read of the dataset.
            differs = is_changed(existing, mapped.package)
            more = {**more, "original_package": existing}
            call("package_update", mapped.package, self._user, **more)
            found = find_changed_fields(existing, show(package_id)) if differs else ()
        status = RecordOutcome.UPDATED if existing else RecordOutcome.ADDED
        return _Written(
            write,
            obj,
            row,
            status,
            package_id,
            hashed,
            resources=mapped.resources,
            supplied=mapped.supplied,
            found=found,
            is_new=is_new,
        )

    def _remember(self) -> None:
        """Write harvest objects, rows, problems, versions and changes of all written records."""
        contents = [(each, _has_changed(each)) for each in self._written]
        self._give_resource_ids()
        # A new row has no id yet, and nothing of an earlier import.
        known = [each.row for each in self._written if each.row.id is not None]
        for each in self._written:
            _update_row(each)
        for write, obj, row, same in self._skipped:
            _skip(write, obj, row, same)
        run_results.save_outcomes(
            [each.obj.id for each in self._written] + [each[1].id for each in self._skipped]
        )
        record_rows.retire(
            {
                each.package_id: each.obj.id
                for each in self._written
                if each.is_current and not each.is_new
            }
        )
        versions.save(
            versions.New(each.row.id, each.obj.harvest_job_id, each.obj.content)
            for each, is_changed_content in contents
            if is_changed_content and each.obj.content
        )
        record_rows.end_problems(known)
        record_rows.add_problems({each.row: each.write.record.problems for each in self._written})
        coupled = {each.row: each.write.record.coupled for each in self._written}
        coupling.replace({row.id: named for row, named in coupled.items() if named or row in known})
        done = [each for each in self._written if not each.left]
        changes.save(
            changes.New(
                each.row.id,
                each.obj.harvest_job_id,
                RecordOutcome.ADDED if each.is_new else RecordOutcome.UPDATED,
                each.found,
            )
            for each in done
        )
        pending_index.mark(*(each.package_id for each in self._written if each.is_current))

    def _give_resource_ids(self) -> None:
        """Fill in the ids that CKAN gave the resources of new datasets."""
        for each in self._written:
            if each.status == RecordOutcome.ADDED:
                # Resources that another plugin adds come after ours.
                ids = self._collected.resource_ids.get(each.package_id, ())
                given = zip(ids, each.resources or (), strict=False)
                each.resources = [(id_, key) for id_, (_no_id, key) in given]


def _complete(write: Write, package: dict[str, Any]) -> None:
    """Let ckanext-dcat's profiles and other extensions' hooks change a mapped package dict."""
    package_mapper.add_missing_fields(package, write.profile_fields, write.schema)
    dataset_hooks.change_dataset(write.record, write.source, package)


def _supplied_fields(each: _Written) -> dict[str, Any] | None:
    ids = [id_ for id_, _key in each.resources or ()]
    return each.supplied.as_stored(ids) if each.supplied else None


def _has_changed(each: _Written) -> bool:
    return bool(each.row.fingerprint != each.write.stamp.fingerprint)


def _skip(write: Write, obj: HarvestObject, row: Record, same: handed_on.Same) -> None:
    """Mark a record as skipped because its dataset is here already."""
    obj.report_status = UNCHANGED
    row.outcome, row.error = RecordOutcome.SKIPPED, None
    row.same_as = same.package_id
    # By it such a record is known whose dataset, purged, has no id any more.
    row.origin_guid = _origin_guid(write) or ("" if same.package_id else row.guid)
    row.owner_org = stored_organization(write.defaults.owner_org)
    record_rows.put_title(row, write.record.title)
    record_rows.put_stamp(row, write.stamp)
    record_rows.mark_seen(row, obj.harvest_job_id)
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
    record_rows.put_title(row, each.write.record.title)
    row.error = None
    record_rows.put_stamp(row, each.write.stamp)
    if not each.write.again:
        record_rows.mark_seen(row, obj.harvest_job_id)
    obj.current = each.is_current
    row.package_hash = each.package_hash
    row.owner_org = stored_organization(each.write.defaults.owner_org)
    row.origin_guid, row.same_as = _origin_guid(each.write), None
    if not each.left:
        row.resources = each.resources
        row.supplied_fields = _supplied_fields(each)
        row.removed = False
        row.written = utcnow()
    Session.add(row)
