"""What the last imports changed in a record's dataset."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core import changed
from ckanext.ukharvest.core.changed import Difference
from ckanext.ukharvest.extent import figure
from ckanext.ukharvest.model import Change, Record, utcnow
from ckanext.ukharvest.shown import facts, values
from ckanext.ukharvest.shown.labels import HIDDEN, SAID_BETTER

Session = model.Session

KEPT = 20
ADDED, UPDATED, DELETED = "added", "updated", "deleted"

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

# Noted beside what changed in a dataset while it was private.
_PRIVATE = [{"private": True}]

_ENGLISH = values.Portal()


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


def found(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return what an import changed in a dataset, given twice as package_show has it.

    Without what means something to programs alone, and what another changed field says better.
    """
    found = changed.between(before, after, readable)
    keys = {each.field for each in found}
    return [
        each
        for each in found
        if each.field not in HIDDEN and SAID_BETTER.get(each.field) not in keys
    ]


def keep(record_id: int, job_id: str | None, kind: str, found: Sequence[Difference] = ()) -> None:
    """Keep what an import did; an update that changed nothing is none; the caller commits."""
    if kind == UPDATED and not found:
        return
    fields: list[dict[str, Any]] = [each._asdict() for each in found[: changed.MOST]]
    if len(found) > changed.MOST:
        fields.append({"more": len(found) - changed.MOST})
    # PostgreSQL cannot store the character 0.
    fields = [{key: _storable(value) for key, value in each.items()} for each in fields]
    row = {"record": record_id, "job": job_id, "now": utcnow(), "kind": kind, "fields": fields}
    more = {"others": KEPT - 1, "has_fields": bool(fields), "private": _PRIVATE}
    Session.execute(_KEEP, {**row, **more})


def _storable(value: Any) -> Any:
    return value.replace("\0", "") if isinstance(value, str) else value


def readable(key: str, text: str) -> str:
    """Return a field's stored text as people read it: no JSON, labels instead of addresses."""
    if key == "spatial":
        return figure.in_words(text) or text
    if not text or (key not in values.KEYS and text[:1] not in ("[", "{")):
        return text
    markup = values.shown(key, text, _ENGLISH) if key in values.KEYS else facts.shown(text)
    return str(markup.replace("</li>", "; </li>").striptags()).strip("; ") or text


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
