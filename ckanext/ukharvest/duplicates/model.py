"""Pairs of datasets that may be one, and those that a person has joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.outcomes import DecisionKind, PendingKind, RecordOutcome
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import Decision, Pending, Record
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.lib.lookups import not_found

Session = model.Session


def load_pairs(
    organisations: Sequence[str] | None, *, limit: int, offset: int
) -> tuple[int, Sequence[Any]]:
    """Return the number of pairs that wait, and a page of them, the oldest first.

    Args:
        organisations: ids of those whose editors ask: pairs of which one dataset is theirs, without
            private ones of others; None for all.

    Returns:
        Rows (id, since, own_id: of the record's dataset, None without one, other_id, title of the
        record, source and source_title of its source, keeps_other: the other one is to stay).
    """
    given = {"organisations": organisations, "limit": limit, "offset": offset}
    rows = Session.execute(_PAIRS, given).all()
    total = (
        rows[0].total
        if rows
        else Session.execute(_PAIRS, {**given, "limit": None, "offset": 0}).rowcount
    )
    return int(total), rows


# Pairs that wait, to stand in FROM. A record without a dataset has none.
_WAITING = """
    ukharvest_pending AS pending
      JOIN ukharvest_record AS record
        ON record.source_id = pending.source_id AND record.guid = pending.guid
      JOIN package AS source ON source.id = pending.source_id
      JOIN package AS other ON other.id = pending.new_guid AND other.state = 'active'
      LEFT JOIN package AS own ON own.id = record.package_id AND own.state = 'active'
"""
_WAITS = f"""
    pending.kind = '{PendingKind.DUPLICATE}'
       AND (own.id IS NOT NULL OR record.outcome = '{RecordOutcome.ERRORED}')
"""
# For those who may decide about a pair: as editors of the organisations of both datasets.
TO_DO = f"""
    SELECT pending.source_id,
           ARRAY[source.owner_org, other.owner_org, COALESCE(own.owner_org, other.owner_org)]
               AS whom,
           jsonb_build_object('number', count(*),
                              'since', date_trunc('second', min(pending.since))) AS facts
      FROM {_WAITING}
     WHERE {_WAITS}
     GROUP BY 1, 2
