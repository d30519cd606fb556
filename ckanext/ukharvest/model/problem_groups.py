"""Problems of a run, or those that are open in a source: by kind, with the records behind each.

Of a run: what it lost, and the problems of records that it brought in and no later run brought in
again (a record's problems are those of its last import). Open in a source: the same of its records
as they are now, less those that it lists no more, and what its last run lost while it read.

Two kinds: "lost" of records that were not brought in, "problem" of those that were.
"""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

Session = model.Session

EXAMPLES = 5  # records a group
MOST_GROUPS = 200  # the messages of other harvesters can be all different

# What an error of a record is called. Its code is kept where it was lost while it was read; else
# with the record, as long as no later run lost it to something else. Other harvesters have none.
CODE = """
    COALESCE(code.value,
             CASE WHEN record.error ->> 'message' = error.message
                  THEN record.error ->> 'code' END, '')
"""
# Where that is looked for.
ERRORS = """
      FROM harvest_object AS object
      JOIN harvest_object_error AS error ON error.harvest_object_id = object.id
      LEFT JOIN harvest_object_extra AS code
             ON code.harvest_object_id = object.id AND code.key = 'error_code'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
"""
# A record that was lost while it was read may be nobody's, or share its identifier with another.
WHO = "CASE WHEN code.value IS NULL THEN COALESCE(record.id::text, object.id) ELSE object.id END"
# Datasets are looked up for the rows of a page alone: there are so many more of them.
SHOWN = "LEFT JOIN package ON package.id = shown.package_id"
# A source can fill other organisations' datasets, and those can be private.
HIDDEN = """
    COALESCE(package.private AND NOT package.owner_org = ANY (CAST(:reads AS text[])), false)
"""
TITLE = f"""
    CASE WHEN {HIDDEN} THEN '' ELSE COALESCE(NULLIF(shown.title, ''), package.title, '') END
"""
DATASET = f"CASE WHEN package.state = 'active' AND NOT {HIDDEN} THEN package.name END"
LAST_READ = """
    (SELECT job.id
       FROM harvest_job AS job
       LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
      WHERE job.source_id = :source_id AND job.status NOT IN ('New', 'Running')
        AND COALESCE(report.mode, '') <> 'approval'
        AND COALESCE(report.outcome, 'finished') IN ('finished', 'held')
      ORDER BY job.created DESC LIMIT 1)
"""

_OBJECTS = f"""
    SELECT CASE WHEN object.report_status = 'errored' THEN 'lost' ELSE 'problem' END AS kind,
           {CODE} AS code, error.message, '' AS field, error.line, {WHO} AS who,
           record.id AS record_id, COALESCE(record.package_id, object.package_id) AS package_id,
           object.guid, record.title
    {ERRORS}
"""
_ROWS = """
           record.id::text AS who, record.id AS record_id, record.package_id, record.guid,
           record.title
      FROM ukharvest_record AS record
"""
# Rejected: the run that saw the record last found them, and it did not bring it in.
_PROBLEMS = f"""
    SELECT CASE WHEN record.outcome = 'errored' AND record.last_seen_job_id = problem.job_id
                THEN 'lost' ELSE 'problem' END AS kind,
           problem.code, problem.message, problem.field, problem.line,
           {_ROWS}
      JOIN ukharvest_problem AS problem ON problem.record_id = record.id
"""

_OF_RUN = f"""
    {_OBJECTS}
     WHERE object.harvest_job_id = :job_id
     UNION ALL
    {_PROBLEMS}
     WHERE problem.job_id = :job_id
"""
_OF_SOURCE = f"""
    SELECT 'lost' AS kind, COALESCE(record.error ->> 'code', '') AS code,
           COALESCE(record.error ->> 'message', '') AS message, '' AS field,
           (record.error ->> 'line')::integer AS line,
           {_ROWS}
     WHERE record.source_id = :source_id AND record.outcome = 'errored'
       AND record.missed_runs = 0
     UNION ALL
    {_PROBLEMS}
     WHERE record.source_id = :source_id AND record.missed_runs = 0
       AND record.outcome IN ('added', 'updated', 'errored')
     UNION ALL
    {_OBJECTS}
     WHERE object.harvest_job_id = {LAST_READ} AND code.value IS NOT NULL
"""


