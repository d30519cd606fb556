"""Records under new identifiers, and datasets that come by way of two portals.

Adds columns alone, so that it takes no time.

Revision ID: 0103
Revises: 0101
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0103"
down_revision = "0101"
branch_labels = None
depends_on = None

_SOURCE = "ukharvest_source"


def upgrade() -> None:
    """Add the columns."""
    op.add_column(_SOURCE, sa.Column("changed_identifiers", JSONB))


def downgrade() -> None:
    """Remove them."""
    op.drop_column(_SOURCE, "changed_identifiers")
