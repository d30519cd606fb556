"""The items of a batch, one a record, and the results that they can end in.

Each item is fetched and parsed (``preparation``), then decided and written (``batch_transaction``),
and ends in one ``Result``; ``store`` writes all of them. What a result means for the record's row
stands here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.core.errors import NotValid, ParseError, RecordError, UkharvestError
from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.outcomes import AdoptedBy, RecordOutcome, RecordState
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.harvest.model import Record, utcnow
from ckanext.ukharvest.harvest.records.record_rows import (
    Key,
    Stamp,
    put_stamp,
    put_title,
    stored_organization,
)
from ckanext.ukharvest.harvest.run.stopping import IMPORTED, STOPPED
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.mapping.record_values import StoredValues

# Content that failed so would fail again until it or an import rule changes. What fails otherwise
# (a fetch, a hook, CKAN's validation) is tried again by each run.
FAIL_ALIKE = (ParseError, NotValid)
UNCHANGED = "not modified"  # ckanext-harvest's report_status; no outcome of a record row


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a record comes out as, before a dataset is known.

    Attributes:
        record: the parsed record.
        source: what plugins are told about the source.
        profile_fields: dataset dict of ckanext-dcat's profiles; adds fields that ours lacks.
        own_guid: the identity that a plugin gives the record, "" for none.
        raw: what it was parsed from.
        hook_options: the source's options for plugins' hooks, without those at their defaults.
        schema: names of the dataset type's own fields.
        is_stock: it is saved by the validators of its type's stock harvester.
        values: those that tables can map, for its row.
    """

    record: DatasetRecord
    defaults: package_mapper.Defaults
    source: SourceFacts
    profile_fields: Mapping[str, Any] = field(default_factory=dict)
    hook_options: Mapping[str, Any] = field(default_factory=dict)
    own_guid: str = ""
    raw: RawRecord = field(default_factory=lambda: RawRecord(""))
    schema: frozenset[str] = field(default_factory=frozenset)
    is_stock: bool = False
    values: StoredValues = field(default_factory=dict)

    @property
    def origin_guid(self) -> str:
        """The identity under which another portal got the record, "" if it names none."""
        return self.record.origin.guid if self.record.origin else ""


@dataclass(slots=True, eq=False)
class Item:
    """A record of a batch.

    Attributes:
        key: source id and guid.
        raw: with its content, once that is fetched.
        source: with its dataset, None without one: kept in the session for what asks for them.
        object_id: its harvest object; "" in a gather that compares records.
        run_id: of the run's ``JobReport``.
        status: report status that its object has already, "" for none.
        is_deletion: its dataset is to be deleted.
        is_approved: a person approved that.
        only_hands_over: unless another route has the dataset now, it is not deleted.
        forced: also restore a dataset that a person deleted.
        again: its object was imported before; the figures of its run stay (``ckan harvester
            import``).
        read: of a trial: the record as it was parsed before; None: it is parsed again.
        adopts: of a trial: id of the dataset that the first run would adopt; None for none.
        keeps: its dataset's version of before our first write is kept (``changes.keep_versions``).
        is_fetched: its content, date and ETag are not stored yet.
        stamp: set once its content was read.
        parsed: set once it was parsed.
        row: set once the record is locked.
        result: how it ended; None: it goes on.
    """

    key: Key
    job_id: str
    raw: RawRecord
    source: tuple[HarvestSource, Any]
    object_id: str = ""
    run_id: int | None = None
    status: str = ""
    is_deletion: bool = False
    is_approved: bool = False
    only_hands_over: bool = False
    forced: bool = False
    again: bool = False
    read: DatasetRecord | None = None
    adopts: str | None = None
    keeps: bool = False
    is_fetched: bool = False
    stamp: Stamp = field(default_factory=lambda: Stamp("", "", ""))
    parsed: Parsed | None = None
    row: Record | None = None
    result: Result | None = None

    def fail(self, error: UkharvestError, stage: str = "Import") -> None:
        """End with an error; of a deletion the record is still missing.

        Args:
            stage: "Fetch" or "Import".
        """
        self.result = (DeletionRefused if self.is_deletion else Failed)(error, stage)


