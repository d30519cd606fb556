"""Problems of a run, or of a source as it is now, by kind, with the records of each.

Of a run: the errors of failed records, and the problems of records that it imported. Of a source:
the same of its current records, without missing ones, and the errors of its last read.

Kinds: "stop" why a run failed, "lost" of records that were not imported, "problem" of records that
were.
"""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model.outcomes import OF_RUN

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
# A field's name, the same for each entry of a list: "distribution.mediaType".
FIELD = "regexp_replace({field}, '[[][0-9]+[]]', '', 'g')"
# A record that failed while it was read may have no row, or share its identifier with another.
WHO = """
    CASE WHEN result.is_unread THEN result.object_id
         ELSE COALESCE(result.record_id::text, result.object_id) END
"""
_ERRORS = f"""
    SELECT CASE WHEN result.state = 'lost' THEN 'lost' ELSE 'problem' END AS kind,
           result.code, error.message, '' AS field, error.line, {WHO} AS who,
           result.record_id, COALESCE(record.package_id, result.package_id) AS package_id,
           result.guid, COALESCE(NULLIF(result.title, ''), record.title) AS title
      FROM {{results}}
      LEFT JOIN ukharvest_record AS record ON record.id = result.record_id
     CROSS JOIN LATERAL (
           SELECT result.message, result.line
            UNION ALL
           SELECT message, line
             FROM jsonb_to_recordset(result.more) AS further (message text, line integer)) AS error
     WHERE result.message IS NOT NULL
"""
_ROWS = """
           record.id::text AS who, record.id AS record_id, record.package_id, record.guid,
           record.title
      FROM ukharvest_record AS record
"""
_PROBLEMS = f"""
    SELECT CASE WHEN problem.lost THEN 'lost' ELSE 'problem' END AS kind,
           problem.code, problem.message, problem.field, problem.line,
           {_ROWS}
      JOIN ukharvest_problem AS problem ON problem.record_id = record.id
"""

_OF_RUN = f"""
    {_ERRORS.format(results=OF_RUN)}
     UNION ALL
    {_PROBLEMS}
     WHERE problem.job_id = :job_id
"""
_OF_SOURCE = f"""
    SELECT 'lost' AS kind, COALESCE(record.error ->> 'code', '') AS code,
           COALESCE(record.error ->> 'message', '') AS message, '' AS field,
           (record.error ->> 'line')::integer AS line,
           {_ROWS}
     WHERE record.source_id = :source_id AND record.state = 'lost'
     UNION ALL
    {_PROBLEMS}
     WHERE record.source_id = :source_id AND problem.current
       AND record.state IN ('added', 'updated', 'lost')
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


def groups(scope: Scope) -> Sequence[Any]:
    """Return the kinds of problems, lost records first, then by number of records.

    Also why the run failed, or the source's last one that was not stopped. Columns:
        kind: "stop", "lost" or "problem".
        code: "" if only the message is known.
        of_field: the field that it is about, without numbers of entries; "" for the whole record.
        records, occurrences: numbers of records with it (0 of a run), and of problems.
        examples: the first few: {"record_id" (None: it has no page), "guid", "title", "message",
            "field", "line"}.
    """
    query = _with(scope, f"{_GROUPS} UNION ALL {_STOP_OF_RUN if scope.job_id else _STOP_OF_SOURCE}")
    values = {**scope._asdict(), "most": MOST_GROUPS, "examples": EXAMPLES}
    return Session.execute(query, values).all()


def problems(
    scope: Scope, *, code: str = "", field: str = "", limit: int, offset: int
) -> list[dict[str, Any]]:
    """Return the problems one by one, lost records first: a page of the CSV file.

    Returns:
        ``kind``, ``code``, ``message``, ``field``, ``line``, ``record_id``, ``guid``, ``title``,
        ``url`` (where the record was read) and ``dataset_name``; None where there is none.
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
    return _OF_RUN if scope.job_id else _OF_SOURCE


def _with(scope: Scope, statement: str) -> sa.TextClause:
    return sa.text(f"WITH found AS ({found_in(scope)}) {statement}")


# Without a code each message is a kind of its own. Texts are grouped by hashes: sorting ten
# thousand texts takes longer than all the rest.
_GROUPS = f"""
    , worded AS MATERIALIZED (
        SELECT found.*, row_number() OVER () AS place, {FIELD.format(field="field")} AS of_field,
               hashtextextended(concat_ws(' ', kind, code, {FIELD.format(field="field")},
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
   (SELECT kind, code, of_field, records, occurrences,
           jsonb_agg(jsonb_build_object(
               'record_id', record_id, 'guid', shown.guid, 'title', {TITLE},
               'message', message, 'field', field, 'line', line)
               ORDER BY lower({TITLE}), shown.guid) AS examples
      FROM shown {SHOWN}
     GROUP BY key, kind, code, of_field, records, occurrences
     ORDER BY kind, records DESC, code, of_field, key
     LIMIT :most)
"""
# Other harvesters can store several errors of a run.
_STOP = """
    SELECT 'stop', COALESCE(report.error ->> 'code', ''), '', 0, count(*),
           jsonb_agg(jsonb_build_object(
               'record_id', NULL, 'guid', '', 'title', '',
               'message', COALESCE(error.message, report.reason), 'field', '', 'line', NULL)
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
           COALESCE(record.url, '') AS url, {DATASET} AS dataset_name
      FROM found AS shown {SHOWN}
      LEFT JOIN ukharvest_record AS record ON record.id = record_id
     WHERE {IS_ASKED}
     ORDER BY kind, code COLLATE "C", who COLLATE "C", line, message COLLATE "C"
     LIMIT :limit OFFSET :offset
"""
