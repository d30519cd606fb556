"""Store how many links of a source are dead, which each page of an editor counted.

Revision ID: 0211
Revises: 0210
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0211"
down_revision = "0210"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, which is filled within an hour."""
    op.add_column("ukharvest_source", sa.Column("dead_links", JSONB))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("ukharvest_source", "dead_links")
