"""What there is to do at sources: one statement of all features' rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.lib.slots import ToDo


class Row(NamedTuple):
    """Something to do at a source.

    Attributes:
        kind: which of the ``ToDo`` it is of.
        name, title: of the source.
        found: what its ``check`` returned.
    """

    kind: int
    name: str
    title: str
    found: Any


def load_rows(kinds: Sequence[ToDo], organisations: Sequence[str] | None) -> list[Row]:
    """Return what there is to do at sources, by kind and title; one statement.

    Args:
        organisations: ids of those whose sources the user may edit, None for all.
    """
    union = " UNION ALL ".join(
        f"SELECT {number} AS kind, source_id, whom, facts FROM ({kind.rows}) AS rows_{number}"  # noqa: S608 - texts of our own
        for number, kind in enumerate(kinds)
    )
    query = sa.text(_ROWS.format(union=union)).bindparams(_ORGANISATIONS)
    given = {"now": utcnow(), "organisations": organisations}
    rows = model.Session.execute(query, given)
    checked = ((row, kinds[row.kind].check(row.facts)) for row in rows)
    return [Row(row.kind, row.name, row.title, found) for row, found in checked if found]


_ORGANISATIONS = sa.bindparam("organisations", type_=ARRAY(sa.UnicodeText))
_ROWS = """
    SELECT task.kind, task.facts, source.name, COALESCE(NULLIF(source.title, ''), source.name)
               AS title
      FROM ({union}) AS task
      JOIN package AS source ON source.id = task.source_id AND source.state = 'active'
     WHERE CAST(:organisations AS text[]) IS NULL OR task.whom <@ CAST(:organisations AS text[])
     ORDER BY task.kind, lower(source.title), source.id
"""
