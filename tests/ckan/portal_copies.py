"""Copies of portals whose source was harvested, for tests that only need what its runs left.

The first test of a session that asks for a source runs it. Later ones get what that left: its
rows, the documents of its datasets in the search index, its keys in Redis.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pysolr
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.common import config
from ckan.lib.redis import connect_to_redis
from ckan.lib.search.common import make_connection

from tests.ckan.harvesting import Portal
from tests.publisher import Publisher, Request, Response

Rows = dict[str, list[str]]  # name of a table → its rows as PostgreSQL writes them
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?")
# Written by consumers, whatever they run.
OF_PROCESSES = {"ukharvest_worker"}
_copies: dict[tuple[str, ...], PortalCopy] = {}


@dataclass
class PortalCopy:
    """What the first runs of a source left on a portal.

    Attributes:
        began: when the source was made; UTC without a time zone, as are all times of CKAN.
        ended: when its runs had ended.
        user_id: the site's user, whom each test makes anew.
        number: how many sources the portal had made.
        rows: the new rows of each table.
        documents: documents of the search index.
        keys: Redis key → milliseconds it lives (0: for ever) and value as DUMP gives it.
    """

    source_id: str
    job_id: str
    began: dt.datetime
    ended: dt.datetime
    user_id: str
    number: int
    rows: Rows
    documents: list[dict[str, Any]]
    keys: dict[bytes, tuple[int, bytes]]
    requests: list[Request]
    connections: int


class SourceMaker:
    """Make sources that were harvested.

    Args:
        settings: what besides the arguments of a call decides what a run does.

    Attributes:
        key: all that decides what the next run does: names the copy.
        job_id: the last run of the last call.
    """

    def __init__(self, portal: Portal, publisher: Publisher, settings: dict[str, str]) -> None:
        self._portal = portal
        self._publisher = publisher
        plugins = " ".join(config["ckan.plugins"])
        self.job_id = ""
        place = publisher.base, portal.organization_id
        self.key: tuple[str, ...] = (*place, plugins, repr(sorted(settings.items())))

    def __call__(
        self,
        path: str,
        body: Any = None,
        type_: str = "data_json",
        *,
        headers: dict[str, str] | None = None,
        then: Sequence[Any] = (),
        **fields: Any,
    ) -> str:
        """Harvest a source and return its id.

        Args:
            body, headers: what to serve, as in ``Publisher.serve``; without it the source reads
                what is served already.
            then: what to serve to each further run, a body or a response. No run may delete a
                dataset.
            fields: as in ``Portal.source``.
        """
        if body is not None:
            self._publisher.serve(path, body, headers=headers or {})
        routes = self._publisher.routes
        # What a function would serve is not known before it is asked.
        assert all(isinstance(route, Response) for route in routes.values())
        # What was harvested before it in the same test is part of the portal.
        self.key += (repr((path, sorted(routes.items()), type_, sorted(fields.items()), then)),)

        def serve(body: Any) -> None:
            if isinstance(body, Response):
                self._publisher.routes[path] = body
            else:
                self._publisher.serve(path, body, headers=headers or {})

        if self.key in _copies:
            self._restore(_copies[self.key])
            for body in then[-1:]:
                serve(body)
        else:
            further = (functools.partial(serve, body) for body in then)
            _copies[self.key] = self._harvest(path, type_, fields, further)
        self.job_id = _copies[self.key].job_id
        return _copies[self.key].source_id

    def _harvest(
        self,
        path: str,
        type_: str,
        fields: dict[str, Any],
        further: Iterable[Callable[[], None]],
    ) -> PortalCopy:
        rows, keys = read_rows(), read_keys()
        asked, connections = len(self._publisher.requests), self._publisher.connections
        began = _now()
        with _sent_documents() as documents:
            source = self._portal.source(self._publisher.url(path), type_, **fields)
            job_id = self._portal.run(source)["id"]
            for change in further:
                change()
                job_id = self._portal.run(source)["id"]
        after = read_rows()
        changed = [name for name in rows if not {*rows[name]} <= {*after[name]}]
        assert not changed, f"the runs changed rows that were there before: {changed}"
        return PortalCopy(
            source_id=source,
            job_id=job_id,
            began=began.replace(microsecond=0),
            ended=_now(),
            user_id=site_user_id(),
            number=self._portal.number,
            rows=new_rows(rows, after),
            documents=list(documents.values()),
            keys={key: value for key, value in read_keys().items() if key not in keys},
            requests=self._publisher.requests[asked:],
            connections=self._publisher.connections - connections,
        )

    def _restore(self, copy: PortalCopy) -> None:
        renew = _renewed(copy, site_user_id())
        # Each table behind those that it refers to.
        tables = [each for each in model.repo.metadata.sorted_tables if copy.rows.get(each.name)]
        insert = "; ".join(map(_insert, tables))
        rows = {each.name: [renew(row) for row in copy.rows[each.name]] for each in tables}
        model.Session.remove()
        model.Session.connection().exec_driver_sql(insert, rows)
        model.Session.commit()
        model.Session.remove()
        make_connection().add([renew(document) for document in copy.documents], commit=True)
        redis = connect_to_redis()
        for key, (milliseconds, value) in copy.keys.items():
            # Another thread may have written it since Redis was emptied.
            redis.restore(key, milliseconds, value, replace=True)
        self._portal.number = copy.number
        self._publisher.requests.extend(copy.requests)
        self._publisher.connections += copy.connections


def _insert(table: sa.Table) -> str:
    """Return the statement that inserts rows, without what PostgreSQL computes itself."""
    columns = ", ".join(f'"{each.name}"' for each in table.columns if each.computed is None)
    name = table.name
    return (
        f'INSERT INTO "{name}" ({columns})'  # noqa: S608
        f' SELECT {columns} FROM unnest(%({name})s::"{name}"[])'
    )


def site_user_id() -> str:
    """Return the id of the site's user, which ``get_site_user`` of CKAN 2.11 does not."""
    return str(model.Session.query(model.User.id).filter_by(name=config["ckan.site_id"]).scalar())