class Scope(NamedTuple):
    """Whose problems: of a run, or, without ``job_id``, those open in a source.

    Attributes:
        reads: ids of the organisations whose private datasets who asks may read, None for all:
            records of other private ones have neither title nor dataset.
    """

    source_id: str
    job_id: str
    reads: list[str] | None


class Group(NamedTuple):
    """One kind of problem.

    Attributes:
        kind: "lost" or "problem".
        code: "" where nothing but the message is known.
        records, occurrences: how many have it, and how often altogether.
        examples: the first few: {"record_id" (None: it has no page), "guid", "title", "message",
            "field", "line"}.
    """

    kind: str
    code: str
    records: int
    occurrences: int
    examples: list[dict[str, Any]]


def groups(scope: Scope) -> list[Group]:
    """Return the kinds of problems, lost records first, then by number of records."""
    query = _with(scope, _GROUPS)
    rows = Session.execute(query, {**scope._asdict(), "most": MOST_GROUPS, "examples": EXAMPLES})
    return [Group(*row) for row in rows]


def problems(scope: Scope, *, code: str = "", limit: int, offset: int) -> list[dict[str, Any]]:
    """Return the problems one by one, lost records first: a page of the CSV file.

    Returns:
        ``kind``, ``code``, ``message``, ``field``, ``line``, ``record_id``, ``guid``, ``title``,
        ``url`` (where the record was read) and ``dataset_name``; None where there is none.
    """
    values = {**scope._asdict(), "code": code, "limit": limit, "offset": offset}
    return [dict(row) for row in Session.execute(_with(scope, _ALL), values).mappings()]


def count_problems(scope: Scope, *, code: str = "") -> int:
    """Return how many there are of them."""
    query = _with(scope, "SELECT count(*) FROM found WHERE :code IN ('', code)")
    return int(Session.scalar(query, {**scope._asdict(), "code": code}) or 0)


def found_in(scope: Scope) -> str:
    """Return the statement that lists the problems one by one, to stand in a WITH."""
    return _OF_RUN if scope.job_id else _OF_SOURCE


def _with(scope: Scope, statement: str) -> sa.TextClause:
    return sa.text(f"WITH found AS ({found_in(scope)}) {statement}")


# Without a code each message is a kind of its own. Numbers stand for the texts that are sorted by:
# ten thousand of those take longer than all the rest.
_GROUPS = f"""
    , worded AS MATERIALIZED (
        SELECT found.*, row_number() OVER () AS place,
               hashtextextended(concat_ws(' ', kind, code,
                   CASE WHEN code = '' THEN message END), 0) AS key,
               hashtextextended(who, 0) AS owner
          FROM found
    ), one AS (
        SELECT key, min(place) AS place, count(*) AS number FROM worded GROUP BY key, owner
    ), counted AS (
        SELECT (array_agg(place))[1:CAST(:examples AS integer)] AS places,
               count(*) AS records, sum(number)::bigint AS occurrences
          FROM one GROUP BY key
    ), shown AS MATERIALIZED (
        SELECT worded.*, records, occurrences
          FROM counted, unnest(places) AS first JOIN worded ON place = first
    )
    SELECT kind, code, records, occurrences,
           jsonb_agg(jsonb_build_object(
               'record_id', record_id, 'guid', shown.guid, 'title', {TITLE},
               'message', message, 'field', field, 'line', line)
               ORDER BY lower({TITLE}), shown.guid) AS examples
      FROM shown {SHOWN}
     GROUP BY key, kind, code, records, occurrences
     ORDER BY kind, records DESC, code, key
     LIMIT :most
"""
_ALL = f"""
    SELECT kind, code, message, field, line, record_id, shown.guid, {TITLE} AS title,
           COALESCE(record.url, '') AS url, {DATASET} AS dataset_name
      FROM found AS shown {SHOWN}
      LEFT JOIN ukharvest_record AS record ON record.id = record_id
     WHERE :code IN ('', code)
     ORDER BY kind, code COLLATE "C", who COLLATE "C", line, message COLLATE "C"
     LIMIT :limit OFFSET :offset
"""
