"""Problems of a run, or of a source as it is now, by kind, with the records of each.

Of a run: the errors of failed records, and the problems of records that it imported. Of a source:
the same of its current records, without missing ones, and the errors of its last read.

Two kinds: "lost" of records that were not imported, "problem" of records that were.
"""

# ruff: noqa: S608 - the statements are put together of constants of these two modules alone

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

Session = model.Session

EXAMPLES = 5  # records a group
MOST_GROUPS = 200  # the messages of other harvesters can be all different

# Code of a record's error, stored with the harvest object; errors of other harvesters have none.
CODE = "COALESCE(code.value, '')"
# A record with the identifier of another has no row of its own.
ERRORS = """
      FROM harvest_object AS object
      JOIN harvest_object_error AS error ON error.harvest_object_id = object.id
      LEFT JOIN harvest_object_extra AS code
             ON code.harvest_object_id = object.id
            AND code.key IN ('error_code', 'import_error_code')
      LEFT JOIN harvest_object_extra AS named
             ON named.harvest_object_id = object.id AND named.key = 'record_title'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
            AND code.value IS DISTINCT FROM 'duplicate-guid'
"""
# A record that failed while it was read may have no row, or share its identifier with another.
WHO = """
    CASE WHEN code.key = 'error_code' THEN object.id ELSE COALESCE(record.id::text, object.id) END
"""
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
LAST_READ = """
    (SELECT job.id
       FROM harvest_job AS job
       LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
      WHERE job.source_id = :source_id AND job.status NOT IN ('New', 'Running')
        AND COALESCE(report.mode, '') <> 'approval'
        AND COALESCE(report.outcome, 'finished') IN ('finished', 'held')
      ORDER BY job.created DESC LIMIT 1)
"""

# Of one kind, and of one field. Every value of these statements is bound.
IS_ASKED = """
    :code IN ('', code) AND (:field = '' OR :field = regexp_replace(field, '[[][0-9]+[]]', '', 'g'))
"""
# A field's name, the same for each entry of a list: "distribution.mediaType".
FIELD = "regexp_replace({field}, '[[][0-9]+[]]', '', 'g')"
_OBJECTS = f"""
    SELECT CASE WHEN object.report_status = 'errored' THEN 'lost' ELSE 'problem' END AS kind,
           {CODE} AS code, error.message, '' AS field, error.line, {WHO} AS who,
           record.id AS record_id, COALESCE(record.package_id, object.package_id) AS package_id,
           object.guid, COALESCE(named.value, record.title) AS title
    {ERRORS}
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
     WHERE record.source_id = :source_id AND record.missed_runs = 0 AND problem.current
       AND record.outcome IN ('added', 'updated', 'errored')
     UNION ALL
    {_OBJECTS}
     WHERE object.harvest_job_id = {LAST_READ} AND code.key = 'error_code'
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


class Group(NamedTuple):
    """One kind of problem.

    Attributes:
        kind: "lost" or "problem".
        code: "" if only the message is known.
        field: the field that it is about, without numbers of entries; "" for the whole record.
        records, occurrences: numbers of records with it, and of problems.
        examples: the first few: {"record_id" (None: it has no page), "guid", "title", "message",
            "field", "line"}.
    """

    kind: str
    code: str
    field: str
    records: int
    occurrences: int
    examples: list[dict[str, Any]]


def groups(scope: Scope) -> list[Group]:
    """Return the kinds of problems, lost records first, then by number of records."""
    query = _with(scope, _GROUPS)
    rows = Session.execute(query, {**scope._asdict(), "most": MOST_GROUPS, "examples": EXAMPLES})
    return [Group(*row) for row in rows]


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
    SELECT kind, code, of_field, records, occurrences,
           jsonb_agg(jsonb_build_object(
               'record_id', record_id, 'guid', shown.guid, 'title', {TITLE},
               'message', message, 'field', field, 'line', line)
               ORDER BY lower({TITLE}), shown.guid) AS examples
      FROM shown {SHOWN}
     GROUP BY key, kind, code, of_field, records, occurrences
     ORDER BY kind, records DESC, code, of_field, key
     LIMIT :most
"""
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
