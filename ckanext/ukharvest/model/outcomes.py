"""What runs did with records: store a row for each harvest object that ends (decision 0022).

Nothing here commits. ``ENDED`` is the only place that reads the end of a harvest object, of ours
and of other harvesters.
"""

# ruff: noqa: S608 - the statements are put together of constants of this module alone

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.model import utcnow

Session = model.Session

# What became of harvest objects, in the columns of ``Outcome``; a condition on ``object`` follows.
# An object that waits, or was stopped, is "waiting".
ENDED = """
    SELECT report.id AS run_id, record.id AS record_id, object.id AS object_id,
           CASE WHEN record.id IS NULL THEN object.package_id END AS package_id,
           COALESCE(object.guid, '') AS guid, COALESCE(named.value, '') AS title,
           CASE WHEN object.report_status = 'errored' THEN 'lost'
                WHEN object.report_status IN ('added', 'updated', 'deleted')
                THEN object.report_status
                WHEN object.report_status = 'not modified'
                THEN CASE WHEN record.outcome = 'skipped' THEN 'skipped' ELSE 'unchanged' END
                ELSE 'waiting' END AS state,
           COALESCE(object.report_status = 'not modified' AND record.outcome = 'skipped'
                    AND (record.same_as IS NOT NULL OR record.origin_guid <> ''), false) AS is_same,
           COALESCE(code.key = 'error_code', false) AS is_unread,
           COALESCE(code.value, '') AS code, error.texts ->> 0 AS message,
           CAST(error.lines ->> 0 AS integer) AS line,
           CASE WHEN jsonb_array_length(error.texts) > 1 THEN error.both - 0 END AS more,
           object.harvest_job_id AS job_id
      FROM harvest_object AS object
      LEFT JOIN ukharvest_job AS report ON report.job_id = object.harvest_job_id
      LEFT JOIN harvest_object_extra AS code
             ON code.harvest_object_id = object.id
            AND code.key IN ('error_code', 'import_error_code')
      LEFT JOIN harvest_object_extra AS named
             ON named.harvest_object_id = object.id AND named.key = 'record_title'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
            AND code.value IS DISTINCT FROM 'duplicate-guid'
      LEFT JOIN LATERAL (
           SELECT jsonb_agg(COALESCE(message, '') ORDER BY created, id) AS texts,
                  jsonb_agg(line ORDER BY created, id) AS lines,
                  jsonb_agg(jsonb_build_object('message', COALESCE(message, ''), 'line', line)
                            ORDER BY created, id) AS both
             FROM harvest_object_error WHERE harvest_object_id = object.id) AS error ON true
"""
_COLUMNS = """
    run_id, record_id, object_id, package_id, guid, title, state, is_same, is_unread, code, message,
    line, more
"""
# Of those rows that are not stored yet: of runs of other harvesters that go on, and of what waits.
NOT_STORED = """
    NOT EXISTS (SELECT FROM ukharvest_outcome AS stored WHERE stored.object_id = object.id)
"""
# The rows of one run, to stand in FROM; until the run is stored, also what they will be.
OF_RUN = f"""
    (SELECT {_COLUMNS}
       FROM ukharvest_outcome AS stored
      WHERE run_id = (SELECT id FROM ukharvest_job WHERE job_id = :job_id)
      UNION ALL
     SELECT {_COLUMNS}
       FROM ({ENDED} WHERE object.harvest_job_id = :job_id AND {NOT_STORED}
                AND NOT EXISTS (SELECT FROM ukharvest_job AS ended
                                 WHERE ended.job_id = :job_id AND ended.figures IS NOT NULL)
            ) AS result) AS result
"""
# What a record is now: pending deletions by name, and "added" or "updated" only if the run that saw
# it last did that. To stand in SELECT and, as joins with ``record``, in FROM.
NOW = """
    CASE WHEN record.state = 'missing' AND held.guid IS NOT NULL THEN 'held'
         WHEN record.state IN ('added', 'updated') THEN COALESCE(last.state, 'unchanged')
         ELSE record.state END
"""
HELD = """
      LEFT JOIN (SELECT guid.value AS guid
                   FROM ukharvest_source AS state,
                        jsonb_array_elements_text(
                            COALESCE(NULLIF(state.held, 'null') -> 'guids', '[]')) AS guid
                  WHERE state.source_id = :source_id) AS held ON held.guid = record.guid
"""
LAST = """
      LEFT JOIN (SELECT DISTINCT ON (stored.record_id, run.job_id)
                        stored.record_id, run.job_id, stored.state
                   FROM ukharvest_outcome AS stored JOIN ukharvest_job AS run
                     ON run.id = stored.run_id
                  WHERE run.source_id = :source_id AND stored.state IN ('added', 'updated')
                  ORDER BY stored.record_id, run.job_id, stored.id DESC) AS last
             ON last.record_id = record.id AND last.job_id = record.last_seen_job_id
"""
_NOW = sa.text(
    f"SELECT {NOW} FROM ukharvest_record AS record {HELD} {LAST} WHERE record.id = :record_id"
)
_SAVE = f"""
    INSERT INTO ukharvest_outcome AS row ({_COLUMNS}, created)
    SELECT DISTINCT ON (object_id) {_COLUMNS}, :now
      FROM ({ENDED} WHERE report.id IS NOT NULL AND {{which}}) AS ended
    ON CONFLICT (object_id) DO UPDATE
       SET record_id = excluded.record_id, package_id = excluded.package_id,
           title = excluded.title, state = excluded.state, is_same = excluded.is_same,
           code = excluded.code, message = excluded.message, line = excluded.line,
           more = excluded.more, created = excluded.created
"""
# Only of runs that have ended before is something to be done; pruned ones keep their figures.
_CLOSED = """
    RETURNING (SELECT closed.job_id FROM ukharvest_job AS closed
                WHERE closed.id = row.run_id AND closed.figures IS NOT NULL
                  AND closed.figures -> 'pruned' IS NULL)
"""
_SAVE_OBJECTS = sa.text(
    _SAVE.format(which="object.id = ANY (:ids) AND object.report_status IS NOT NULL") + _CLOSED
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_SAVE_UNREAD = sa.text(
    _SAVE.format(which="object.harvest_job_id = :job_id AND object.report_status = 'errored'")
)
_SAVE_RUNS = sa.text(
    _SAVE.format(which=f"object.harvest_job_id = ANY (:ids) AND {NOT_STORED}")
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))