"""  # noqa: S608 - a text of our own
# Of two datasets the hand-made one is kept, else the older.
_PAIRS = sa.text(
    f"""
    SELECT pending.id, pending.since, own.id AS own_id, other.id AS other_id, record.title,
           source.name AS source, source.title AS source_title,
           own.id IS NULL OR made.package_id IS NULL
               OR other.metadata_created < own.metadata_created AS keeps_other,
           count(*) OVER () AS total
      FROM {_WAITING}
      LEFT JOIN LATERAL (SELECT package_id FROM ukharvest_record
                          WHERE package_id = other.id LIMIT 1) AS made ON true
     WHERE {_WAITS}
       AND (CAST(:organisations AS text[]) IS NULL
            OR (source.owner_org = ANY (:organisations) OR own.owner_org = ANY (:organisations)
                OR other.owner_org = ANY (:organisations))
           AND (NOT other.private OR other.owner_org = ANY (:organisations))
           AND (own.id IS NULL OR NOT own.private OR own.owner_org = ANY (:organisations))
           AND (NOT source.private OR source.owner_org = ANY (:organisations)))
     ORDER BY pending.since, pending.id
     LIMIT :limit OFFSET :offset
    """  # noqa: S608 - a text of our own
).bindparams(sa.bindparam("organisations", type_=ARRAY(sa.UnicodeText)))


def find_pair(pair_id: Any) -> tuple[Pending, list[str]]:
    """Return a pair that waits, and the ids of its datasets: one if its record has none.

    Raises:
        ObjectNotFound: it does not wait any more.
    """
    own = sa.and_(Record.source_id == Pending.source_id, Record.guid == Pending.guid)
    query = sa.select(Pending, Record.package_id).join(Record, own)
    waits = query.where(Pending.kind == PendingKind.DUPLICATE, Pending.id == _number(pair_id))
    if (row := Session.execute(waits).first()) is None:
        raise not_found()
    return row[0], [id_ for id_ in (row[1], row[0].new_guid) if id_]


def _number(text: Any) -> int:
    """Return the number of a parameter that is not validated yet, 0 if it is none that can be."""
    return int(text) if str(text).isdecimal() and len(str(text)) < 19 else 0


def lock_pair(waiting: Pending) -> Record:
    """Return the record of a pair, locked, as the pair, until the transaction ends.

    Raises:
        ObjectNotFound: another request has decided about it.
    """
    key = waiting.source_id, waiting.guid
    record = record_rows.lock_rows([key]).get(key)
    query = sa.select(Pending.id).filter_by(id=waiting.id).with_for_update()
    if record is None or Session.scalar(query) is None:
        raise not_found()
    return record


def keep_apart(waiting: Pending, record: Record, user: str) -> None:
    """Store that the two are different datasets; the caller commits."""
    pair = [record.package_id or record.guid, waiting.new_guid]
    options = {"pair": pair, "title": record.title}
    decision_log.add_decision(waiting.source_id, user, DecisionKind.NOT_JOINED, options=options)
    Session.delete(waiting)


def join(waiting: Pending, record: Record, kept: str, user: str) -> str | None:
    """Let the record of the dataset that goes be one more of the dataset that stays; no commit.

    Returns:
        The id of the dataset that goes, for the caller to delete; None if the record has none.

    Raises:
        LookupError: the dataset that is to stay is none of the two, or deleted.
    """
    other = waiting.new_guid
    gone = record.package_id if kept == other else other
    row = record if kept == other else _record_of(other)
    stays = sa.select(model.Package.state).filter_by(id=kept).with_for_update()
    if kept not in (record.package_id, other) or Session.scalar(stays) != "active":
        raise LookupError
    options = {
        "kept": kept,
        "gone": gone,
        "name": Session.get(model.Package, gone).name if gone else "",
        "record_id": row.id if row else None,
        "title": record.title,
        **(_load_members(gone) if gone else {}),
        "routes": _move_routes(gone, kept) if gone else [],
    }
    decision_log.add_decision(waiting.source_id, user, DecisionKind.JOINED, options=options)
    if row:
        row.package_id, row.same_as, row.outcome = None, kept, RecordOutcome.SKIPPED
        row.origin_guid, row.error = row.origin_guid or row.guid, None
        if row.fingerprint == "":  # it was refused, so it is read once more
            row.import_rules_hash = ""
    Session.delete(waiting)
    Session.flush()
    return gone


def _move_routes(before: str, now: str, *ids: int) -> list[int]:
    """Let records be one dataset instead of another once more; return their ids (row ids).

    Args:
        ids: of the records; none: all.
    """
    moved = sa.update(Record).where(Record.same_as == before).values(same_as=now)
    moved = moved.where(Record.id.in_(ids)) if ids else moved
    return list(execute(moved.returning(Record.id)).scalars())


def _load_members(package_id: str) -> dict[str, Any]:
    """Return what CKAN takes from a dataset that it deletes: groups and collaborators."""
    members = sa.select(model.Member.id).filter_by(table_id=package_id, state="active")
    person = model.PackageMember
    people = sa.select(person.user_id, person.capacity).filter_by(package_id=package_id)
    return {
        "members": list(Session.scalars(members)),
        "collaborators": dict(map(tuple, Session.execute(people))),
    }


def _restore_members(package_id: str, options: Mapping[str, Any]) -> None:
    """Give a dataset its groups and collaborators back, of those that are still there."""
    member, person, user = model.Member, model.PackageMember, model.User
    ids = options.get("members", ())
    execute(sa.update(member).where(member.id.in_(ids)).values(state="active"))
    people = options.get("collaborators", {})
    for user_id in Session.scalars(sa.select(user.id).where(user.id.in_(people))):
        capacity = people[user_id]
        Session.merge(person(package_id=package_id, user_id=user_id, capacity=capacity))


def _record_of(package_id: str) -> Record | None:
    query = sa.select(Record.source_id, Record.guid).filter_by(package_id=package_id)
    keys = [tuple(row) for row in Session.execute(query)]
    return next(iter(record_rows.lock_rows(keys).values()), None) if keys else None


def load_joins(organisations: Sequence[str] | None, limit: int) -> Sequence[Decision]:
    """Return the joins that hold, the newest first.

    Args:
        organisations: ids of those whose editors ask: joins of their own datasets; None for all.
    """
    query = sa.select(Decision).filter_by(kind=DecisionKind.JOINED).where(~_IS_UNDONE)
    if organisations is not None:
        package, ids = model.Package, (Decision.options[key].astext for key in ("kept", "gone"))
        of_others = sa.func.coalesce(package.owner_org, "").notin_(organisations)
        query = query.where(~sa.exists().where(package.id.in_(list(ids)), of_others))
    return list(Session.scalars(query.order_by(Decision.id.desc()).limit(limit)))


def find_join(decision_id: Any, *, lock: bool = False) -> Decision:
    """Return a join that holds.

    Args:
        lock: until the transaction ends.

    Raises:
        ObjectNotFound: there is none.
    """
    query = sa.select(Decision).filter_by(id=_number(decision_id), kind=DecisionKind.JOINED)
    query = query.where(~_IS_UNDONE)
    if (joined := Session.scalar(query.with_for_update() if lock else query)) is None:
        raise not_found()
    return joined


_UNDONE = sa.orm.aliased(Decision)
_IS_UNDONE = (
    sa.select(sa.literal(1))
    .where(_UNDONE.kind == DecisionKind.PARTED)
    .where(_UNDONE.options["join"].astext == sa.cast(Decision.id, sa.Text))
    .correlate(Decision)
    .exists()
)


def part(joined: Decision, user: str) -> str | None:
    """Give the record its own dataset back; no commit.

    Returns:
        The id of the dataset to restore, None if there was none.

    Raises:
        LookupError: the record has another dataset now.
    """
    options = joined.options
    row = Session.get(Record, options["record_id"]) if options["record_id"] else None
    if row:
        row = record_rows.lock_rows([(row.source_id, row.guid)])[row.source_id, row.guid]
        if row.package_id is not None or row.same_as != options["kept"]:
            raise LookupError
        row.same_as, row.origin_guid, row.package_id = None, "", options["gone"]
        row.outcome = RecordOutcome.UPDATED if options["gone"] else ""
        row.fingerprint = row.import_rules_hash = row.package_hash = ""
    if options["gone"]:
        _restore_members(options["gone"], options)
        if ids := options.get("routes"):
            _move_routes(options["kept"], options["gone"], *ids)
    decision_log.add_decision(
        joined.source_id,
        user,
        DecisionKind.PARTED,
        options={"join": joined.id, "title": options["title"]},
    )
    pair = [options["gone"] or (row.guid if row else ""), options["kept"]]
    decision_log.add_decision(
        joined.source_id,
        user,
        DecisionKind.NOT_JOINED,
        options={"pair": pair, "title": options["title"]},
    )
    Session.flush()
    return str(options["gone"]) if options["gone"] else None


def find_successor(name_or_id: str) -> str | None:
    """Return the name of the dataset that a deleted one was joined to, over several joins.

    None if it was not, or an active dataset has this name or id.
    """
    package = model.Package
    seen: set[str] = set()
    while name_or_id not in seen:
        seen.add(name_or_id)
        own = sa.or_(package.id == name_or_id, package.name == name_or_id)
        name = Session.scalar(sa.select(package.name).where(own, package.state == "active"))
        if name:
            return str(name) if len(seen) > 1 else None
        options = (Decision.options["name"].astext, Decision.options["gone"].astext)
        query = (
            sa.select(Decision.options["kept"].astext)
            .where(Decision.kind == DecisionKind.JOINED, ~_IS_UNDONE)
            .where(sa.or_(*(option == name_or_id for option in options)))
            .order_by(Decision.id.desc())
            .limit(1)
        )
        name_or_id = Session.scalar(query) or name_or_id
    return None
