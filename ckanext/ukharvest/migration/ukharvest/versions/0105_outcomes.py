"""What runs did with records, stored instead of worked out.

Adds the table of outcomes, the figures of runs and the state of records, and fills them once from
the harvest objects and errors that are still there; of pruned runs from their saved figures. Takes
about a minute for a million harvest objects.

Revision ID: 0105
Revises: 0104
"""

# ruff: noqa: S608 - the statements are put together of constants of this module alone

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0105"
down_revision = "0104"
branch_labels = None
depends_on = None

_OUTCOME, _JOB, _RECORD = "ukharvest_outcome", "ukharvest_job", "ukharvest_record"

_STATE = """
    CASE WHEN outcome = 'deleted' THEN 'deleted'
         WHEN missed_runs > 0 AND outcome = 'kept' THEN 'kept'
         WHEN missed_runs > 0 THEN 'missing'
         WHEN outcome = 'errored' THEN 'lost'
         WHEN outcome IN ('added', 'updated', 'skipped') THEN outcome
         WHEN outcome = 'kept' THEN 'unchanged'
         ELSE 'waiting' END
"""
_ENDED = "job.status NOT IN ('New', 'Running')"

_REPORTS = f"""
    INSERT INTO ukharvest_job (job_id, source_id, counts, outcome, reason, started, finished)
    SELECT job.id, job.source_id, '{{}}',
           CASE WHEN error.number > 0 THEN 'failed' ELSE 'finished' END,
           COALESCE(error.message, ''), job.gather_started, job.finished
      FROM harvest_job AS job
     CROSS JOIN LATERAL (SELECT count(*) AS number, min(message) AS message
                           FROM harvest_gather_error WHERE harvest_job_id = job.id) AS error
     WHERE {_ENDED} AND job.source_id IS NOT NULL
    ON CONFLICT (job_id) DO NOTHING
"""
_OBJECTS = f"""
    INSERT INTO ukharvest_outcome (run_id, record_id, object_id, package_id, guid, title, state,
                                   is_same, is_unread, code, message, line, more, created)
    SELECT DISTINCT ON (object.id) report.id, record.id, object.id,
           CASE WHEN record.id IS NULL THEN object.package_id END, COALESCE(object.guid, ''),
           COALESCE(named.value, ''),
           CASE WHEN object.report_status = 'errored' THEN 'lost'
                WHEN object.report_status IN ('added', 'updated', 'deleted')
                THEN object.report_status
                WHEN object.report_status = 'not modified'
                THEN CASE WHEN record.outcome = 'skipped' THEN 'skipped' ELSE 'unchanged' END
                ELSE 'waiting' END,
           COALESCE(object.report_status = 'not modified' AND record.outcome = 'skipped'
                    AND (record.same_as IS NOT NULL OR record.origin_guid <> ''), false),
           COALESCE(code.key = 'error_code', false), COALESCE(code.value, ''),
           error.texts ->> 0, CAST(error.lines ->> 0 AS integer),
           CASE WHEN jsonb_array_length(error.texts) > 1 THEN error.both - 0 END,
           COALESCE(object.import_finished, object.gathered, job.finished, job.created)
      FROM harvest_job AS job
      JOIN ukharvest_job AS report ON report.job_id = job.id
      JOIN harvest_object AS object ON object.harvest_job_id = job.id
      LEFT JOIN harvest_object_extra AS code
             ON code.harvest_object_id = object.id
            AND code.key IN ('error_code', 'import_error_code')
      LEFT JOIN harvest_object_extra AS named
             ON named.harvest_object_id = object.id AND named.key = 'record_title'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
            AND code.value IS DISTINCT FROM 'duplicate-guid'
      LEFT JOIN (
           SELECT harvest_object_id,
                  jsonb_agg(COALESCE(message, '') ORDER BY created, id) AS texts,
                  jsonb_agg(line ORDER BY created, id) AS lines,
                  jsonb_agg(jsonb_build_object('message', COALESCE(message, ''), 'line', line)
                            ORDER BY created, id) AS both
             FROM harvest_object_error GROUP BY harvest_object_id) AS error
             ON error.harvest_object_id = object.id
     WHERE {_ENDED} OR object.report_status IS NOT NULL AND object.state <> 'GATHERED'
"""
# Which run missed a record first is known of those that have been missing once.
_MISSING = """
    INSERT INTO ukharvest_outcome (run_id, record_id, guid, state, created)
    SELECT run.id, record.id, record.guid, 'missing', COALESCE(run.finished, run.started)
      FROM (SELECT DISTINCT ON (source_id) id, source_id, started, finished
              FROM ukharvest_job WHERE complete AND job_id IS NOT NULL AND started IS NOT NULL
             ORDER BY source_id, started DESC) AS run
      JOIN ukharvest_record AS record ON record.source_id = run.source_id
      JOIN package ON package.id = record.package_id AND package.state = 'active'
     WHERE record.missed_runs = 1 AND record.outcome <> 'kept'
"""
_COUNTED = """
    SELECT run_id, count(*) FILTER (WHERE state = 'added') AS added,
           count(*) FILTER (WHERE state = 'updated') AS updated,
           count(*) FILTER (WHERE state = 'deleted') AS deleted,
           count(*) FILTER (WHERE state = 'unchanged') AS unchanged,
           count(*) FILTER (WHERE state = 'skipped') AS skipped,
           count(*) FILTER (WHERE state = 'lost') AS lost,
           count(*) FILTER (WHERE is_same) AS same,
           count(*) FILTER (WHERE message IS NOT NULL) AS erring
      FROM ukharvest_outcome GROUP BY run_id
"""


