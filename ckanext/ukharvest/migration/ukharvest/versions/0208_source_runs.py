"""Store what the ended runs of a source say of it, which each page and list worked out for itself.

Revision ID: 0208
Revises: 0207
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0208"
down_revision = "0207"
branch_labels = None
depends_on = None

FILL = """
    WITH run AS MATERIALIZED (
        SELECT run.*
          FROM harvest_source AS source
         CROSS JOIN LATERAL (
               SELECT source.id AS source_id, job.id, job.created, report.outcome,
                      COALESCE(job.finished, report.finished, job.created) AS ended,
                      COALESCE(report.error ->> 'passes', '') = 'true' AS passes,
                      CAST(report.figures ->> 'lost' AS integer) AS lost,
                      report.counts -> 'shortfall' AS shortfall,
                      (SELECT sum(CAST(value AS integer)) FROM jsonb_each_text(report.figures)
                        WHERE key IN ('added', 'updated', 'unchanged', 'lost')) AS records
                 FROM harvest_job AS job JOIN ukharvest_job AS report ON report.job_id = job.id
                WHERE job.source_id = source.id AND report.figures IS NOT NULL
                  AND report.mode <> 'approval'
                ORDER BY job.created DESC LIMIT 200) AS run
    ), judged AS (
        SELECT run.*, outcome NOT IN ('failed', 'stopped', 'empty') AS is_fine,
               max(created) FILTER (WHERE outcome NOT IN ('failed', 'stopped', 'empty'))
                   OVER (PARTITION BY source_id) AS good_created
          FROM run
    ), ranked AS (
        SELECT judged.*,
               row_number() OVER (PARTITION BY source_id ORDER BY created DESC, id) = 1 AS is_last,
               outcome <> 'stopped'
                   AND row_number() OVER (PARTITION BY source_id, outcome = 'stopped'
                                          ORDER BY created DESC, id) = 1 AS is_judged,
               created = good_created AND is_fine AS is_good,
               outcome = 'failed'
                   AND (good_created IS NULL OR created > good_created) AS in_streak
          FROM judged
    ), found AS (
        SELECT source_id,
               max(id) FILTER (WHERE is_last) AS last_id,
               max(ended) FILTER (WHERE is_last) AS last_ended,
               max(outcome) FILTER (WHERE is_last) AS last_outcome,
               max(lost) FILTER (WHERE is_last) AS last_lost,
               max(id) FILTER (WHERE is_good) AS good_id,
               max(ended) FILTER (WHERE is_good) AS good_ended,
               max(ended) FILTER (WHERE outcome NOT IN ('failed', 'stopped')) AS harvested,
               max(id) FILTER (WHERE is_judged) AS judged_id,
               max(ended) FILTER (WHERE is_judged) AS judged_ended,
               max(outcome) FILTER (WHERE is_judged) AS outcome,
               bool_or(passes) FILTER (WHERE is_judged) AS passes,
               max(lost) FILTER (WHERE is_judged) AS lost,
               max(records) FILTER (WHERE is_judged) AS records,
               (jsonb_agg(shortfall) FILTER (WHERE is_judged)) -> 0 AS shortfall,
               NOT bool_or(is_judged AND (outcome IN ('failed', 'empty') OR lost > 0
                                          OR jsonb_typeof(shortfall) = 'object')) AS is_fine,
               count(*) FILTER (WHERE in_streak) AS streak,
               min(ended) FILTER (WHERE in_streak) AS failing_since
          FROM ranked
         GROUP BY source_id
    )
    INSERT INTO ukharvest_source AS state (source_id, runs)
    SELECT source_id, to_jsonb(found) - 'source_id' FROM found
        ON CONFLICT (source_id) DO UPDATE SET runs = excluded.runs
"""


def upgrade() -> None:
    """Add the column and fill it; find what may need somebody by indexes."""
    op.add_column("ukharvest_source", sa.Column("runs", JSONB))
    op.execute(FILL)
    op.execute(
        "CREATE INDEX ukharvest_source_not_fine ON ukharvest_source (source_id)"
        " WHERE runs ->> 'is_fine' = 'false'"
    )
    op.execute("CREATE INDEX ukharvest_link_dead ON ukharvest_link (id) WHERE state = 'dead'")


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP INDEX ukharvest_link_dead")
    op.drop_column("ukharvest_source", "runs")
