"""What there is to do at sources: one statement of all features' rows, for pages and mails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.lib.slots import Task, ToDo


class Row(NamedTuple):
    """Something to do at a source.

    Attributes:
        kind: which of its kinds it is of.
        source_id, name, title: of the source.
        is_own: each editor of the source may do it.
        facts: what the kind's ``check`` returned.
    """

    kind: ToDo
    source_id: str
    name: str
    title: str
    is_own: bool
    facts: Any

    def task(self) -> Task:
        """Return it as people read it."""
        return self.kind.describe(self.facts, self.name)


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
    values = {"now": utcnow(), "organisations": organisations}
    rows = model.Session.execute(query, values)
    more = {"is_of_editor": organisations is not None}
    checked = ((row, kinds[row.kind].check({**row.facts, **more})) for row in rows)
    return [
        Row(kinds[row.kind], row.id, row.name, row.title, row.is_own, facts)
        for row, facts in checked
        if facts
    ]


_ORGANISATIONS = sa.bindparam("organisations", type_=ARRAY(sa.UnicodeText))
_ROWS = """
    SELECT task.kind, task.facts, source.id, source.name,
           COALESCE(NULLIF(source.title, ''), source.name) AS title,
           task.whom <@ ARRAY[source.owner_org] AS is_own
      FROM ({union}) AS task
      JOIN package AS source ON source.id = task.source_id AND source.state = 'active'
     WHERE CAST(:organisations AS text[]) IS NULL OR task.whom <@ CAST(:organisations AS text[])
     ORDER BY task.kind, lower(source.title), source.id
"""
