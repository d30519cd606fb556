"""Make the table of what the portal works out of a dataset: stars and theme.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "ukharvest_assessment",
        sa.Column(
            "package_id",
            sa.UnicodeText,
            sa.ForeignKey("package.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
            primary_key=True,
        ),
        sa.Column("stars", sa.SmallInteger, nullable=False, server_default="0"),
        sa.Column("stars_code", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("stars_detail", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("resources", JSONB, nullable=False, server_default="{}"),
        sa.Column("theme", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("theme_secondary", JSONB, nullable=False, server_default="[]"),
        sa.Column("theme_origin", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("themes", JSONB, nullable=False, server_default="[]"),
        sa.Column("assessed", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("ukharvest_assessment")
