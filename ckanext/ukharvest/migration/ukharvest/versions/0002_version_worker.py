"""Make the tables for a record's earlier versions and for the workers' signs of life.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    record = sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE")
    job = sa.ForeignKey("harvest_job.id", ondelete="SET NULL")
    op.create_table(
        "ukharvest_version",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("record_id", sa.BigInteger, record, nullable=False, index=True),
        sa.Column("job_id", sa.UnicodeText, job, index=True),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "ukharvest_worker",
        sa.Column("id", sa.UnicodeText, primary_key=True),
        sa.Column("kind", sa.UnicodeText, nullable=False),
        sa.Column("started", sa.DateTime, nullable=False),
        sa.Column("heartbeat", sa.DateTime, nullable=False),
        sa.Column("busy_with", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("busy_since", sa.DateTime),
    )


def downgrade() -> None:
    """Take both tables away again."""
    op.drop_table("ukharvest_worker")
    op.drop_table("ukharvest_version")
