"""Changes that the last imports made to a record's dataset."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core import dataset_changes
from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.model import Change, Record, utcnow

Session = model.Session

KEPT = 20
ADDED, UPDATED, DELETED = RecordOutcome.ADDED, RecordOutcome.UPDATED, RecordOutcome.DELETED

# One statement: its parts all see the table as it was before, so the row that is added is
# neither counted nor deleted.
_KEEP = sa.text(
    """
    WITH added AS (
        INSERT INTO ukharvest_change (record_id, job_id, created, kind, fields)
        VALUES (:record, :job, :now, :kind, CAST(:fields AS jsonb) || CASE WHEN :has_fields AND
            (SELECT package.private FROM ukharvest_record AS record
               JOIN package ON package.id = record.package_id WHERE record.id = :record)
            THEN CAST(:private AS jsonb) ELSE '[]' END))
    DELETE FROM ukharvest_change
    WHERE record_id = :record AND id NOT IN (
        SELECT id FROM ukharvest_change
        WHERE record_id = :record ORDER BY id DESC LIMIT :others)
    """
).bindparams(sa.bindparam("fields", type_=JSONB), sa.bindparam("private", type_=JSONB))

# Marks changes of a dataset while it was private.
_PRIVATE = [{"private": True}]


class Told(NamedTuple):
    """One change of a dataset.

    Attributes:
        created: when, UTC.
        job_id: of the run that made it, None if its history was cleared.
        kind: ADDED, UPDATED or DELETED.
        fields: as ``Change.fields``.
    """

    created: datetime.datetime
    job_id: str | None
    kind: str
    fields: list[dict[str, Any]]


def save(record_id: int, job_id: str | None, kind: str, found: Sequence[FieldChange] = ()) -> None:
    """Save what an import changed; without changes an update is not saved; the caller commits."""
    if kind == UPDATED and not found:
        return
    fields: list[dict[str, Any]] = [each._asdict() for each in found[: dataset_changes.MOST]]
    if len(found) > dataset_changes.MOST:
        fields.append({"more": len(found) - dataset_changes.MOST})
    # PostgreSQL cannot store the character 0.
    fields = [{key: _storable(value) for key, value in each.items()} for each in fields]
    row = {"record": record_id, "job": job_id, "now": utcnow(), "kind": kind, "fields": fields}
    more = {"others": KEPT - 1, "has_fields": bool(fields), "private": _PRIVATE}
    Session.execute(_KEEP, {**row, **more})


def _storable(value: Any) -> Any:
    return value.replace("\0", "") if isinstance(value, str) else value


def of_record(record_id: int) -> list[Told]:
    """Return the changes of one record, the latest first."""
    return [Told(*row) for row in Session.execute(_query().where(Change.record_id == record_id))]


def of_dataset(
    package_id: str, limit: int, offset: int, *, with_private: bool
) -> tuple[int, list[Told]]:
    """Return how many changes of a dataset are kept, and some of them, the latest first.

    Args:
        with_private: also those from when the dataset was private.
    """
    ids = sa.select(Record.id).where(Record.package_id == package_id)
    wanted = [Change.record_id.in_(ids)]
    if not with_private:
        wanted.append(~Change.fields.contains(_PRIVATE))
    count = sa.select(sa.func.count()).where(*wanted)
    query = _query().where(*wanted).limit(limit).offset(offset)
    return int(Session.scalar(count) or 0), [Told(*row) for row in Session.execute(query)]


def _query() -> sa.Select[Any]:
    query = sa.select(Change.created, Change.job_id, Change.kind, Change.fields)
    return query.order_by(Change.id.desc())
