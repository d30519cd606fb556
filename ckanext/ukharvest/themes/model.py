"""The table of themes: what a dataset had when it was last written, and why."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.harvest.model import utcnow

Session = model.Session


class DatasetTheme(tk.BaseModel):  # type: ignore[misc, name-defined]
    """The themes of a dataset, harvested or not.

    Attributes:
        theme, theme_secondary: stored names of the dataset's themes.
        theme_origin: origin of its theme: "source", "function", "service", "eu", "inspire",
            "topic", "words" (a suggestion) or "person"; "" where it has none.
        themes: all candidates, best first: [{"theme", "score", "reasons": [[kind,
            text, where, points], …]}, …] (themes/choice.py).
        assessed: when the result last changed.
    """

    __tablename__ = "ukharvest_theme"

    package_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("package.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    theme = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    theme_secondary = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    theme_origin = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    themes = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    assessed = sa.Column(sa.DateTime, nullable=False, default=utcnow)


def themes_of(package_id: str) -> tuple[tuple[str, tuple[str, ...]], str] | None:
    """Return the themes of a dataset when it was last written, and their origin."""
    table = DatasetTheme
    query = sa.select(table.theme, table.theme_secondary, table.theme_origin)
    row = Session.execute(query.where(table.package_id == package_id)).first()
    return ((row[0], tuple(row[1])), row[2]) if row else None
