"""Checks that anybody may start: what they were given, in the table of source previews.

Columns without a default: it takes no time. Code of the commit before reads and deletes the rows
of checks as it does those of previews.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TABLE = "ukharvest_trial"


def upgrade() -> None:
    """Add the columns."""
    op.add_column(_TABLE, sa.Column("given", JSONB))
    op.add_column(_TABLE, sa.Column("content", sa.LargeBinary))
    op.add_column(_TABLE, sa.Column("schema_content", sa.LargeBinary))


def downgrade() -> None:
    """Remove them and the checks, which the code before would take for previews."""
    op.execute(f"DELETE FROM {_TABLE} WHERE given IS NOT NULL")  # noqa: S608 - a name of our own
    for name in ("schema_content", "content", "given"):
        op.drop_column(_TABLE, name)
