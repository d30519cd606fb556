"""Give stored problems of XML schemas the one code that they have now.

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_CODES = (
    "bad-value",
    "element-order",
    "empty-value",
    "gml-version",
    "misplaced-element",
    "missing-attribute",
    "missing-element",
    "repeated-element",
    "schema-root",
    "stray-text",
    "unexpected-attribute",
    "unknown-element",
    "wrong-namespace",
)


def upgrade() -> None:
    """Rename the codes; messages stay."""
    problem = sa.table("ukharvest_problem", sa.column("code"))
    op.execute(problem.update().where(problem.c.code.in_(_CODES)).values(code="schema-fault"))


def downgrade() -> None:
    """Change nothing: the release before knows this code, too."""
