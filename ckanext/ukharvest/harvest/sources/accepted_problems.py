"""Kinds of problems of a source that an administrator accepted for a time.

A kind is a code and a field, without numbers of entries. Each of its rows in ``ukharvest_problem``
has the last day of the acceptance, so that a page needs no further query to leave it out, and
nothing has to be done when that day is over. What other records get later is listed, unless it was
accepted for them too.
"""

# ruff: noqa: S608 - the statements are put together of constants of this module alone
from __future__ import annotations

import datetime as dt
from collections.abc import Collection

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.harvest.model import Decision, RecordProblem, utcnow
from ckanext.ukharvest.harvest.sources import decision_log

Session = model.Session

# A field's name, the same for each entry of a list: "distribution.mediaType".
FIELD = "regexp_replace({field}, '[[][0-9]+[]]', '', 'g')"
TODAY = "(timezone('utc', now()))::date"
# The last day of a row's acceptance, NULL if it is none or over.
ACCEPTED_UNTIL = f"CASE WHEN problem.accepted_until >= {TODAY} THEN problem.accepted_until END"
TO_FIX = f"(problem.accepted_until IS NULL OR problem.accepted_until < {TODAY})"

# The last decision about each kind of a source, if that is to accept it.
_IN_EFFECT = f"""
    SELECT *
      FROM (SELECT DISTINCT ON (source_id, code, field) *
              FROM ukharvest_decision
             WHERE code <> '' AND {{which}}
             ORDER BY source_id, code, field, id DESC) AS last
     WHERE last.kind = '{DecisionKind.PROBLEM_ACCEPTED}' AND last.until >= {TODAY}
"""
# Rows of a kind, joined to ``kind`` (source_id, code, field).
_ROWS = f"""
    ukharvest_record AS record ON record.source_id = kind.source_id
      JOIN ukharvest_problem AS problem ON problem.record_id = record.id
           AND problem.code = kind.code AND {FIELD.format(field="problem.field")} = kind.field
           AND problem.current AND NOT problem.lost
"""
_MARK = sa.text(
    f"""
    UPDATE ukharvest_problem AS marked SET accepted_until = kind.until
      FROM ({
        _IN_EFFECT.format(
            which="source_id IN (SELECT source_id FROM ukharvest_record WHERE id = ANY (:ids))"
        )
    }) AS kind JOIN {_ROWS}
     WHERE marked.id = problem.id AND record.id = ANY (:ids)
       AND (kind.record_ids IS NULL OR record.id = ANY (kind.record_ids))
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.BigInteger)))
_SET = sa.text(
    f"""
    UPDATE ukharvest_problem AS marked SET accepted_until = :until
      FROM (SELECT CAST(:source_id AS text) AS source_id, CAST(:code AS text) AS code,
                   CAST(:field AS text) AS field) AS kind JOIN {_ROWS}
     WHERE marked.id = problem.id
    RETURNING marked.record_id, marked.job_id
    """
).bindparams(sa.bindparam("until", type_=sa.Date))


def is_to_fix() -> sa.ColumnElement[bool]:
    """Return the condition on ``RecordProblem`` that the problem is not accepted."""
    until = RecordProblem.accepted_until
    return sa.or_(until.is_(None), until < utcnow().date())


def decide_kind(  # noqa: PLR0913
    source_id: str,
    user: str,
    code: str,
    field: str,
    *,
    reason: str = "",
    until: dt.date | None,
    new_records: bool = False,
) -> tuple[int, set[str]]:
    """Accept a kind of problem, or list it again; the caller commits.

    Args:
        until: the last day of the acceptance; None: list it again.
        new_records: accept it also for records that get it later.

    Returns:
        The number of records with it, and the ids of their runs, whose figures change. 0: nothing
        was stored.
    """
    about = {"source_id": source_id, "code": code, "field": field}
    rows = Session.execute(_SET, {**about, "until": until}).all()
    ids = sorted({record_id for record_id, _job_id in rows})
    if ids:
        kind = DecisionKind.PROBLEM_ACCEPTED if until else DecisionKind.PROBLEM_LISTED_AGAIN
        values = {"code": code, "field": field, "number": len(ids), "reason": reason}
        accepted = {"until": until, "record_ids": None if new_records else ids} if until else {}
        decision_log.add_decision(source_id, user, kind, **values, **accepted)
    return len(ids), {job_id for _record_id, job_id in rows if job_id}


def mark_accepted(record_ids: Collection[int]) -> None:
    """Mark the current problems of records whose kinds are accepted; one statement, no commit."""
    if record_ids:
        Session.execute(_MARK, {"ids": list(record_ids)})


def accepted_kinds(source_id: str) -> dict[tuple[str, str], Decision]:
    """Return the decisions by which kinds of a source are accepted now, by code and field."""
    query = sa.select(Decision).filter_by(source_id=source_id).where(Decision.code != "")
    last = query.distinct(Decision.code, Decision.field).order_by(
        Decision.code, Decision.field, Decision.id.desc()
    )
    return {(row.code, row.field): row for row in Session.scalars(last) if row.until}
