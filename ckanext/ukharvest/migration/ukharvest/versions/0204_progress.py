"""Store how many problems a run found fixed or new.

Revision ID: 0204
Revises: 0203
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0204"
down_revision = "0203"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of earlier runs it is not known."""
    column = sa.Column("progress", JSONB, nullable=False, server_default="{}")
    op.add_column("ukharvest_job", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("ukharvest_job", "progress")
