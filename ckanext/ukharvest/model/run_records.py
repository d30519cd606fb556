"""Records of a run, or of a source as it is now, with outcomes, in pages.

Of a run: records that it imported, deleted, failed to import, did not reach, or missed for the
first time. Unchanged records, and those missed again, are known of the last run only: nothing but
their row refers to it.
"""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.outcomes import RecordState
from ckanext.ukharvest.model.outcomes import HELD, LAST, NOW, OF_RUN
from ckanext.ukharvest.model.problem_groups import (
    DATASET,
    HIDDEN,
    IS_ASKED,
    LAST_READ,
    SHOWN,
    TITLE,
    WHO,
    Scope,
    found_in,
)

Session = model.Session

OUTCOMES = tuple(RecordState)  # the worst first; also the order of the rows
PROBLEMS = "problems"  # a filter beside the outcomes: records imported with problems

# Joined: for subqueries by row PostgreSQL expects such costs that it compiles the statement first,
# which takes ten times as long as running it.
_FAULTY_IN_RUN = "SELECT DISTINCT record_id FROM ukharvest_problem WHERE job_id = :job_id"
_FAULTY_IN_SOURCE = """
    SELECT DISTINCT problem.record_id
      FROM ukharvest_problem AS problem
      JOIN ukharvest_record AS record ON record.id = problem.record_id
     WHERE record.source_id = :source_id AND problem.current
"""
# Failed while the source was read: it may share its identifier with an imported record.
_UNREAD = f"""
    SELECT {WHO} AS who, result.record_id, result.guid,
           COALESCE(NULLIF(result.title, ''), record.title, '') AS title, result.state AS outcome,
           false AS has_problems, COALESCE(record.package_id, result.package_id) AS package_id,
           result.object_id, result.code, result.message, result.line, result.more
      FROM {{results}}
      LEFT JOIN ukharvest_record AS record ON record.id = result.record_id
     WHERE result.is_unread
"""
# The run's rows; without a row are records that it saw and left unchanged, whatever happened since,
# or skipped again, and those that the last complete run has missed again.
_OF_RUN = f"""
    SELECT COALESCE(record.id::text, result.object_id) AS who, record.id AS record_id,
           COALESCE(result.guid, record.guid) AS guid,
           COALESCE(record.title, NULLIF(result.title, ''), '') AS title,
           CASE WHEN gone.id IS NOT NULL AND COALESCE(result.state, 'missing') = 'missing'
                THEN CASE WHEN held.guid IS NULL THEN 'missing' ELSE 'held' END
                WHEN result.state IS NOT NULL THEN result.state
                WHEN record.outcome = 'skipped' THEN 'skipped' ELSE 'unchanged' END AS outcome,
           COALESCE(result.state IN ('added', 'updated'), false)
               AND (faulty.record_id IS NOT NULL OR result.message IS NOT NULL) AS has_problems,
           COALESCE(record.package_id, result.package_id) AS package_id,
           result.object_id, result.code, result.message, result.line, result.more
      FROM (SELECT * FROM {OF_RUN} WHERE NOT is_unread) AS result
      FULL JOIN (SELECT * FROM ukharvest_record WHERE source_id = :source_id) AS record
             ON record.id = result.record_id
      LEFT JOIN faulty ON faulty.record_id = record.id
      LEFT JOIN gone ON gone.id = record.id
    {HELD}
     WHERE result.state IS NOT NULL OR record.last_seen_job_id = :job_id OR gone.id IS NOT NULL
     UNION ALL
    {_UNREAD.format(results=OF_RUN)}
"""
_GONE = """
    SELECT record.id
      FROM ukharvest_record AS record
      JOIN package ON package.id = record.package_id AND package.state = 'active'
     WHERE record.source_id = :source_id AND record.state = 'missing'
       AND :job_id = (SELECT report.job_id FROM ukharvest_job AS report
                       WHERE report.source_id = :source_id AND report.complete
                       ORDER BY report.started DESC LIMIT 1)
"""
_OF_SOURCE = f"""
    SELECT record.id::text AS who, record.id AS record_id, record.guid, record.title,
           {NOW} AS outcome,
           record.state IN ('added', 'updated') AND faulty.record_id IS NOT NULL AS has_problems,
           record.package_id, NULL AS object_id,
           record.error ->> 'code' AS code,
           CASE WHEN record.state = 'lost' THEN record.error ->> 'message' END AS message,
           (record.error ->> 'line')::integer AS line, NULL::jsonb AS more
      FROM ukharvest_record AS record
      LEFT JOIN faulty ON faulty.record_id = record.id
    {HELD}
    {LAST}
     WHERE record.source_id = :source_id
     UNION ALL
    {_UNREAD.format(results="ukharvest_outcome AS result")} AND result.run_id = {LAST_READ}
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records.

    Attributes:
        count: how many match in all.
        listed: outcome → number of records without the filter; "problems" included.
        rows: ``record_id`` (None: it has no page), ``guid``, ``title``, ``outcome``,
            ``dataset_name``, and ``problems``: dicts with ``code``, ``message``, ``field``,
            ``line``.
    """

    count: int
    listed: dict[str, int]
    rows: list[dict[str, Any]]


