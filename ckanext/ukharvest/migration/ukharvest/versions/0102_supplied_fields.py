"""The fields that the last import of a record got from its source.

Empty in earlier rows: unknown, so that their next import removes no field.

Revision ID: 0102
Revises: 0101
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0102"
down_revision = "0101"
branch_labels = None
depends_on = None

_TABLE = "ukharvest_record"


def upgrade() -> None:
    """Add the column."""
    op.add_column(_TABLE, sa.Column("supplied_fields", JSONB))


def downgrade() -> None:
    """Remove it."""
    op.drop_column(_TABLE, "supplied_fields")