def _saved(key: str, column: str) -> str:
    """Return a figure as it was saved before the run's objects were pruned, or as counted."""
    return f"COALESCE((report.counts #>> '{{frozen,{key}}}')::integer, {column}, 0)"


def _noted(*keys: str) -> str:
    return " + ".join(f"COALESCE((report.counts ->> '{key}')::integer, 0)" for key in keys)


_UNCHANGED = (
    f"COALESCE((report.counts #>> '{{frozen,not modified}}')::integer"
    f" - {_saved('skipped', '0')}, counted.unchanged, 0)"
)
_FIGURES = f"""
    UPDATE ukharvest_job AS report
       SET figures = jsonb_build_object(
               'added', {_saved("added", "counted.added")},
               'updated', {_saved("updated", "counted.updated")},
               'deleted', {_saved("deleted", "counted.deleted")},
               'unchanged', {_UNCHANGED} + {_noted("unchanged", "kept_deleted")},
               'skipped', {_saved("skipped", "counted.skipped")} + {_noted("skipped")},
               'missing', {_noted("missing")}, 'held', {_noted("held")},
               'new_identifiers', {_noted("new_identifiers")},
               'lost', {_saved("lost", "counted.lost")},
               'same', {_saved("same", "counted.same")},
               'with_problems', {_saved("with_problems", "problem.number")},
               'errored', COALESCE((report.counts #>> '{{frozen,errored}}')::integer,
                                   COALESCE(counted.erring, 0) + COALESCE(error.number, 0)))
               || CASE WHEN report.counts -> 'frozen' IS NULL THEN '{{}}'::jsonb
                       ELSE '{{"pruned": 1}}' END,
           counts = report.counts - 'frozen'
      FROM harvest_job AS job
      LEFT JOIN ({_COUNTED}) AS counted
             ON counted.run_id = (SELECT id FROM ukharvest_job WHERE job_id = job.id)
      LEFT JOIN (SELECT job_id, count(DISTINCT record_id) AS number
                   FROM ukharvest_problem WHERE NOT lost GROUP BY job_id) AS problem
             ON problem.job_id = job.id
      LEFT JOIN (SELECT harvest_job_id, count(*) AS number
                   FROM harvest_gather_error GROUP BY harvest_job_id) AS error
             ON error.harvest_job_id = job.id
     WHERE {_ENDED} AND job.id = report.job_id
"""
_RUNS = f"""
    UPDATE ukharvest_job AS report
       SET outcome = CASE
               WHEN job.status <> 'Finished' OR report.stopped_by <> '' OR report.outcome = ''
               THEN 'stopped'
               WHEN report.outcome = 'held' AND NOT COALESCE(
                    report.job_id IN (source.held ->> 'job_id',
                                      source.changed_identifiers ->> 'job_id'), false)
               THEN CASE WHEN report.counts -> 'decided' IS NULL THEN 'settled' ELSE 'decided' END
               WHEN report.outcome <> 'finished' THEN report.outcome
               WHEN report.counts ->> 'seen' = '0' AND report.counts -> 'not_asked' IS NULL
               THEN 'empty'
               WHEN report.counts -> 'shortfall' IS NOT NULL THEN 'shrunk'
               WHEN (report.figures ->> 'lost')::integer > 0 THEN 'errors'
               WHEN (report.figures ->> 'added')::integer > 0
                    OR (report.figures ->> 'updated')::integer > 0
                    OR (report.figures ->> 'deleted')::integer > 0 THEN 'finished'
               ELSE 'unchanged' END
      FROM harvest_job AS job
      LEFT JOIN ukharvest_source AS source ON source.source_id = job.source_id
     WHERE {_ENDED} AND job.id = report.job_id
"""

_BACK = """
    UPDATE ukharvest_job
       SET outcome = CASE WHEN outcome IN ('decided', 'settled') THEN 'held' ELSE 'finished' END
     WHERE outcome IN ('errors', 'empty', 'shrunk', 'unchanged', 'decided', 'settled')
"""


def upgrade() -> None:
    """Add table and columns, and fill them."""
    op.create_table(
        _OUTCOME,
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column(
            "run_id",
            sa.BigInteger,
            sa.ForeignKey(f"{_JOB}.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger,
            sa.ForeignKey(f"{_RECORD}.id", ondelete="SET NULL"),
            index=True,
        ),
        sa.Column("object_id", sa.UnicodeText, unique=True),
        sa.Column("package_id", sa.UnicodeText),
        sa.Column("guid", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("title", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("state", sa.UnicodeText, nullable=False),
        sa.Column("is_same", sa.Boolean, nullable=False, server_default="false"),
        sa.Column("is_unread", sa.Boolean, nullable=False, server_default="false"),
        sa.Column("code", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("message", sa.UnicodeText),
        sa.Column("line", sa.Integer),
        sa.Column("more", JSONB),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.add_column(_JOB, sa.Column("figures", JSONB))
    op.add_column(
        _RECORD,
        sa.Column("state", sa.UnicodeText, sa.Computed(_STATE, persisted=True), nullable=False),
    )
    connection = op.get_bind()
    for statement in (_REPORTS, _OBJECTS, _MISSING, _FIGURES, _RUNS):
        connection.execute(sa.text(statement))


def downgrade() -> None:
    """Remove them, and what earlier code does not know as outcomes of runs."""
    op.drop_table(_OUTCOME)
    op.drop_column(_RECORD, "state")
    op.drop_column(_JOB, "figures")
    op.get_bind().execute(sa.text(_BACK))