class Result:
    """How an item ended.

    Attributes:
        state: what its run did with the record, as ``RecordState``.
        status: ckanext-harvest's report status.
        keeps_status: one of an earlier import stays.
        error: why it failed, None if it did not; ``stage``: where.
        is_same: it was skipped because its dataset is here already, or was deleted here.
        package_id: the dataset that comes from its object; None: the object's stays.
        is_current: whether the dataset comes from this object from now on; None: as before.
        problems: those that the import found; None: the record's stay.
        change: kind of the change of the dataset, "" for none; ``changed``: its fields.
    """

    state: RecordState = RecordState.UNCHANGED
    status: str = UNCHANGED
    keeps_status = False
    error: UkharvestError | None = None
    stage = "Import"
    is_same = False
    package_id: str | None = None
    is_current: bool | None = None
    problems: Sequence[Problem] | None = None
    change = ""
    changed: Sequence[FieldChange] = ()

    def put(self, item: Item, row: Record) -> None:
        """Change the row of an item's record; nothing by default."""

    def status_of(self, item: Item) -> str:
        """Return the report status that an item's object gets."""
        return item.status if self.keeps_status and item.status in IMPORTED else self.status

    def state_of(self, item: Item) -> str:
        """Return what the run did with an item's record; an earlier import of its object counts."""
        status = self.status_of(item)
        if status == self.status:
            return self.state
        return RecordState.UNCHANGED if status == UNCHANGED else status


def _mark_seen(item: Item, row: Record) -> None:
    row.last_seen, row.last_seen_job_id = utcnow(), item.job_id
    # It is here, whoever found its dataset or kept it.
    row.missed_runs, row.adopted, row.kept = 0, "", False


class Failed(Result):
    """The record failed; its dataset, if any, is not changed."""

    state, status = RecordState.LOST, RecordOutcome.ERRORED
    error: UkharvestError

    def __init__(self, error: UkharvestError, stage: str = "Import") -> None:
        self.error, self.stage = error, stage
        # It names the problems of the rejected version.
        self.problems = error.problems if isinstance(error, NotValid) else None

    def put(self, item: Item, row: Record) -> None:
        error = self.error
        # Until a run has written it, the dataset that a person attached is not the source's.
        adopted = row.adopted if row.adopted == AdoptedBy.GUID else ""
        _mark_seen(item, row)
        row.adopted = adopted
        row.outcome = RecordOutcome.ERRORED
        row.error = {"code": error.code, "message": error.message, "line": error.line}
        row.error["wording"] = wording_of(error.message)
        if isinstance(error, FAIL_ALIKE) and item.stamp.fingerprint:
            row.error["stamp"] = asdict(item.stamp)
        if isinstance(error, RecordError) and error.title:
            put_title(row, error.title)
        row.url, row.etag, row.last_modified = item.raw.url, "", ""  # it has to be read again


class DeletionRefused(Failed):
    """The dataset was not deleted: missed runs, a person's approval and the last sight stay."""

    def __init__(self, error: UkharvestError, stage: str = "Import") -> None:
        super().__init__(error, stage)
        self.problems = None

    def put(self, item: Item, row: Record) -> None:
        """Leave the row."""


class Skipped(Result):
    """Options or a hook leave the record out until it changes.

    If it has a dataset from an earlier import, later complete runs count it as missing.
    """

    state = RecordState.SKIPPED

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

    def put(self, item: Item, row: Record) -> None:
        if row.adopted == AdoptedBy.GUID:
            row.package_id = None  # not the source's after all: no run may delete the dataset
        _mark_seen(item, row)
        row.outcome, row.error = RecordOutcome.SKIPPED, None
        row.origin_guid, row.same_as = "", None
        put_stamp(row, item.stamp)


class Same(Result):
    """The record's dataset is here already, from another route; ``same_as`` None: it was purged."""

    state, is_same = RecordState.SKIPPED, True

    def __init__(self, parsed: Parsed, same_as: str | None) -> None:
        self.parsed, self.same_as = parsed, same_as

    def put(self, item: Item, row: Record) -> None:
        _mark_seen(item, row)
        row.outcome, row.error = RecordOutcome.SKIPPED, None
        row.same_as = self.same_as
        # By it such a record is known once its dataset is purged and has no id any more.
        row.origin_guid = self.parsed.origin_guid or row.guid
        _put_parsed(item, row, self.parsed)


