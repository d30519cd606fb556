"""Write how the items of a batch ended: the only place that knows all tables of a record.

One statement a table, whatever ended how. No SQL looks back at what was just written: outcomes come
from the results themselves. Those of other harvesters' objects are worked out in ``outcomes``.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObjectError, HarvestObjectExtra
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.problems.texts import ENTRY_NUMBERS
from ckanext.ukharvest.core.relations import find_relations, may_name_parts
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.batch.items import (
    Deleted,
    Failed,
    Item,
    Left,
    NotDeleted,
    Result,
    Stopped,
    Written,
)
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.gather.objects import ETAG, MODIFIED
from ckanext.ukharvest.harvest.identity import likely_duplicates, routes
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import Record, utcnow
from ckanext.ukharvest.harvest.records import changes, record_history, record_rows
from ckanext.ukharvest.harvest.records.conflicts import GuidElsewhere
from ckanext.ukharvest.harvest.run import outcomes, run_report
from ckanext.ukharvest.harvest.run.stopping import STOPPED

Session = model.Session
# An item that has ended, with its result and its record's row, which is locked.
Ended = tuple[Item, Result, Record]


def store_items(items: Sequence[Item]) -> None:
    """Write how these items ended, and give up their claims; the caller commits.

    Items without an object (of a gather) get no outcome.
    """
    done = [(item, item.result) for item in items if item.result]
    # A stopped one is not locked.
    of_records = [(item, result, item.row) for item, result in done if item.row]
    parts = _find_parts(done, is_saved=False)
    _save_records(of_records)
    parts |= _find_parts(done, is_saved=True)
    ended = [(item, result) for item, result in done if item.object_id]
    if not ended:
        return
    save_contents([item for item, _result in ended])
    routes.release_other_routes(
        [r.package_id for _i, r in ended if isinstance(r, Deleted) and r.package_id]
    )
    record_rows.retire_objects(
        {
            result.package_id: item.object_id
            for item, result in ended
            if result.package_id and _may_have_another_object(result)
        }
    )
    current = [result.package_id for _item, result in ended if result.is_current]
    if ids := [*filter(None, current)]:
        pending_index.mark_pending(*ids)
    _store_duplicates(ended)
    if others := sorted(parts - {*ids}):
        pending_index.add_pending(others)
    _save_errors(ended)
    _end_objects(ended)
    outcomes.refresh_results(_save_outcomes(ended))


def _save_records(ended: Sequence[Ended]) -> None:
    """Save the rows, problems, couplings, versions and changes of records."""
    # What is new is found out before the rows change.
    contents = [(item, row) for item, result, row in ended if _has_new_content(item, result, row)]
    changes.keep_versions(list(_kept_versions(ended)))
    known = {row for _item, _result, row in ended if row.id is not None}
    was = {row: (row.error, row.import_rules_hash) for row in known}
    failed_before = {row for row in known if row.outcome == RecordOutcome.ERRORED}
    for item, result, row in ended:
        result.put(item, row)
        if row.id is None and not isinstance(result, NotDeleted):
            Session.add(row)
    Session.flush()
    checked = {row: result for _item, result, row in ended if result.problems is not None}
    past = record_rows.end_problems([row for row in checked if row in known])
    failed = [row for _item, result, row in ended if type(result) is Failed and row not in checked]
    record_rows.forget_rejections([row for row in failed if row in failed_before])
    record_rows.add_problems(
        {
            row: (result.problems or (), isinstance(result, Failed))
            for row, result in checked.items()
        }
    )
    _save_progress(ended, was, past)
    relations = {
        row.id: named
        for _item, result, row in ended
        if isinstance(result, Left)
        if (named := find_relations(result.parsed.record)) or row in known
    }
    dataset_rows.replace_relations(relations)
    record_history.save_versions(
        (row.id, item.job_id, item.raw.content or "") for item, row in contents
    )
    changes.save_changes(
        changes.NewChange(row.id, item.job_id, result.change, result.changed)
        for item, result, row in ended
        if result.change
    )


def _save_progress(
    ended: Iterable[Ended], was: Mapping[Record, tuple[Any, str]], past: Iterable[Any]
) -> None:
    """Add to the runs how many problems of records are fixed, and how many are new.

    The first good run of a source has none that are new.

    Args:
        was: known row → its error and import rules before.
        past: the problems that were current before, as ``record_rows.end_problems`` returns them.
    """
    before: dict[int, set[tuple[str, str]]] = {}
    for row in past:
        before.setdefault(row.record_id, set()).add((row.code, row.field))
    named = {row.record_id for row in past if row.lost}  # of a rejection, which is no other problem
    added = {
        item.key[0]
        for item, result, row in ended
        if row not in was and (result.problems or result.error)
    }
    read_before = run_report.find_read(added)
    runs: dict[str, Counter[str]] = {}
    for item, result, row in ended:
        is_comparable = row in was or item.key[0] in read_before
        if not is_comparable or item.again or not isinstance(result, Failed | Left):
            continue
        error, rules = was.get(row, (None, ""))
        then, now = before.get(row.id, set()), {(p.code, p.field) for p in result.problems or ()}
        if error and row.id not in named:
            then.add((error["code"], ""))
        if result.error and not result.problems:
            now.add((result.error.code, ""))
        by_rules = "_by_rules" if rules and rules != item.stamp.import_rules_hash else ""
        of_run = runs.setdefault(item.job_id, Counter())
        of_run[f"fixed{by_rules}"] += (_by_kind(then) - _by_kind(now)).total()
        of_run[f"new{by_rules}"] += (_by_kind(now) - _by_kind(then)).total()
    for job_id, counts in runs.items():
        if any(counts.values()):
            run_report.add_progress(job_id, counts)


def _by_kind(problems: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Count problems by code and field; the number of an entry changes with those before it."""
    return Counter((code, ENTRY_NUMBERS.sub("", field)) for code, field in problems)


