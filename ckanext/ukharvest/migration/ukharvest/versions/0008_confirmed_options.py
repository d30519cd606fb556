"""Keep the options that a sysadmin confirmed in a column of their name.

They stood in ``recipients``, under "confirmed". That column stays, unread, until a later migration:
processes of the release before list it in their queries, and go on until they are restarted.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# A JSON null and SQL's null both say that there are none.
_FILL = """
    UPDATE ukharvest_source
       SET confirmed_options = recipients -> 'confirmed'
     WHERE jsonb_typeof(recipients -> 'confirmed') = 'object'
"""
_EMPTY = "UPDATE ukharvest_source SET recipients = NULL WHERE recipients IS NOT NULL"
_TAKE_BACK = """
    UPDATE ukharvest_source
       SET recipients = jsonb_build_object('confirmed', confirmed_options)
     WHERE jsonb_typeof(confirmed_options) = 'object'
"""


def upgrade() -> None:
    """Add the column and fill it; there is a row for each source, not for each record."""
    op.add_column("ukharvest_source", sa.Column("confirmed_options", JSONB))
    op.execute(_FILL)


def downgrade() -> None:
    """Put the options back where they stood."""
    op.execute(_EMPTY)
    op.execute(_TAKE_BACK)
    op.drop_column("ukharvest_source", "confirmed_options")
