"""Store the identity that a plugin gives a record, and which plugins are told of a run's end.

Revision ID: 0203
Revises: 0202
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0203"
down_revision = "0202"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both columns."""
    op.add_column(
        "ukharvest_record",
        sa.Column("own_guid", sa.UnicodeText, nullable=False, server_default=""),
    )
    op.execute(
        "CREATE INDEX ukharvest_record_own_guid ON ukharvest_record (md5(own_guid))"
        " WHERE own_guid <> ''"
    )
    op.add_column("ukharvest_job", sa.Column("plugins_due", JSONB))


def downgrade() -> None:
    """Drop them; plugins that are due are not told."""
    op.drop_column("ukharvest_job", "plugins_due")
    op.execute("DROP INDEX ukharvest_record_own_guid")
    op.drop_column("ukharvest_record", "own_guid")
