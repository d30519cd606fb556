"""Store what the messages of problems and errors are made of, for readers of other languages.

Revision ID: 0210
Revises: 0209
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0210"
down_revision = "0209"
branch_labels = None
depends_on = None

TABLES = ("ukharvest_problem", "ukharvest_outcome")


def upgrade() -> None:
    """Add the columns; messages of earlier runs stay in English."""
    for table in TABLES:
        op.add_column(table, sa.Column("wording", JSONB))


def downgrade() -> None:
    """Drop them."""
    for table in TABLES:
        op.drop_column(table, "wording")
