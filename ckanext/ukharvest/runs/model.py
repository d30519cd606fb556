"""Records of a run, or of a source as it is now, and their problems."""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.outcomes import CHANGED, WITH_PROBLEMS, RecordState
from ckanext.ukharvest.harvest.records.record_state import JOINS, LAST, NOW, STATE
from ckanext.ukharvest.harvest.run.outcomes import OF_RUN
from ckanext.ukharvest.harvest.sources.accepted_problems import ACCEPTED_UNTIL, FIELD, TO_FIX

Session = model.Session

EXAMPLES = 5  # records a group
MOST_GROUPS = 200  # the messages of other harvesters can be all different

# Joined only for the rows of a page, because there are far more datasets.
SHOWN = "LEFT JOIN package ON package.id = shown.package_id"
# A source can fill other organisations' datasets, and those can be private.
HIDDEN = """
    COALESCE(package.private AND NOT package.owner_org = ANY (CAST(:reads AS text[])), false)
"""
TITLE = f"""
    CASE WHEN {HIDDEN} THEN '' ELSE COALESCE(NULLIF(shown.title, ''), package.title, '') END
"""
DATASET = f"CASE WHEN package.state = 'active' AND NOT {HIDDEN} THEN package.name END"
# The id of the report of a source's last run, without those that ended in these ways.
_LAST = """
    (SELECT report.id
       FROM ukharvest_job AS report JOIN harvest_job AS job ON job.id = report.job_id
      WHERE report.source_id = :source_id AND report.figures IS NOT NULL
        AND report.mode <> 'approval' AND report.outcome NOT IN ({outcomes})
      ORDER BY job.created DESC, job.id LIMIT 1)
"""
LAST_READ = _LAST.format(outcomes="'failed', 'stopped'")

# Of one kind, and of one field. Every value of these statements is bound.
IS_ASKED = """
    :code IN ('', code) AND (:field = '' OR :field = regexp_replace(field, '[[][0-9]+[]]', '', 'g'))
"""
# A record that failed while it was read may have no row, or share its identifier with another.
WHO = """
    CASE WHEN result.is_unread THEN result.object_id
         ELSE COALESCE(result.record_id::text, result.object_id) END
"""
_ERRORS = f"""
    SELECT CASE WHEN result.state = 'lost' THEN 'lost' ELSE 'problem' END AS kind,
           result.code, error.message, error.wording, '' AS field, error.line,
           NULL::date AS accepted_until,
           {WHO} AS who,
           result.record_id, COALESCE(record.package_id, result.package_id) AS package_id,
           result.guid, COALESCE(NULLIF(result.title, ''), record.title) AS title
      FROM {{results}}
      LEFT JOIN ukharvest_record AS record ON record.id = result.record_id
     CROSS JOIN LATERAL (
           SELECT result.message, result.wording, result.line
            UNION ALL
           SELECT message, NULL, line
             FROM jsonb_to_recordset(result.more) AS further (message text, line integer)) AS error
     WHERE result.message IS NOT NULL
"""
_ROWS = """
           record.id::text AS who, record.id AS record_id, record.package_id, record.guid,
           record.title
      FROM ukharvest_record AS record
"""
_GROUPED_PROBLEMS = f"""
    SELECT CASE WHEN problem.lost THEN 'lost' ELSE 'problem' END AS kind,
           problem.code, problem.message, problem.wording, problem.field, problem.line,
           {ACCEPTED_UNTIL} AS accepted_until,
           {_ROWS}
      JOIN ukharvest_problem AS problem ON problem.record_id = record.id
"""

_GROUPS_OF_RUN = f"""
    {_ERRORS.format(results=OF_RUN)}
     UNION ALL
    {_GROUPED_PROBLEMS}
     WHERE problem.job_id = :job_id
"""
_GROUPS_OF_SOURCE = f"""
    SELECT 'lost' AS kind, COALESCE(record.error ->> 'code', '') AS code,
           COALESCE(record.error ->> 'message', '') AS message,
           record.error -> 'wording' AS wording, '' AS field,
           (record.error ->> 'line')::integer AS line, NULL::date AS accepted_until,
           {_ROWS}
      {JOINS}
     WHERE record.source_id = :source_id AND record.outcome = 'errored' AND {STATE} = 'lost'
     UNION ALL
    {_GROUPED_PROBLEMS}
      {JOINS}
     WHERE record.source_id = :source_id AND problem.current
       AND {STATE} IN ('unchanged', 'lost')
     UNION ALL
    {_ERRORS.format(results="ukharvest_outcome AS result")}
       AND result.run_id = {LAST_READ} AND result.is_unread
"""


