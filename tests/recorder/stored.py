"""What a portal stores: rows, index documents and keys, to compare and to restore."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

import pysolr
import sqlalchemy as sa
from ckan import model
from ckan.lib.redis import connect_to_redis
from ckan.lib.search.common import make_connection

from tests.ckan.portal_copies import OF_PROCESSES
from tests.recorder.masks import Masks

# Tables with rows that are written at most every few seconds: a new time alone is no change.
_OF_SECONDS = {"system_info"}
Rows = dict[str, Counter[str]]
HOUR = 3600  # seconds
_STAMPED = {"api_token": ("last_access",), "user": ("last_active",)}


# A table's columns without those that PostgreSQL computes itself.
_COLUMNS = """
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
      FROM pg_attribute
     WHERE attrelid = %(name)s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""


class State(NamedTuple):
    """All that a portal stores.

    Attributes:
        rows: table → its rows as PostgreSQL writes them, sorted.
        values: table → the same as JSON.
        sequences: name → last value.
        documents: of the search index, by its key.
        keys: of Redis, those that last.
    """

    rows: dict[str, list[str]]
    values: Rows
    sequences: dict[str, int | None]
    documents: dict[str, dict[str, Any]]
    keys: dict[bytes, bytes]


class Store:
    """Reads and restores what a portal stores; knows what was sent to the index."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        self._tables = _table_names()
        self._collect()

    def read(self) -> State:
        """Return the state of now."""
        model.Session.remove()
        select = " UNION ALL ".join(
            f"SELECT '{name}', t::text, (to_jsonb(t){_without(name)})::text FROM \"{name}\" t"
            for name in self._tables
        )
        rows: dict[str, list[str]] = {name: [] for name in self._tables}
        values: Rows = {name: Counter() for name in self._tables}
        with model.meta.engine.connect() as connection:
            for name, row, value in connection.exec_driver_sql(select.replace("%", "%%")):
                rows[name].append(row)
                values[name][value] += 1
            for listed in rows.values():
                listed.sort()
            sequences = dict(
                map(
                    tuple,
                    connection.exec_driver_sql(
                        "SELECT sequencename::text, last_value FROM pg_sequences"
                    ),
                )
            )
        return State(rows, values, sequences, dict(self.documents), _keys())

    def restore(self, state: State) -> None:
        """Make the portal as it was."""
        model.Session.remove()
        connection = model.Session.connection()
        changed = [name for name in self._tables if name in state.rows]
        # Not DELETE: where PostgreSQL puts rows then, and so the order of lists, is chance.
        names = ", ".join(f'"{name}"' for name in changed)
        # CASCADE, since in CKAN 2.11 empty tables that no model has refer to some.
        connection.exec_driver_sql(f"TRUNCATE {names} CASCADE")
        for name in changed:
            if state.rows[name]:
                columns = connection.exec_driver_sql(_COLUMNS, {"name": f'"{name}"'}).scalar()
                connection.exec_driver_sql(
                    f'INSERT INTO "{name}" ({columns})'  # noqa: S608
                    f' SELECT {columns} FROM unnest(%(rows)s::"{name}"[])',
                    {"rows": state.rows[name]},
                )
        for name, value in state.sequences.items():
            connection.execute(
                sa.text("SELECT setval(:name, :value, :called)"),
                {"name": f'"{name}"', "value": value or 1, "called": value is not None},
            )
        model.Session.commit()
        model.Session.remove()
        if self.documents != state.documents:
            index = make_connection()
            index.delete(q="*:*", commit=False)
            index.add(list(state.documents.values()), commit=True)
        self.restore_keys(state)

    def restore_keys(self, state: State) -> None:
        """Make Redis as it was: answers that are cached for seconds depend on the machine."""
        with connect_to_redis().pipeline() as pipe:
            pipe.flushdb()
            for key, value in state.keys.items():
                pipe.restore(key, 0, value)
            pipe.execute()

    def begin_anew(self) -> None:
        """Let all sequences begin at 1; the tables are empty."""
        with model.meta.engine.begin() as connection:
            names = connection.exec_driver_sql("SELECT sequencename::text FROM pg_sequences").all()
            for (name,) in names:
                connection.exec_driver_sql(f'ALTER SEQUENCE "{name}" RESTART')

    def _collect(self) -> None:
        add, delete, documents = pysolr.Solr.add, pysolr.Solr.delete, self.documents

        def add_and_collect(solr: pysolr.Solr, docs: Any, *args: Any, **more: Any) -> Any:
            docs = list(docs)
            documents.update((each["index_id"], dict(each)) for each in docs)
            return add(solr, docs, *args, **more)

        def delete_and_look(solr: pysolr.Solr, *args: Any, **more: Any) -> Any:
            result = delete(solr, *args, **{**more, "commit": True})
            found = solr.search("*:*", fl="index_id", rows=100_000)
            left = {each["index_id"] for each in found}
            for key in documents.keys() - left:
                del documents[key]
            return result

        pysolr.Solr.add, pysolr.Solr.delete = add_and_collect, delete_and_look


def _keys() -> dict[bytes, bytes]:
    """Return the keys of Redis as DUMP gives them, but for those that end within an hour."""
    redis = connect_to_redis()
    lasting = (key for key in redis.scan_iter() if not -1 < redis.ttl(key) <= HOUR)
    dumped = ((key, redis.dump(key)) for key in lasting)
    return {key: value for key, value in dumped if value is not None}  # else it ended just now


def changes(before: State, after: State, masks: Masks) -> dict[str, list[str]]:
    """Return table → the rows that are gone ("- …") and new ("+ …"), with masks."""
    found: dict[str, list[str]] = {}
    for name, rows in after.values.items():
        old = before.values.get(name, Counter())
        gone = Counter(_masked(row, masks) for row in (old - rows).elements())
        come = Counter(_masked(row, masks) for row in (rows - old).elements())
        if name in _OF_SECONDS:
            gone, come = gone - come, come - gone
        lines = [*(f"- {row}" for row in gone.elements()), *(f"+ {row}" for row in come.elements())]
        if lines:
            found[name] = sorted(lines)
    return found


def _masked(row: str, masks: Masks) -> str:
    value = json.loads(row)
    if isinstance(value.get("id"), int):
        del value["id"]
    return json.dumps(masks.value(value), ensure_ascii=False, sort_keys=True)


def _without(table: str) -> str:
    return "".join(f" - '{column}'" for column in _STAMPED.get(table, ()))


def _table_names() -> list[str]:
    made = {*sa.inspect(model.meta.engine).get_table_names()} - OF_PROCESSES
    return [each.name for each in model.repo.metadata.sorted_tables if each.name in made]