def _put_parsed(item: Item, row: Record, parsed: Parsed) -> None:
    row.owner_org = stored_organization(parsed.defaults.owner_org)
    row.own_guid, row.source_values = parsed.own_guid, parsed.values
    put_title(row, parsed.record.title)
    put_stamp(row, item.stamp)


class Left(Result):
    """The dataset stays as it is; what the record says is known all the same."""

    keeps_status = True

    def __init__(
        self, parsed: Parsed, package_id: str | None, package_hash: str, *, is_current: bool
    ) -> None:
        self.parsed, self.package_id, self.package_hash = parsed, package_id, package_hash
        self.is_current, self.problems = is_current, parsed.record.problems

    def put(self, item: Item, row: Record) -> None:
        if not item.again:
            _mark_seen(item, row)
        row.outcome, row.error = RecordOutcome.UPDATED, None
        row.package_id, row.package_hash = self.package_id, self.package_hash
        row.origin_guid, row.same_as = self.parsed.origin_guid, None
        _put_parsed(item, row, self.parsed)


class Written(Left):
    """The dataset was created or updated.

    Attributes:
        is_new: there was no active dataset before.
        is_quiet: it says the same as before in other words, and counts as unchanged.
        shown: the dataset as it was, and as it is now, as package_show gives it; None: it is new.
        is_stock: by CKAN's own schema.
    """

    def __init__(  # noqa: PLR0913
        self,
        parsed: Parsed,
        package_id: str,
        package_hash: str,
        mapped: package_mapper.MappedDataset,
        *,
        is_created: bool,
        is_new: bool,
        is_quiet: bool,
        changed: Sequence[FieldChange],
        problems: Sequence[Problem],
        shown: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
        is_stock: bool = False,
    ) -> None:
        super().__init__(parsed, package_id, package_hash, is_current=True)
        self.problems = problems
        self.outcome = RecordOutcome.ADDED if is_created else RecordOutcome.UPDATED
        self.state = RecordState.UNCHANGED if is_quiet else RecordState(self.outcome)
        self.status = UNCHANGED if is_quiet else str(self.outcome)
        self.mapped, self.is_new, self.changed = mapped, is_new, changed
        self.shown, self.is_stock = shown, is_stock
        self.change = RecordOutcome.ADDED if is_new else RecordOutcome.UPDATED

    def put(self, item: Item, row: Record) -> None:
        super().put(item, row)
        row.outcome, row.resources = self.outcome, self.mapped.resources
        ids = [id_ for id_, _key in self.mapped.resources]
        row.supplied_fields = self.mapped.supplied.as_stored(ids)
        row.removed, row.written = False, utcnow()


class Deleted(Result):
    """The dataset was deleted, because its source no longer lists it.

    Attributes:
        groups: those of a dataset of another harvester, as package_show gave them.
    """

    state, status = RecordState.DELETED, RecordOutcome.DELETED
    is_current = False
    change = RecordOutcome.DELETED

    def __init__(self, package_id: str, groups: Sequence[Mapping[str, Any]] = ()) -> None:
        self.package_id, self.groups = package_id, groups

    def put(self, item: Item, row: Record) -> None:
        row.outcome, row.error, row.removed = RecordOutcome.DELETED, None, True
        row.adopted, row.kept = "", False
        row.fingerprint = row.package_hash = ""


class NotDeleted(Result):
    """Nothing was to delete any more: it came back, is deleted already, or another route has it.

    Or had it when the run planned to give it the dataset: the next run plans, and asks, anew.
    """

    def __init__(self, row: Record) -> None:
        if row.outcome == RecordOutcome.SKIPPED:
            self.state, self.is_same = RecordState.SKIPPED, bool(row.same_as or row.origin_guid)


class Stopped(Result):
    """A person stopped the run before; the record is not even locked."""

    state, status = RecordState.WAITING, STOPPED
