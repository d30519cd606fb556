"""Keep what waits for the search index, what is tried again, and where a source came from.

Only additions with defaults, so that consumers of the release before go on working.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and make the tables."""
    op.add_column("ukharvest_source", sa.Column("adopted_from", JSONB))
    op.add_column("ukharvest_source", sa.Column("set_aside", JSONB))
    op.create_table(
        "ukharvest_index_pending",
        # No foreign key: a purged dataset has to leave the index, too.
        sa.Column("package_id", sa.UnicodeText, primary_key=True),
        sa.Column("since", sa.DateTime, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "ukharvest_retry",
        sa.Column(
            "harvest_object_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_object.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due", sa.DateTime, nullable=False, index=True),
        sa.Column("service", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("message", sa.UnicodeText, nullable=False, server_default=""),
    )


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("ukharvest_retry")
    op.drop_table("ukharvest_index_pending")
    for name in ("set_aside", "adopted_from"):
        op.drop_column("ukharvest_source", name)
