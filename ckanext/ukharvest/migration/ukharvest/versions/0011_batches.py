"""Claims of fetch consumers on batches of harvest objects, and a hash of what a record becomes.

Consumers of the release before end by themselves when they meet these tables, so every running
consumer makes claims.

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of claims, when a source was claimed last, and the hash."""
    op.create_table(
        "ukharvest_claim",
        sa.Column(
            "harvest_object_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_object.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("worker_id", sa.UnicodeText, nullable=False, index=True),
        sa.Column("since", sa.DateTime, nullable=False),
    )
    op.add_column("ukharvest_source", sa.Column("claimed", sa.DateTime))
    # Empty: each record is written once more, then its hash is known.
    op.add_column(
        "ukharvest_record",
        sa.Column("package_hash", sa.UnicodeText, nullable=False, server_default=""),
    )


def downgrade() -> None:
    """Remove them: claimed objects are found by their state, as before."""
    op.drop_column("ukharvest_record", "package_hash")
    op.drop_column("ukharvest_source", "claimed")
    op.drop_table("ukharvest_claim")
