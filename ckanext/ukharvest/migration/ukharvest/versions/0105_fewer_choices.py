"""Settings of features that are gone.

A weekly summary is sent if a source needs attention: "always" becomes "needed".

Revision ID: 0105
Revises: 0103
"""

from __future__ import annotations

from alembic import op

revision = "0105"
down_revision = "0103"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Update the stored settings."""
    op.execute(
        """
        UPDATE ukharvest_source SET mail = jsonb_set(mail, '{weekly}', '"needed"')
        WHERE mail ->> 'weekly' = 'always'
        """
    )


def downgrade() -> None:
    """Keep the settings: earlier code knows them too."""