class Scope(NamedTuple):
    """The problems of a run or, without ``job_id``, of a source as it is now.

    Attributes:
        reads: ids of the organisations whose private datasets the user may read, None for all;
            records of other private datasets have neither title nor dataset.
    """

    source_id: str
    job_id: str
    reads: list[str] | None


def groups(scope: Scope, standard: Collection[str] = ()) -> Sequence[Any]:
    """Return the kinds of problems, lost records first, then by number of records.

    Also why the run failed, or the source's last one that was not stopped. Columns:
        kind: "stop", "lost" or "problem".
        code: "" if only the message is known.
        of_field: the field that it is about, without numbers of entries; "" for the whole record.
        records, occurrences: numbers of records with it (0 of a run), and of problems.
        accepted_until: the last day on which they are accepted; None: they are not. The same kind
            is there twice if other records got it since.
        in_standard: number of records with any of these codes, the same in each row.
        examples: the first few: {"record_id" (None: it has no page), "guid", "title", "message",
            "wording", "field", "line"}.

    Args:
        standard: codes of a standard's rules.
    """
    query = _with(scope, f"{_GROUPS} UNION ALL {_STOP_OF_RUN if scope.job_id else _STOP_OF_SOURCE}")
    values = {**scope._asdict(), "most": MOST_GROUPS, "examples": EXAMPLES}
    values["standard"] = list(standard)
    return Session.execute(query, values).all()


def grouped_problems(
    scope: Scope, *, code: str = "", field: str = "", limit: int, offset: int
) -> list[dict[str, Any]]:
    """Return the problems one by one, lost records first: a page of the CSV file.

    Returns:
        ``kind``, ``code``, ``message``, ``field``, ``line``, ``record_id``, ``guid``, ``title``,
        ``url`` (where the record was read), ``dataset_name`` and ``accepted_until`` (as ISO 8601);
        None where there is none.
    """
    values = {**scope._asdict(), "code": code, "field": field, "limit": limit, "offset": offset}
    return [dict(row) for row in Session.execute(_with(scope, _ALL), values).mappings()]


def titles(scope: Scope, guids: Collection[str]) -> dict[str, str]:
    """Return guid → title of the source's records, without those that the user may not read."""
    if not guids:
        return {}
    rows = Session.execute(sa.text(_TITLES), {**scope._asdict(), "guids": list(guids)})
    return {guid: title for guid, title in rows if title}


def count_problems(scope: Scope, *, code: str = "", field: str = "") -> int:
    """Return the number of problems."""
    query = _with(scope, f"SELECT count(*) FROM found WHERE {IS_ASKED}")
    return int(Session.scalar(query, {**scope._asdict(), "code": code, "field": field}) or 0)


def found_in(scope: Scope) -> str:
    """Return the statement that lists the problems one by one, for a WITH clause."""
    return _GROUPS_OF_RUN if scope.job_id else _GROUPS_OF_SOURCE


def _with(scope: Scope, statement: str) -> sa.TextClause:
    return sa.text(f"WITH found AS ({found_in(scope)}) {statement}")


