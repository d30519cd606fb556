"""Keep a run's problems when a later run imports their records again.

Consumers of the release before go on: what they insert is current, and what they replace they
delete, as before.

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Until now this was worked out from the record, which a later run changes.
_MARK_LOST = """
    UPDATE ukharvest_problem AS problem SET lost = true
      FROM ukharvest_record AS record
     WHERE record.id = problem.record_id AND record.outcome = 'errored'
       AND record.last_seen_job_id = problem.job_id
"""


def upgrade() -> None:
    """Add the columns; every row so far is of its record's last import."""
    for name, default in (("current", "true"), ("lost", "false")):
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=default)
        op.add_column("ukharvest_problem", column)
    op.execute(_MARK_LOST)


def downgrade() -> None:
    """Delete the problems of past runs, which the release before would take for current."""
    op.execute("DELETE FROM ukharvest_problem WHERE NOT current")
    for name in ("lost", "current"):
        op.drop_column("ukharvest_problem", name)
