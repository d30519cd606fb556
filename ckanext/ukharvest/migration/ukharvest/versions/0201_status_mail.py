"""Store of a run that ended itself whether ckanext-harvest's email about it is due.

Revision ID: 0201
Revises: 0200
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0201"
down_revision = "0200"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "ukharvest_job",
        sa.Column("status_mail_due", sa.Boolean, nullable=False, server_default="false"),
    )


def downgrade() -> None:
    """Drop it; emails that are due are not sent."""
    op.drop_column("ukharvest_job", "status_mail_due")
