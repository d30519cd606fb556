"""Make the table of what is at the addresses of resources.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    texts = ("format", "version", "base_url", "media_type", "title", "why")
    op.create_table(
        "ukharvest_link",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("url", sa.UnicodeText, nullable=False),
        # A digest: an address can be longer than the 2,704 bytes that an index takes.
        sa.Column("url_digest", sa.LargeBinary, nullable=False, unique=True),
        *(sa.Column(name, sa.UnicodeText, nullable=False, server_default="") for name in texts),
        sa.Column("layers", JSONB, nullable=False, server_default="[]"),
        sa.Column("checked", sa.DateTime),
        sa.Column("due", sa.DateTime, nullable=False, index=True),
        sa.Column("faults", sa.Integer, nullable=False, server_default="0"),
    )


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("ukharvest_link")
