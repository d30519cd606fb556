"""Add the digest of the rules that a record was imported under, and the table of couplings.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, the table, and indexes for looking records up by what services name."""
    op.add_column(
        "ukharvest_record", sa.Column("salt", sa.UnicodeText, nullable=False, server_default="")
    )
    record = sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE")
    op.create_table(
        "ukharvest_coupling",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("record_id", sa.BigInteger, record, nullable=False, index=True),
        sa.Column("reference", sa.UnicodeText, nullable=False),
    )
    # Digests: an address can be longer than the 2,704 bytes that an index takes.
    op.execute("CREATE INDEX ukharvest_coupling_reference ON ukharvest_coupling (md5(reference))")
    op.execute("CREATE INDEX ukharvest_record_guid ON ukharvest_record (md5(guid))")
    op.execute("CREATE INDEX ukharvest_record_url ON ukharvest_record (md5(url))")


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("ukharvest_coupling")
    op.execute("DROP INDEX ukharvest_record_url")
    op.execute("DROP INDEX ukharvest_record_guid")
    op.drop_column("ukharvest_record", "salt")
