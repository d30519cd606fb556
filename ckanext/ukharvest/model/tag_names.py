"""Create tags before the datasets that have them.

``tag`` is unique by name and vocabulary, which PostgreSQL does not enforce where the vocabulary is
NULL: two batches with the same new tag would each create one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model.locks import TAGS

Session = model.Session


def create_missing(names: Iterable[str]) -> None:
    """Create the free tags of these names that do not exist; commits if there are any."""
    wanted = sorted(set(names))
    if not wanted or not _missing(wanted):
        return
    Session.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": TAGS})
    rows = [{"id": str(uuid.uuid4()), "name": name} for name in _missing(wanted)]
    if rows:
        Session.execute(sa.insert(model.Tag.__table__), rows)
    Session.commit()


def _missing(wanted: list[str]) -> list[str]:
    query = Session.query(model.Tag.name).filter(
        model.Tag.name.in_(wanted), model.Tag.vocabulary_id.is_(None)
    )
    there = {row[0] for row in query}
    return [name for name in wanted if name not in there]
