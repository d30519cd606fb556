"""Records under new identifiers, and datasets that come by way of two portals.

Adds columns, and indexes that are empty at first, so that it takes no time.

Revision ID: 0103
Revises: 0102
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0103"
down_revision = "0102"
branch_labels = None
depends_on = None

_SOURCE, _RECORD = "ukharvest_source", "ukharvest_record"


def upgrade() -> None:
    """Add the columns and indexes."""
    op.add_column(_SOURCE, sa.Column("changed_identifiers", JSONB))
    op.add_column(
        _RECORD, sa.Column("origin_guid", sa.UnicodeText, nullable=False, server_default="")
    )
    same_as = sa.ForeignKey("package.id", ondelete="SET NULL")
    op.add_column(_RECORD, sa.Column("same_as", sa.UnicodeText, same_as))
    # A hash, because an identifier can be longer than an index takes.
    op.create_index(
        "ukharvest_record_origin_guid",
        _RECORD,
        [sa.text("md5(origin_guid)")],
        postgresql_where=sa.text("origin_guid <> ''"),
    )
    op.create_index(
        "ukharvest_record_same_as",
        _RECORD,
        ["same_as"],
        postgresql_where=sa.text("same_as IS NOT NULL"),
    )


def downgrade() -> None:
    """Remove them; the indexes go with their columns."""
    op.drop_column(_SOURCE, "changed_identifiers")
    op.drop_column(_RECORD, "same_as")
    op.drop_column(_RECORD, "origin_guid")