# Without a code each message is a kind of its own. Texts are grouped by hashes: sorting ten
# thousand texts takes longer than all the rest.
_GROUPS = f"""
    , worded AS MATERIALIZED (
        SELECT found.*, row_number() OVER () AS place, {FIELD.format(field="field")} AS of_field,
               hashtextextended(concat_ws(' ', kind, code, {FIELD.format(field="field")},
                   accepted_until IS NOT NULL,
                   CASE WHEN code = '' THEN message END), 0) AS key,
               hashtextextended(who, 0) AS owner
          FROM found
    ), one AS (
        SELECT key, min(place) AS place, count(*) AS number FROM worded GROUP BY key, owner
    ), counted AS (
        SELECT (array_agg(place))[1:CAST(:examples AS integer)] AS places,
               count(*) AS records, sum(number)::bigint AS occurrences
          FROM one GROUP BY key
    ), standard AS (
        SELECT count(DISTINCT owner) AS records FROM worded
         WHERE kind = 'problem' AND accepted_until IS NULL
           AND code = ANY (CAST(:standard AS text[]))
    ), shown AS MATERIALIZED (
        SELECT worded.*, records, occurrences
          FROM counted, unnest(places) AS first JOIN worded ON place = first
    )
   (SELECT kind, code, of_field, records, occurrences, max(accepted_until) AS accepted_until,
           (SELECT records FROM standard) AS in_standard,
           jsonb_agg(jsonb_build_object(
               'record_id', record_id, 'guid', shown.guid, 'title', {TITLE},
               'message', message, 'wording', wording, 'field', field, 'line', line)
               ORDER BY lower({TITLE}), shown.guid) AS examples
      FROM shown {SHOWN}
     GROUP BY key, kind, code, of_field, records, occurrences
     ORDER BY kind, records DESC, code, of_field, key
     LIMIT :most)
"""
# Other harvesters can store several errors of a run.
_STOP = """
    SELECT 'stop', COALESCE(report.error ->> 'code', ''), '', 0, count(*), NULL, 0,
           jsonb_agg(jsonb_build_object(
               'record_id', NULL, 'guid', '', 'title', '',
               'message', COALESCE(error.message, report.reason),
               'wording', CASE WHEN error.message = report.error ->> 'message'
                               THEN report.error -> 'wording' END, 'field', '', 'line', NULL)
               ORDER BY error.created)
      FROM ukharvest_job AS report
      LEFT JOIN LATERAL (
           SELECT message, created FROM harvest_gather_error
            WHERE harvest_job_id = report.job_id
            ORDER BY created LIMIT CAST(:examples AS integer)) AS error ON true
     WHERE report.outcome = 'failed' AND {which}
     GROUP BY report.id
"""
_STOP_OF_RUN = _STOP.format(which="report.job_id = :job_id")
_STOP_OF_SOURCE = _STOP.format(which="report.id = " + _LAST.format(outcomes="'stopped'"))
_TITLES = f"""
    SELECT shown.guid, {TITLE}
      FROM ukharvest_record AS shown {SHOWN}
     WHERE shown.source_id = :source_id AND shown.guid = ANY (CAST(:guids AS text[]))
"""
_ALL = f"""
    SELECT kind, code, message, field, line, record_id, shown.guid, {TITLE} AS title,
           COALESCE(record.url, '') AS url, {DATASET} AS dataset_name,
           to_char(accepted_until, 'YYYY-MM-DD') AS accepted_until
      FROM found AS shown {SHOWN}
      LEFT JOIN ukharvest_record AS record ON record.id = record_id
     WHERE {IS_ASKED}
     ORDER BY kind, code COLLATE "C", who COLLATE "C", line, message COLLATE "C"
     LIMIT :limit OFFSET :offset
"""


