"""Store figures of sources by day, which outlive their runs.

Revision ID: 0209
Revises: 0208
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0209"
down_revision = "0208"
branch_labels = None
depends_on = None

FILL = """
    INSERT INTO ukharvest_figure (source_id, day, name, value)
    SELECT run.source_id, CAST(job.created AS date), figure.name, sum(figure.value)
      FROM ukharvest_job AS run JOIN harvest_job AS job ON job.id = run.job_id
     CROSS JOIN LATERAL (
           SELECT key AS name, CAST(value AS integer) AS value
             FROM jsonb_each_text(run.figures)
            WHERE key IN ('added', 'updated', 'deleted', 'lost')
            UNION ALL
           SELECT 'runs', 1 WHERE run.mode <> 'approval'
            UNION ALL
           SELECT 'failed', 1 WHERE run.mode <> 'approval' AND run.outcome = 'failed') AS figure
     WHERE run.figures IS NOT NULL AND figure.value > 0
     GROUP BY run.source_id, CAST(job.created AS date), figure.name
"""


def upgrade() -> None:
    """Make the table, and fill it from the runs that are here."""
    op.create_table(
        "ukharvest_figure",
        sa.Column(
            "source_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("day", sa.Date, primary_key=True, index=True),
        sa.Column("name", sa.UnicodeText, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.execute(FILL)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("ukharvest_figure")
