"""Queries: the rows of tables of values, and the values that the last imports met."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.harvest.model import ValueMapping
from ckanext.ukharvest.mapping.record_values import fold

Session = model.Session

MOST_PROPOSED = 500
Key = tuple[str, str]  # field, folded value

# Values that are not understood, and those that a table had, with the number of datasets.
_MET = sa.text(
    """
    SELECT field.key AS field, met.key AS value, met.value = '' AS is_open, count(*) AS number
      FROM ukharvest_record AS record
      JOIN package ON package.id = record.package_id AND package.state = 'active'
     CROSS JOIN LATERAL jsonb_each(record.source_values) AS field
     CROSS JOIN LATERAL jsonb_each_text(field.value) AS met
     WHERE met.value IS NOT NULL AND (CAST(:source AS text) IS NULL OR record.source_id = :source)
     GROUP BY field.key, met.key, met.value = ''
     ORDER BY count(*) DESC, field.key, met.key
    """
)


class Met(NamedTuple):
    """A publisher's value in the records, whether it is not understood, and their number."""

    field: str
    value: str
    is_open: bool
    number: int


def load_met(source_id: str | None) -> list[Met]:
    """Return the values that the last imports of a source, or of all, met; the most frequent first.

    One statement over all of their records.
    """
    return [Met(*row) for row in Session.execute(_MET, {"source": source_id})]


def load_rows(source_id: str | None) -> list[ValueMapping]:
    """Return the rows of a source's table, or of the portal's for None."""
    query = Session.query(ValueMapping).filter(
        ValueMapping.source_id.is_not_distinct_from(source_id)
    )
    return list(query.order_by(ValueMapping.field, ValueMapping.value, ValueMapping.id))


def save_rows(source_id: str | None, rows: dict[Key, tuple[str, str]]) -> None:
    """Add rows to a table, or replace them; commit.

    Args:
        rows: field and folded value → the value as written, and ours; "" removes the row.
    """
    for row in load_rows(source_id):
        if (row.field, fold(row.value)) in rows:
            Session.delete(row)
    Session.add_all(
        ValueMapping(source_id=source_id, field=key[0], value=value, ours=ours)
        for key, (value, ours) in rows.items()
        if ours
    )
    Session.commit()