_SAVE_MISSING = sa.text(
    """
    INSERT INTO ukharvest_outcome (run_id, record_id, guid, state, created)
    SELECT run.id, record.id, record.guid, 'missing', :now
      FROM ukharvest_job AS run, ukharvest_record AS record
     WHERE run.job_id = :job_id AND record.id = ANY (:ids)
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.BigInteger)))


def save(object_ids: Collection[str]) -> set[str]:
    """Store what became of harvest objects that have ended; one statement.

    Returns:
        Ids of their runs that have ended before.
    """
    if not object_ids:
        return set()
    rows = Session.execute(_SAVE_OBJECTS, {"ids": list(object_ids), "now": utcnow()})
    return {job_id for (job_id,) in rows if job_id}


def save_unread(job_id: str) -> None:
    """Store the records that failed while a source was read; one statement."""
    Session.execute(_SAVE_UNREAD, {"job_id": job_id, "now": utcnow()})


def save_rest(job_ids: Collection[str]) -> None:
    """Store what became of the objects of ended runs that have no row yet; one statement."""
    Session.execute(_SAVE_RUNS, {"ids": list(job_ids), "now": utcnow()})


def save_missing(job_id: str, record_ids: Collection[int]) -> None:
    """Store which records a run missed for the first time; one statement, none without them."""
    if record_ids:
        Session.execute(_SAVE_MISSING, {"job_id": job_id, "ids": list(record_ids), "now": utcnow()})


def state_now(record_id: int, source_id: str) -> str:
    """Return what a record is now, as ``RecordState``."""
    return str(Session.scalar(_NOW, {"record_id": record_id, "source_id": source_id}))
