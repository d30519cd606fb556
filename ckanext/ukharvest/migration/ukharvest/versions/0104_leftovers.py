"""What features left behind that are gone.

A weekly summary is sent if a source needs attention: "always" becomes "needed". A source whose
runs ended the consumer is no longer kept from running.

Revision ID: 0104
Revises: 0103
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0104"
down_revision = "0103"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Update the stored settings, and remove the column."""
    op.execute(
        """
        UPDATE ukharvest_source SET mail = jsonb_set(mail, '{weekly}', '"needed"')
        WHERE mail ->> 'weekly' = 'always'
        """
    )
    op.drop_column("ukharvest_source", "set_aside")


def downgrade() -> None:
    """Add the column, empty; earlier code knows the settings too."""
    op.add_column("ukharvest_source", sa.Column("set_aside", JSONB))