# Joined: for subqueries by row PostgreSQL expects such costs that it compiles the statement first,
# which takes ten times as long as running it.
_FAULTY_IN_RUN = f"""
    SELECT DISTINCT record_id FROM ukharvest_problem AS problem
     WHERE job_id = :job_id AND {TO_FIX}
"""
_FAULTY_IN_SOURCE = f"""
    SELECT DISTINCT problem.record_id
      FROM ukharvest_problem AS problem
      JOIN ukharvest_record AS record ON record.id = problem.record_id
     WHERE record.source_id = :source_id AND problem.current AND {TO_FIX}
"""
# Failed while the source was read: it may share its identifier with an imported record.
_UNREAD = f"""
    SELECT {WHO} AS who, result.record_id, result.guid,
           COALESCE(NULLIF(result.title, ''), record.title, '') AS title, result.state AS outcome,
           false AS has_problems, COALESCE(record.package_id, result.package_id) AS package_id,
           result.object_id, result.code, result.message, result.wording, result.line, result.more
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
           CASE WHEN COALESCE(result.state, 'missing') = 'missing'
                 AND gone.state IS NOT NULL THEN gone.state
                WHEN result.state IS NOT NULL THEN result.state
                WHEN record.outcome = 'skipped' THEN 'skipped' ELSE 'unchanged' END AS outcome,
           COALESCE(result.state IN ('added', 'updated'), false)
               AND (faulty.record_id IS NOT NULL OR result.message IS NOT NULL) AS has_problems,
           COALESCE(record.package_id, result.package_id) AS package_id,
           result.object_id, result.code, result.message, result.wording, result.line, result.more
      FROM (SELECT * FROM {OF_RUN} WHERE NOT is_unread) AS result
      FULL JOIN (SELECT * FROM ukharvest_record WHERE source_id = :source_id) AS record
             ON record.id = result.record_id
      LEFT JOIN faulty ON faulty.record_id = record.id
      LEFT JOIN gone ON gone.id = record.id
     WHERE result.state IS NOT NULL OR record.last_seen_job_id = :job_id
        OR gone.state IN ('missing', 'held')
     UNION ALL
    {_UNREAD.format(results=OF_RUN)}
"""
# What is absent now, if this is the last complete run.
_GONE = f"""
    SELECT record.id, {STATE} AS state
      FROM ukharvest_record AS record {JOINS}
     WHERE record.source_id = :source_id AND record.missed_runs > 0
       AND :job_id = (SELECT report.job_id FROM ukharvest_job AS report
                       WHERE report.source_id = :source_id AND report.complete
                       ORDER BY report.started DESC LIMIT 1)
"""
_OF_SOURCE = f"""
    SELECT record.id::text AS who, record.id AS record_id, record.guid, record.title,
           {NOW} AS outcome,
           {STATE} = 'unchanged' AND faulty.record_id IS NOT NULL AS has_problems,
           record.package_id, NULL AS object_id,
           record.error ->> 'code' AS code,
           CASE WHEN {STATE} = 'lost' THEN record.error ->> 'message' END AS message,
           record.error -> 'wording' AS wording,
           (record.error ->> 'line')::integer AS line, NULL::jsonb AS more
      FROM ukharvest_record AS record
      LEFT JOIN faulty ON faulty.record_id = record.id
    {JOINS}
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
            ``dataset_name``, and ``problems``: dicts with ``code``, ``message``, ``wording``,
            ``field``, ``line``.
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
        outcome: a ``RecordState``, "problems" or "changed"; "" for all.
        code, field: of a problem that they have.
        q: a part of title or identifier.
    """
    asked = {"outcome": outcome, "code": code, "field": field, "q": _pattern(q)}
    conditions = [_CONDITIONS[key] for key in ("code", "q") if asked[key]]
    if outcome:
        conditions.append(_CONDITIONS.get(outcome, _CONDITIONS["outcome"]))
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
    values = {**scope._asdict(), **asked, "outcomes": list(RecordState)}
    row = Session.execute(query, {**values, "limit": limit, "offset": offset}).one()
    numbers = {key: number for key, number in (row.numbers or {}).items() if number}
    rows = [{**record, "problems": _problems(record)} for record in row.rows or ()]
    return Page(int(row.count), numbers, rows)


def _problems(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    errors = [{key: row[key] for key in ("message", "wording", "line")}, *(row["more"] or ())]
    if row["message"] is None:
        errors = []
    first = {"code": row["code"] or "", "field": "", "wording": None}
    return [*(row["problems"] or ()), *({**first, **error} for error in errors)]


def _pattern(words: str) -> str:
    for sign in "\\%_":
        words = words.replace(sign, "\\" + sign)
    return f"%{words}%" if words else ""


_CONDITIONS = {
    "outcome": "outcome = :outcome",
    CHANGED: "outcome NOT IN ('unchanged', 'skipped', 'waiting', 'deleted_here')",
    WITH_PROBLEMS: "has_problems",
    "code": f"who IN (SELECT who FROM found WHERE {IS_ASKED})",
    "q": f"""(guid ILIKE :q OR title ILIKE :q AND NOT EXISTS (
        SELECT FROM package WHERE package.id = listed.package_id AND {HIDDEN}))""",
}
# A record that failed while it was read may share its identifier with another's row. Accepted
# problems are shown only where they are asked for.
_PROBLEMS = f"""
    (SELECT jsonb_agg(jsonb_build_object('code', problem.code, 'message', problem.message,
                                         'wording', problem.wording, 'field', problem.field,
                                         'line', problem.line)
                      ORDER BY problem.id)
       FROM ukharvest_problem AS problem
      WHERE problem.record_id = shown.record_id AND shown.who = shown.record_id::text
        AND ({TO_FIX} OR problem.code = :code)
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
        SELECT record_id, guid, {TITLE} AS title, outcome, place, code, message, wording, line,
               more,
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
