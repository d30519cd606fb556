"""Store tables of values, and the publishers' values that each record was imported with.

Revision ID: 0206
Revises: 0205
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0206"
down_revision = "0205"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, and add both columns."""
    op.create_table(
        "ukharvest_mapping",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column(
            "source_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
            index=True,
        ),
        sa.Column("field", sa.UnicodeText, nullable=False),
        sa.Column("value", sa.UnicodeText, nullable=False),
        sa.Column("ours", sa.UnicodeText, nullable=False),
    )
    op.add_column("ukharvest_record", sa.Column("source_values", JSONB))
    op.add_column(
        "ukharvest_source",
        sa.Column("values_digest", sa.UnicodeText, nullable=False, server_default=""),
    )


def downgrade() -> None:
    """Drop them: publishers' values arrive as they are."""
    op.drop_column("ukharvest_source", "values_digest")
    op.drop_column("ukharvest_record", "source_values")
    op.drop_table("ukharvest_mapping")