def _kept_versions(ended: Iterable[Ended]) -> Iterator[changes.KeptVersion]:
    """Yield the datasets of other harvesters that were written or deleted."""
    for item, result, _row in ended:
        if item.keeps and isinstance(result, Deleted):
            yield changes.KeptVersion(
                str(result.package_id), item.key[0], {"groups": result.groups}
            )
        elif item.keeps and isinstance(result, Written) and result.shown:
            own = (str(result.package_id), item.key[0])
            yield changes.KeptVersion(*own, *result.shown, is_stock=result.is_stock)


def _store_duplicates(ended: Iterable[tuple[Item, Result]]) -> None:
    """Let what is likely to be a dataset twice wait for a person."""
    written, copies = [], []
    for item, result in ended:
        record = {"source_id": item.key[0], "guid": item.key[1]}
        if isinstance(result, Written) and (result.is_new or result.changed):
            written.append({**record, "package_id": str(result.package_id)})
        elif isinstance(result.error, GuidElsewhere) and result.error.dataset_id:
            copies.append({**record, "other_id": result.error.dataset_id})
    likely_duplicates.store_duplicates(written, copies)


def _find_parts(ended: Sequence[tuple[Item, Result]], *, is_saved: bool) -> set[str]:
    """Return the ids of other datasets whose index fields say that they are part of these."""
    wholes = [
        result.package_id
        for _item, result in ended
        if (is_saved and isinstance(result, Deleted))
        or (isinstance(result, Written) and _has_other_parts(result, is_saved=is_saved))
    ]
    related = dataset_rows.find_related(filter(None, wholes), dataset_rows.PARTS)
    return {id_ for parts in related.values() for id_ in parts}


def _has_other_parts(result: Written, *, is_saved: bool) -> bool:
    """Tell whether others are parts of a dataset than before, or were until it was saved."""
    return (is_saved and result.is_new) or any(
        may_name_parts(change.field) for change in result.changed
    )


def _has_new_content(item: Item, result: Result, row: Record) -> bool:
    """Tell whether a record's content, of its harvest object, is another version of it."""
    is_read = item.object_id and item.raw.content and isinstance(result, Left)
    return bool(is_read and row.fingerprint != item.stamp.fingerprint)


def _may_have_another_object(result: Result) -> bool:
    """Tell whether the dataset may have another current object until now."""
    if isinstance(result, Written):
        return not result.is_new
    return isinstance(result, Deleted) or bool(result.is_current)


def save_contents(items: Iterable[Item]) -> None:
    """Save contents that were fetched, with their dates and ETags; three statements; no commit."""
    fetched = [item for item in items if item.is_fetched]
    if not fetched:
        return
    rows = [{"id": item.object_id, "content": item.raw.content} for item in fetched]
    Session.execute(_SAVE_CONTENTS, {"rows": rows})
    extra = HarvestObjectExtra
    own = extra.harvest_object_id.in_([item.object_id for item in fetched])
    execute(sa.delete(extra).where(own, extra.key.in_((MODIFIED, ETAG))))
    stamps = [
        {"id": str(uuid.uuid4()), "harvest_object_id": item.object_id, "key": key, "value": value}
        for item in fetched
        for key, value in ((MODIFIED, item.raw.modified), (ETAG, item.raw.etag))
        if value
    ]
    if stamps:
        Session.execute(sa.insert(extra.__table__), stamps)
    for item in fetched:
        item.is_fetched = False


