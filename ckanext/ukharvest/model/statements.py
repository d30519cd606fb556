"""Run statements that change rows past the session's objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY, insert

K = TypeVar("K")
V = TypeVar("V")


def execute(statement: sa.sql.Executable) -> Any:
    """Execute an UPDATE or DELETE; return its result.

    Objects that are in the session already keep their values. The caller commits.
    """
    return model.Session.execute(statement, execution_options={"synchronize_session": False})


def exists(*conditions: Any) -> bool:
    """Tell whether the database has a row for which these conditions hold."""
    return bool(model.Session.scalar(sa.select(sa.exists().where(*conditions))))


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return key → its values, both in their order."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def any_text(texts: Iterable[str]) -> Any:
    """Return ANY of these texts, however many: one parameter."""
    return sa.any_(sa.literal(list(texts), ARRAY(sa.UnicodeText)))


def any_number(numbers: Iterable[int]) -> Any:
    """Return ANY of these numbers, however many: one parameter."""
    return sa.any_(sa.literal(list(numbers), ARRAY(sa.BigInteger)))


def upsert(table: Any, key: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> sa.sql.Executable:
    """Return the statement that inserts rows, or updates those that exist.

    Args:
        table: class of ``model``.
        key: names of the columns that are unique together.
        rows: column → value, the same columns in each row. None of them is there twice.
    """
    statement = insert(table.__table__).values(list(rows))
    changed = {name: statement.excluded[name] for name in rows[0] if name not in key}
    return statement.on_conflict_do_update(index_elements=list(key), set_=changed)
