"""The organisation that the last import of a record gave its dataset to.

Earlier rows get the present organisation of their source, so that no dataset is written again.
Sources with the option remote_orgs can have decided on others: their rows stay empty, "unknown",
until the next import. Takes some seconds for 100,000 records.

Revision ID: 0101
Revises: 0100
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None

_TABLE = "ukharvest_record"
_FILL = sa.text(
    f"""
    UPDATE {_TABLE} AS record
    SET owner_org = COALESCE(NULLIF(package.owner_org, ''), NULLIF(source.publisher_id, ''), 'none')
    FROM harvest_source AS source LEFT JOIN package ON package.id = source.id
    WHERE source.id = record.source_id AND record.fingerprint <> ''
      AND COALESCE(source.config, '') NOT LIKE '%remote_orgs%'
    """  # noqa: S608 - a name of our own
)


def upgrade() -> None:
    """Add the column, and fill in what is known."""
    op.add_column(_TABLE, sa.Column("owner_org", sa.UnicodeText, nullable=False, server_default=""))
    op.get_bind().execute(_FILL)


def downgrade() -> None:
    """Remove it."""
    op.drop_column(_TABLE, "owner_org")
