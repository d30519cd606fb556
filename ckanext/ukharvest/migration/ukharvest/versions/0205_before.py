"""Keep datasets of other harvesters as they were before our first write, to go back.

Revision ID: 0205
Revises: 0204
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0205"
down_revision = "0204"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "ukharvest_before",
        sa.Column(
            "package_id",
            sa.UnicodeText,
            sa.ForeignKey("package.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "source_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("object_id", sa.UnicodeText),
        sa.Column("is_stock", sa.Boolean, nullable=False, server_default="false"),
        sa.Column("before", JSONB),
        sa.Column("after", JSONB),
        sa.Column("edited", JSONB, nullable=False, server_default="[]"),
        sa.Column("created", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop it: adoptions can then be undone only from a backup."""
    op.drop_table("ukharvest_before")
