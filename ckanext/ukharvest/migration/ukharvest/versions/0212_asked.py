"""Let sources wait for a sysadmin's approval.

Revision ID: 0212
Revises: 0211
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0212"
down_revision = "0211"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what a person asked for."""
    op.add_column("ukharvest_pending", sa.Column("asked", JSONB))


def downgrade() -> None:
    """Drop it; earlier versions know no source that waits."""
    op.execute("DELETE FROM ukharvest_pending WHERE kind = 'source'")
    op.drop_column("ukharvest_pending", "asked")
