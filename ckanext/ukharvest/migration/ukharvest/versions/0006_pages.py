"""Keep what the pages tell: who asked for a run, what changed, tests of sources, mails sent.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and make the tables."""
    for name in ("asked_by", "stopped_by"):
        op.add_column("ukharvest_job", _text(name))
    op.add_column("ukharvest_job", sa.Column("error", JSONB))
    op.add_column("ukharvest_record", _text("title"))
    op.add_column("ukharvest_record", sa.Column("error", JSONB))
    op.add_column("ukharvest_record", sa.Column("written", sa.DateTime))
    op.add_column("ukharvest_problem", sa.Column("job_id", sa.UnicodeText, _job(), index=True))
    op.execute(_RUN_OF_PROBLEM)
    op.add_column("ukharvest_source", sa.Column("mail", JSONB))
    op.add_column("ukharvest_source", sa.Column("mailed", JSONB))
    op.create_table(
        "ukharvest_change",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column(
            "record_id",
            sa.BigInteger,
            sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        # Without the index each job that is pruned would scan this table for SET NULL.
        sa.Column("job_id", sa.UnicodeText, _job(), index=True),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("kind", sa.UnicodeText, nullable=False),
        sa.Column("fields", JSONB, nullable=False, server_default="[]"),
    )
    op.create_table(
        "ukharvest_trial",
        sa.Column("id", sa.UnicodeText, primary_key=True),
        sa.Column("user_name", sa.UnicodeText, nullable=False, index=True),
        sa.Column(
            "source_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
            index=True,
        ),
        _text("source_type"),
        _text("url"),
        _text("config"),
        _text("state"),
        _text("stage"),
        sa.Column("done", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("heartbeat", sa.DateTime),
        sa.Column("finished", sa.DateTime),
        sa.Column("result", JSONB),
    )


# A dataset's current object is of the import that its record's problems are of.
_RUN_OF_PROBLEM = """
    UPDATE ukharvest_problem AS problem
       SET job_id = object.harvest_job_id
      FROM ukharvest_record AS record
      JOIN harvest_object AS object
        ON object.harvest_source_id = record.source_id AND object.guid = record.guid
     WHERE record.id = problem.record_id
       AND CASE WHEN record.outcome = 'errored'
                THEN object.harvest_job_id = record.last_seen_job_id ELSE object.current END
"""


def _job() -> sa.ForeignKey:
    return sa.ForeignKey("harvest_job.id", ondelete="SET NULL")


def _text(name: str) -> sa.Column:
    return sa.Column(name, sa.UnicodeText, nullable=False, server_default="")


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("ukharvest_trial")
    op.drop_table("ukharvest_change")
    op.drop_column("ukharvest_problem", "job_id")
    for name in ("mailed", "mail"):
        op.drop_column("ukharvest_source", name)
    for name in ("written", "error", "title"):
        op.drop_column("ukharvest_record", name)
    for name in ("error", "stopped_by", "asked_by"):
        op.drop_column("ukharvest_job", name)
