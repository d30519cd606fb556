"""Records of a run, or of a source as it is now, with outcomes, in pages.

Of a run: records that it imported, deleted, failed to import or did not reach. Unchanged and
missing records are known of the last run only: nothing but their row refers to it. Outcomes are
keys of ``presentation.messages.status_labels.RECORDS``.
"""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model.problem_groups import (
    CODE,
    DATASET,
    ERRORS,
    HIDDEN,
    IS_ASKED,
    LAST_READ,
    SHOWN,
    TITLE,
    Scope,
    found_in,
)

Session = model.Session

# The worst first; also the order of the rows.
OUTCOMES = (
    "lost",
    "held",
    "missing",
    "deleted",
    "added",
    "updated",
    "waiting",
    "skipped",
    "kept",
    "unchanged",
)
PROBLEMS = "problems"  # a filter beside the outcomes: records imported with problems

# Outcome by the record's row, if the run has no object of it.
_ROW_OUTCOME = """
    CASE WHEN record.outcome = 'errored' THEN 'lost'
         WHEN record.outcome = 'skipped' THEN 'skipped'
         WHEN record.removed OR record.outcome = 'deleted' THEN 'deleted'
         WHEN record.missed_runs > 0 AND record.outcome = 'kept' THEN 'kept'
         WHEN record.missed_runs > 0 AND held.guid IS NOT NULL THEN 'held'
         WHEN record.missed_runs > 0 THEN 'missing'
         WHEN record.outcome IN ('added', 'updated') THEN {settled}
         ELSE 'unchanged' END
"""
_HELD = """
      LEFT JOIN (SELECT guid.value AS guid
                   FROM ukharvest_source AS state,
                        jsonb_array_elements_text(
                            COALESCE(NULLIF(state.held, 'null') -> 'guids', '[]')) AS guid
                  WHERE state.source_id = :source_id) AS held ON held.guid = record.guid
"""
# Joined: for subqueries by row PostgreSQL expects such costs that it compiles the statement first,
# which takes ten times as long as running it.
_FAULTY_IN_RUN = "SELECT DISTINCT record_id FROM ukharvest_problem WHERE job_id = :job_id"
_FAULTY_IN_SOURCE = """
    SELECT DISTINCT problem.record_id
      FROM ukharvest_problem AS problem
      JOIN ukharvest_record AS record ON record.id = problem.record_id
     WHERE record.source_id = :source_id AND problem.current
"""
_ERRING = """
    SELECT DISTINCT error.harvest_object_id AS object_id
      FROM harvest_object AS object
      JOIN harvest_object_error AS error ON error.harvest_object_id = object.id
     WHERE object.harvest_job_id = :job_id AND object.report_status IN ('added', 'updated')
"""
_OBJECT = """
    {who} AS who, record.id AS record_id, object.id AS object_id,
    COALESCE(object.guid, record.guid) AS guid, COALESCE({title}, '') AS title,
    CASE WHEN object.id IS NULL THEN {row_outcome}
         WHEN object.report_status = 'not modified' AND record.outcome = 'skipped' THEN 'skipped'
         ELSE CASE object.report_status WHEN 'errored' THEN 'lost'
                                        WHEN 'added' THEN 'added'
                                        WHEN 'updated' THEN 'updated'
                                        WHEN 'deleted' THEN 'deleted'
                                        WHEN 'not modified' THEN 'unchanged'
                                        ELSE 'waiting' END
         END AS outcome,
    {has_problems} AS has_problems,
    COALESCE(record.package_id, object.package_id) AS package_id
"""
# Failed while it was read: it may share its identifier with an imported record.
_EARLY = _OBJECT.format(
    who="object.id", title="named.value, record.title", row_outcome="''", has_problems="false"
)
_LOST_EARLY = f"""
    SELECT {_EARLY}
      FROM harvest_object_extra AS code
      JOIN harvest_object AS object ON object.id = code.harvest_object_id
      LEFT JOIN harvest_object_extra AS named
             ON named.harvest_object_id = object.id AND named.key = 'record_title'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
            AND code.value <> 'duplicate-guid'
     WHERE code.key = 'error_code' AND object.harvest_job_id = {{job}}
"""
_ROW = "COALESCE(record.id::text, object.id)"
_HAS_PROBLEMS = """
    (object.report_status IN ('added', 'updated')
     AND (faulty.record_id IS NOT NULL OR erring.object_id IS NOT NULL))
"""
# The run's objects and all rows of its source: a row without an object was seen and left unchanged,
# whatever happened since, or, in the last complete run, not seen.
_LEFT = f"""
    CASE WHEN record.last_seen_job_id = :job_id AND record.outcome <> 'skipped' THEN 'unchanged'
         ELSE {_ROW_OUTCOME.format(settled="'unchanged'")} END
"""
_RUN = _OBJECT.format(who=_ROW, title="record.title", row_outcome=_LEFT, has_problems=_HAS_PROBLEMS)
_OF_RUN = f"""
    SELECT {_RUN}
      FROM (SELECT object.* FROM harvest_object AS object
              LEFT JOIN harvest_object_extra AS code
                     ON code.harvest_object_id = object.id AND code.key = 'error_code'
             WHERE object.harvest_job_id = :job_id AND code.value IS NULL) AS object
      FULL JOIN (SELECT * FROM ukharvest_record WHERE source_id = :source_id) AS record
             ON record.guid = object.guid
      LEFT JOIN faulty ON faulty.record_id = record.id
      LEFT JOIN erring ON erring.object_id = object.id
    {_HELD}
     WHERE object.id IS NOT NULL OR record.last_seen_job_id = :job_id
        OR (record.missed_runs > 0 AND record.id IN (SELECT id FROM gone))
     UNION ALL
    {_LOST_EARLY.format(job=":job_id")}
"""
_GONE = """
    SELECT record.id
      FROM ukharvest_record AS record
      JOIN package ON package.id = record.package_id AND package.state = 'active'
     WHERE record.source_id = :source_id AND record.missed_runs > 0 AND record.outcome <> 'kept'
       AND :job_id = (SELECT report.job_id FROM ukharvest_job AS report
                       WHERE report.source_id = :source_id AND report.complete
                       ORDER BY report.started DESC LIMIT 1)
"""
_OF_SOURCE = f"""
    SELECT record.id::text AS who, record.id AS record_id, NULL AS object_id, record.guid,
           record.title, {_ROW_OUTCOME.format(settled="record.outcome")} AS outcome,
           record.outcome IN ('added', 'updated') AND record.missed_runs = 0
               AND faulty.record_id IS NOT NULL AS has_problems,
           record.package_id
      FROM ukharvest_record AS record
      LEFT JOIN faulty ON faulty.record_id = record.id
    {_HELD}
     WHERE record.source_id = :source_id
     UNION ALL
    {_LOST_EARLY.format(job=LAST_READ)}
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records.

    Attributes:
        count: how many match in all.
        listed: outcome → number of records without the filter; "problems" included.
        rows: ``record_id`` (None: it has no page), ``guid``, ``title``, ``outcome``,
            ``dataset_name``, and input of ``problems_of``.
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
    listed = _OF_RUN if scope.job_id else _OF_SOURCE
    query = sa.text(
        _PAGE.format(
            listed=listed,
            found=found_in(scope),
            faulty=_FAULTY_IN_RUN if scope.job_id else _FAULTY_IN_SOURCE,
            erring=_ERRING,
            gone=_GONE,
            where=where,
            kept="MATERIALIZED" if where else "NOT MATERIALIZED",
        )
    )
    values = {**scope._asdict(), **asked, "outcomes": list(OUTCOMES)}
    row = Session.execute(query, {**values, "limit": limit, "offset": offset}).one()
    numbers = {key: number for key, number in (row.numbers or {}).items() if number}
    return Page(int(row.count), numbers, row.rows or [])


def problems_of(scope: Scope, rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return ``who`` → the problems of these records; one statement.

    Returns:
        Dicts with ``kind`` ("lost" or "problem"), ``code``, ``message``, ``field``, ``line``.
    """
    # A record that failed while it was read may share its identifier with another's row.
    by_record = {row["record_id"]: row for row in rows if row["who"] == str(row["record_id"])}
    values = {
        "job_id": scope.job_id,
        "imported": [key for key, row in by_record.items() if row["object_id"]],
        "others": [key for key, row in by_record.items() if not row["object_id"]],
        "objects": [row["object_id"] for row in rows if row["object_id"]],
    }
    found: dict[str, list[dict[str, Any]]] = {row["who"]: [] for row in rows}
    by_object = {row["object_id"]: row for row in rows}
    for each in Session.execute(_PROBLEMS, values).mappings():
        row = by_object[each["object_id"]] if each["object_id"] else by_record[each["record_id"]]
        kind = "lost" if row["outcome"] == "lost" else "problem"
        found[row["who"]].append({**each, "kind": kind})
    return found


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
_PAGE = f"""
    WITH found AS ({{found}}), faulty AS ({{faulty}}), erring AS ({{erring}}), gone AS ({{gone}}),
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
        SELECT who, record_id, object_id, guid, {TITLE} AS title, outcome, place,
               {DATASET} AS dataset_name
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
_PROBLEMS = sa.text(
    f"""
    SELECT problem.record_id, NULL AS object_id, problem.code, problem.message, problem.field,
           problem.line
      FROM ukharvest_problem AS problem
     WHERE problem.record_id = ANY (CAST(:imported AS bigint[])) AND problem.job_id = :job_id
        OR problem.record_id = ANY (CAST(:others AS bigint[])) AND problem.current
     UNION ALL
    SELECT NULL, object.id, {CODE}, error.message, '', error.line
    {ERRORS}
     WHERE object.id = ANY (CAST(:objects AS text[]))
     UNION ALL
    SELECT record.id, NULL, record.error ->> 'code', record.error ->> 'message', '',
           (record.error ->> 'line')::integer
      FROM ukharvest_record AS record
     WHERE record.id = ANY (CAST(:others AS bigint[])) AND record.outcome = 'errored'
       AND record.error IS NOT NULL
    """
)
