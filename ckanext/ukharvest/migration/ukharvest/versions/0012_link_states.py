"""Whether links work, since when they do not, and what checking them costs a day.

Only columns with constant values and a small table: it takes no time, however many links there are.
Rewriting the links that were checked takes a second for 100,000.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_TABLE = "ukharvest_link"
_TEXTS = ("host", "state", "fault", "checksum")
_TIMES = ("tried", "worked", "failed_since", "absent_since", "covered")

# As core/link_states.py had it when this was written.
_HOST = r"^[^:]+://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)"
# A link whose last check found what it is worked then. Of the others the next check tells.
_FILL = sa.text(
    f"""
    UPDATE {_TABLE}
    SET host = lower(coalesce(substring(url from :host), '')),
        state = CASE WHEN checked IS NOT NULL AND why = '' THEN 'works' ELSE '' END,
        tried = checked,
        worked = CASE WHEN why = '' THEN checked END
    """  # noqa: S608 - a name of our own
)


def upgrade() -> None:
    """Add the columns, fill in what is known, and make the table of days."""
    columns = [
        *(sa.Column(name, sa.UnicodeText, nullable=False, server_default="") for name in _TEXTS),
        *(sa.Column(name, sa.DateTime) for name in _TIMES),
        sa.Column("status", sa.Integer),
        sa.Column("absent", sa.Integer, nullable=False, server_default="0"),
        sa.Column("size", sa.BigInteger),
        sa.Column("rescore", sa.Boolean, nullable=False, server_default="false"),
    ]
    for column in columns:
        op.add_column(_TABLE, column)
    op.get_bind().execute(_FILL, {"host": _HOST})
    op.create_index("ix_ukharvest_link_host", _TABLE, ["host"])
    op.create_index(
        "ix_ukharvest_link_rescore", _TABLE, ["id"], postgresql_where=sa.text("rescore")
    )
    op.create_table(
        "ukharvest_link_day",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("requests", sa.Integer, nullable=False, server_default="0"),
        sa.Column("received", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("links", sa.Integer, nullable=False, server_default="0"),
    )


def downgrade() -> None:
    """Remove them: links are checked as before."""
    op.drop_table("ukharvest_link_day")
    op.drop_index("ix_ukharvest_link_rescore")
    op.drop_index("ix_ukharvest_link_host")
    for name in (*_TEXTS, *_TIMES, "status", "absent", "size", "rescore"):
        op.drop_column(_TABLE, name)
