"""Store which relation a record names, not only that a service operates on a dataset.

Revision ID: 0207
Revises: 0206
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0207"
down_revision = "0206"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what is stored names datasets of services."""
    op.add_column(
        "ukharvest_coupling",
        sa.Column("relation", sa.UnicodeText, nullable=False, server_default="operates_on"),
    )


def downgrade() -> None:
    """Keep the datasets of services alone."""
    op.execute("DELETE FROM ukharvest_coupling WHERE relation <> 'operates_on'")
    op.drop_column("ukharvest_coupling", "relation")