def _save_errors(ended: Iterable[tuple[Item, Result]]) -> None:
    failed = [(item, result.stage, result.error) for item, result in ended if result.error]
    if not failed:
        return
    error = HarvestObjectError
    ids = [item.object_id for item, _stage, _error in failed]
    stored = sa.select(error.harvest_object_id, error.message)
    query = stored.where(error.harvest_object_id.in_(ids))
    # A message can be delivered twice, to two consumers.
    there = {tuple(row) for row in Session.execute(query)}
    rows = [
        {
            "id": str(uuid.uuid4()),
            "harvest_object_id": item.object_id,
            "message": error.message,
            "stage": stage,
            "line": error.line,
            "created": utcnow(),
        }
        for item, stage, error in failed
        if (item.object_id, error.message) not in there
    ]
    if rows:
        Session.execute(sa.insert(HarvestObjectError.__table__), rows)


def _end_objects(ended: Iterable[tuple[Item, Result]]) -> None:
    """Write how the objects ended, as ckanext-harvest's queue does, and delete the claims."""
    rows = [
        {
            "id": item.object_id,
            "status": (status := result.status_of(item)),
            "state": "ERROR" if status in (RecordOutcome.ERRORED, STOPPED) else "COMPLETE",
            "package_id": result.package_id,
            "current": result.is_current,
        }
        for item, result in ended
    ]
    Session.execute(_END_OBJECTS, {"rows": rows, "now": utcnow()})


def _save_outcomes(ended: Iterable[tuple[Item, Result]]) -> set[str]:
    """Store what the run did with the records; return ids of runs that have ended before."""
    rows = [
        {
            "run_id": item.run_id,
            "record_id": item.row.id if item.row else None,
            "object_id": item.object_id,
            "guid": item.key[1],
            "state": result.state_of(item),
            "is_same": result.is_same,
            "code": result.error.code if result.error else "",
            "message": result.error.message if result.error else None,
            "wording": wording_of(result.error.message) if result.error else None,
            "line": result.error.line if result.error else None,
        }
        for item, result in ended
        if item.run_id is not None and not isinstance(result, Stopped)
    ]
    if not rows:
        return set()
    closed = Session.execute(_SAVE_OUTCOMES, {"rows": rows, "now": utcnow()})
    return {job_id for (job_id,) in closed if job_id}


_ROWS = sa.bindparam("rows", type_=JSONB)
_SAVE_CONTENTS = sa.text(
    """
    UPDATE harvest_object AS object SET content = given.content
      FROM jsonb_to_recordset(:rows) AS given (id text, content text)
     WHERE object.id = given.id
    """
).bindparams(_ROWS)
# One that is given back meanwhile (WAITING) is ended too: it is done.
_END_OBJECTS = sa.text(
    """
      WITH given AS (
           SELECT * FROM jsonb_to_recordset(:rows)
               AS given (id text, status text, state text, package_id text, current boolean)),
           released AS (
           DELETE FROM ukharvest_claim WHERE harvest_object_id IN (SELECT id FROM given))
    UPDATE harvest_object AS object
       SET report_status = given.status,
           package_id = COALESCE(given.package_id, object.package_id),
           current = COALESCE(given.current, object.current),
           state = given.state, fetch_finished = :now,
           import_started = COALESCE(object.import_started, :now), import_finished = :now
      FROM given
     WHERE object.id = given.id
    """
).bindparams(_ROWS)
_SAVE_OUTCOMES = sa.text(
    f"""
    INSERT INTO ukharvest_outcome AS row
           (run_id, record_id, object_id, guid, state, is_same, code, message, wording, line,
            created)
    SELECT run_id, record_id, object_id, guid, state, is_same, code, message, wording, line, :now
      FROM jsonb_to_recordset(:rows)
        AS given (run_id bigint, record_id bigint, object_id text, guid text, state text,
                  is_same boolean, code text, message text, wording jsonb, line integer)
        ON CONFLICT (object_id) DO UPDATE
       SET record_id = excluded.record_id, state = excluded.state, is_same = excluded.is_same,
           code = excluded.code, message = excluded.message, wording = excluded.wording,
           line = excluded.line, more = NULL, created = excluded.created
    {outcomes.CLOSED}
    """  # noqa: S608 - a text of our own
).bindparams(_ROWS)
