"""What imports changed in datasets, the versions of records, and their stored documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core import dataset_changes
from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.harvest.model import Change, DatasetBefore, Record, utcnow
from ckanext.ukharvest.rendering import extent_map, values
from ckanext.ukharvest.rendering.fields import TECHNICAL, find_field

Session = model.Session

KEPT_CHANGES = 20
ADDED, UPDATED, DELETED = RecordOutcome.ADDED, RecordOutcome.UPDATED, RecordOutcome.DELETED

# One statement: its parts all see the table as it was before, so the rows that are added are
# neither counted nor deleted.
_KEEP_CHANGES = sa.text(
    """
    WITH given AS (
        SELECT * FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS given (record_id bigint, job_id text, kind text, fields jsonb)),
    added AS (
        INSERT INTO ukharvest_change (record_id, job_id, created, kind, fields)
        SELECT given.record_id, given.job_id, :now, given.kind, given.fields || CASE
            WHEN package.private AND given.fields <> '[]'
            THEN CAST(:private AS jsonb) ELSE '[]' END
        FROM given
        JOIN ukharvest_record AS record ON record.id = given.record_id
        LEFT JOIN package ON package.id = record.package_id),
    ranked AS (
        SELECT id, row_number() OVER (PARTITION BY record_id ORDER BY id DESC) AS number
        FROM ukharvest_change WHERE record_id IN (SELECT record_id FROM given))
    DELETE FROM ukharvest_change AS old USING ranked
    WHERE old.id = ranked.id AND ranked.number > :others
    """
).bindparams(sa.bindparam("rows", type_=JSONB), sa.bindparam("private", type_=JSONB))

# Marks changes of a dataset while it was private.
_PRIVATE = [{"private": True}]


class NewChange(NamedTuple):
    """What an import did to the dataset of a record, whose row has this id."""

    record_id: int
    job_id: str | None
    kind: str
    changed: Sequence[FieldChange] = ()


def save_changes(new: Iterable[NewChange]) -> None:
    """Save what imports changed; without changes an update is not saved; the caller commits."""
    rows = [
        {
            "record_id": change.record_id,
            "job_id": change.job_id,
            "kind": change.kind,
            "fields": _fields(change.changed),
        }
        for change in new
        if change.kind != UPDATED or change.changed
    ]
    if rows:
        values = {"rows": rows, "now": utcnow(), "others": KEPT_CHANGES - 1, "private": _PRIVATE}
        Session.execute(_KEEP_CHANGES, values)


def _fields(changed: Sequence[FieldChange]) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = [change._asdict() for change in changed[: dataset_changes.MOST]]
    if len(changed) > dataset_changes.MOST:
        fields.append({"more": len(changed) - dataset_changes.MOST})
    # PostgreSQL cannot store the character 0.
    return [
        {
            key: value.replace("\0", "") if isinstance(value, str) else value
            for key, value in field.items()
        }
        for field in fields
    ]


class KeptVersion(NamedTuple):
    """A dataset of another harvester that we write or delete; as ``DatasetBefore``.

    Attributes:
        before: of one that we delete: its groups.
    """

    package_id: str
    source_id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any] | None = None
    is_stock: bool = False


def keep_versions(versions: Sequence[KeptVersion]) -> None:
    """Save datasets as they were before our first write, and what others changed after it.

    The caller commits. Their current harvest objects are still those of before.
    """
    if not versions:
        return
    ids = [version.package_id for version in versions]
    query = Session.query(DatasetBefore.package_id, DatasetBefore.after)
    last = dict(query.filter(DatasetBefore.package_id.in_(ids)).all())
    rows = []
    for version in versions:
        ours, now = last.get(version.package_id), version.before if version.after else None
        edited = dataset_changes.differing_fields(ours, now) if ours and now else ()
        rows.append({**version._asdict(), "edited": sorted(edited)})
    # Other extensions may show what JSON does not have.
    Session.execute(_KEEP_VERSIONS, {"rows": json.dumps(rows, default=str), "now": utcnow()})


# One that was only deleted gets its version at a later write, with the groups of before.
_KEEP_VERSIONS = sa.text(
    """
    INSERT INTO ukharvest_before AS old
           (package_id, source_id, object_id, is_stock, before, after, edited, created)
    SELECT package_id, source_id,
           (SELECT object.id FROM harvest_object AS object
             WHERE object.package_id = given.package_id AND object.current
             ORDER BY object.gathered DESC LIMIT 1),
           is_stock, before, NULLIF(after, 'null'), edited, :now
      FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS given (package_id text, source_id text, is_stock boolean, before jsonb, after jsonb,
                  edited jsonb)
        ON CONFLICT (package_id) DO UPDATE
       SET before = CASE WHEN old.after IS NULL
                         THEN excluded.before || COALESCE(old.before, '{}') ELSE old.before END,
           is_stock = CASE WHEN old.after IS NULL THEN excluded.is_stock ELSE old.is_stock END,
           after = COALESCE(excluded.after, old.after),
           edited = old.edited || excluded.edited
    """
)


def changes_of_record(record_id: int) -> Sequence[Any]:
    """Return the changes of one record, the latest first; rows as of ``of_dataset``."""
    return Session.execute(_query().where(Change.record_id == record_id)).all()


def changes_of_dataset(
    package_id: str, limit: int, offset: int, *, with_private: bool
) -> tuple[int, Sequence[Any]]:
    """Return how many changes of a dataset are kept, and some of them, the latest first.

    Args:
        with_private: also those from when the dataset was private.

    Returns:
        The number, and rows (created, job_id, kind, fields): the time in UTC, the run that made it
        (None if its history was cleared), and the rest as in ``Change``.
    """
    wanted = [Change.record_id.in_(sa.select(Record.id).where(Record.package_id == package_id))]
    if not with_private:
        wanted.append(~Change.fields.contains(_PRIVATE))
    count = sa.select(sa.func.count()).where(*wanted)
    page = _query().where(*wanted).limit(limit).offset(offset)
    return int(Session.scalar(count) or 0), Session.execute(page).all()


def _query() -> sa.Select[Any]:
    columns = (Change.created, Change.job_id, Change.kind, Change.fields)
    return sa.select(*columns).order_by(Change.id.desc())


_ENGLISH = values.Portal()


def find_changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
    """Return a dataset's changed fields, from its package_show dicts before and after an import.

    Leaves out technical fields, and fields that another changed field describes better.
    """
    changed = dataset_changes.list_changes(before, after, format_field)
    keys = {field.field for field in changed}
    return [
        field
        for field in changed
        if field.field not in TECHNICAL and find_field(field.field).unless not in keys
    ]


def format_field(key: str, text: str) -> str:
    """Return a field's stored text for people: no JSON, labels instead of URIs."""
    if key == "spatial":
        return extent_map.describe_extent(text) or text
    render = find_field(key).render
    if not text or not (render or text[:1] in ("[", "{")):
        return text
    markup = render(text, _ENGLISH) if render else values.render_extra(text)
    return str(markup.replace("</li>", "; </li>").striptags()).strip("; ") or text