def records(
    scope: Scope,
    *,
    outcome: str = "",
    code: str = "",
    field: str = "",
    q: str = "",
    limit: int,
    offset: int,
) -> Page:
    """Return the records that match, the worst first, then by title; one statement.

    Args:
        outcome: one of ``OUTCOMES``, or "problems"; "" for all.
        code, field: of a problem that they have.
        q: a part of title or identifier.
    """
    asked = {"outcome": outcome, "code": code, "field": field, "q": _pattern(q)}
    conditions = [_CONDITIONS[key] for key in ("code", "q") if asked[key]]
    if outcome:
        conditions.append(_CONDITIONS[PROBLEMS if outcome == PROBLEMS else "outcome"])
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    query = sa.text(
        _PAGE.format(
            listed=_OF_RUN if scope.job_id else _OF_SOURCE,
            found=found_in(scope),
            faulty=_FAULTY_IN_RUN if scope.job_id else _FAULTY_IN_SOURCE,
            gone=_GONE,
            where=where,
            kept="MATERIALIZED" if where else "NOT MATERIALIZED",
        )
    )
    values = {**scope._asdict(), **asked, "outcomes": list(OUTCOMES)}
    row = Session.execute(query, {**values, "limit": limit, "offset": offset}).one()
    numbers = {key: number for key, number in (row.numbers or {}).items() if number}
    rows = [{**record, "problems": _problems(record)} for record in row.rows or ()]
    return Page(int(row.count), numbers, rows)


def _problems(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    errors = [{"message": row["message"], "line": row["line"]}, *(row["more"] or ())]
    if row["message"] is None:
        errors = []
    first = {"code": row["code"] or "", "field": ""}
    return [*(row["problems"] or ()), *({**first, **error} for error in errors)]


def _pattern(words: str) -> str:
    for sign in "\\%_":
        words = words.replace(sign, "\\" + sign)
    return f"%{words}%" if words else ""


_CONDITIONS = {
    "outcome": "outcome = :outcome",
    PROBLEMS: "has_problems",
    "code": f"who IN (SELECT who FROM found WHERE {IS_ASKED})",
    "q": f"""(guid ILIKE :q OR title ILIKE :q AND NOT EXISTS (
        SELECT FROM package WHERE package.id = listed.package_id AND {HIDDEN}))""",
}
# A record that failed while it was read may share its identifier with another's row.
_PROBLEMS = """
    (SELECT jsonb_agg(jsonb_build_object('code', problem.code, 'message', problem.message,
                                         'field', problem.field, 'line', problem.line)
                      ORDER BY problem.id)
       FROM ukharvest_problem AS problem
      WHERE problem.record_id = shown.record_id AND shown.who = shown.record_id::text
        AND CASE WHEN shown.object_id IS NULL THEN problem.current
                 ELSE problem.job_id = :job_id END)
"""
_PAGE = f"""
    WITH found AS ({{found}}), faulty AS ({{faulty}}), gone AS ({{gone}}),
    listed AS MATERIALIZED ({{listed}}),
    matching AS {{kept}} (SELECT * FROM listed {{where}}),
    page AS (
        SELECT * FROM matching
         ORDER BY array_position(CAST(:outcomes AS text[]), outcome),
                  lower(title) COLLATE "C", guid COLLATE "C", who COLLATE "C"
         LIMIT :limit OFFSET :offset
    ), placed AS (
        SELECT page.*, row_number() OVER () AS place FROM page
    ), rows AS (
        SELECT record_id, guid, {TITLE} AS title, outcome, place, code, message, line, more,
               {DATASET} AS dataset_name, {_PROBLEMS} AS problems
          FROM placed AS shown {SHOWN}
    ), numbers AS (
        SELECT outcome, count(*) AS number FROM listed GROUP BY outcome
         UNION ALL
        SELECT 'problems', count(*) FROM listed WHERE has_problems
    )
    SELECT (SELECT count(*) FROM matching) AS count,
           (SELECT jsonb_object_agg(outcome, number) FROM numbers) AS numbers,
           (SELECT jsonb_agg(to_jsonb(rows) ORDER BY place) FROM rows) AS rows
"""
