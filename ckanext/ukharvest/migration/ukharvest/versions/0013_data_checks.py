"""Schemas of data, and whether the data of resources follow them.

Two new tables, empty until a job meets a resource with a schema.

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.UnicodeText, nullable=False, server_default="")


def _number(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind, nullable=False, server_default="0")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "ukharvest_data_schema",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("url", sa.UnicodeText, nullable=False),
        sa.Column("url_digest", sa.LargeBinary, nullable=False, unique=True),
        *(_text(name) for name in ("etag", "last_modified", "checksum", "error")),
        sa.Column("content", sa.LargeBinary),
        sa.Column("fetched", sa.DateTime),
        sa.Column("due", sa.DateTime, nullable=False),
        _number("faults"),
    )
    op.create_table(
        "ukharvest_data_check",
        sa.Column(
            "resource_id",
            sa.UnicodeText,
            sa.ForeignKey("resource.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("url", sa.UnicodeText, nullable=False),
        sa.Column("schema_url", sa.UnicodeText, nullable=False, index=True),
        sa.Column("verdict", sa.UnicodeText, nullable=False),
        _number("errors"),
        _number("checked", sa.BigInteger),
        *(_text(name) for name in ("unit", "reason", "stopped", "schema_type")),
        sa.Column("report", JSONB, nullable=False, server_default="{}"),
        sa.Column("findings", sa.LargeBinary),
        *(_text(name) for name in ("checksum", "etag", "last_modified", "schema_checksum")),
        sa.Column("link_tried", sa.DateTime),
        sa.Column("found", sa.DateTime),
        sa.Column("tried", sa.DateTime, nullable=False),
        sa.Column("due", sa.DateTime),
        _number("faults"),
        _text("fault"),
    )


def downgrade() -> None:
    """Remove them: data are checked again when the tables are back."""
    op.drop_table("ukharvest_data_check")
    op.drop_table("ukharvest_data_schema")