def _renewed(copy: PortalCopy, user_id: str) -> Callable[[Any], Any]:
    """Return a function that gives texts, and lists and dicts of them, this test's user and times.

    The run has ended now. Whole seconds, so that times without fractions remain the same times.
    """
    later = dt.timedelta(seconds=(_now() - copy.ended).total_seconds() // 1)
    began, ended = (time.isoformat(" ", "microseconds") for time in (copy.began, copy.ended))

    def moved(match: re.Match[str]) -> str:
        text = match[0]
        if not began <= f"{text[:10]} {text[11:19]}.{text[20:]:0<6}" <= ended:
            return text  # a date of the publisher's
        return (dt.datetime.fromisoformat(text[:19]) + later).isoformat(text[10]) + text[19:]

    def renew(value: Any) -> Any:
        if isinstance(value, str):
            return _TIME.sub(moved, value.replace(copy.user_id, user_id))
        if isinstance(value, dt.datetime):
            return value + later
        if isinstance(value, list):
            return [renew(each) for each in value]
        if isinstance(value, dict):
            return {key: renew(each) for key, each in value.items()}
        return value

    return renew


def _now() -> dt.datetime:
    return dt.datetime.now(dt.timezone.utc).replace(tzinfo=None)


def read_rows() -> Rows:
    """Return the rows of all tables of CKAN and its plugins in their order."""
    model.Session.remove()
    made = {*sa.inspect(model.meta.engine).get_table_names()} - OF_PROCESSES
    names = [each.name for each in model.repo.metadata.sorted_tables if each.name in made]
    select = " UNION ALL ".join(f"SELECT '{name}', t::text FROM \"{name}\" t" for name in names)  # noqa: S608
    rows: Rows = {name: [] for name in names}
    with model.meta.engine.connect() as connection:
        for name, row in connection.exec_driver_sql(select):
            rows[name].append(row)
    return rows


def new_rows(before: Rows, after: Rows) -> Rows:
    """Return the rows that were not there before."""
    known = {name: {*rows} for name, rows in before.items()}
    return {name: [row for row in rows if row not in known[name]] for name, rows in after.items()}


def read_keys() -> dict[bytes, tuple[int, bytes]]:
    """Return each key of the tests' Redis: how long it lives (0: for ever), and its value."""
    redis = connect_to_redis()
    return {key: (max(redis.pttl(key), 0), redis.dump(key)) for key in redis.scan_iter()}


@contextmanager
def _sent_documents() -> Iterator[dict[str, dict[str, Any]]]:
    """Collect what is sent to the search index, by the index's own key."""
    documents: dict[str, dict[str, Any]] = {}
    add = pysolr.Solr.add

    def add_and_collect(self: pysolr.Solr, docs: Any, *args: Any, **more: Any) -> Any:
        docs = list(docs)
        documents.update((document["index_id"], dict(document)) for document in docs)
        return add(self, docs, *args, **more)

    def refuse(*_args: Any, **_more: Any) -> None:
        pytest.fail("a run that is copied must not delete from the search index")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pysolr.Solr, "add", add_and_collect)
        patch.setattr(pysolr.Solr, "delete", refuse)
        yield documents
