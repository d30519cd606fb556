"""The rows of many datasets, read by one statement a table, for CKAN's own ``package_dictize``.

CKAN reads a dataset for the index by six statements or seven. For a batch as many are enough: its
own code makes the dicts, and gets the rows from here (patches).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData

from ckanext.ukharvest import write_batch

PATCH = "rows-in-bulk (for our own index requests)"

_resource, _tag, _link = model.resource_table, model.tag_table, model.package_tag_table
_group, _member, _relation = model.group_table, model.member_table, model.package_relationship_table
_package = model.package_table


class BulkRows:
    """What ``package_dictize`` asks for, of these datasets.

    Attributes:
        ids: of the datasets.
    """

    def __init__(self, ids: Collection[str]) -> None:
        self.ids = frozenset(ids)
        # CKAN and ckanext-harvest look for these in the session, which keeps what is referenced.
        query = model.Session.query(model.Package)
        self._packages = query.filter(model.Package.id.in_(self.ids)).all()
        objects = model.Session.query(HarvestObject.harvest_source_id).filter(
            HarvestObject.package_id.in_(self.ids), HarvestObject.current
        )
        sources = model.Session.query(HarvestSource)
        self._sources = sources.filter(HarvestSource.id.in_(objects.distinct())).all()
        self._rows: dict[tuple[str, str], list[Any]] = {}
        self._keys: dict[str, list[str]] = {}
        tags = sa.select(_tag, _link.c["state"]).join(_link, _tag.c["id"] == _link.c["tag_id"])
        groups = (
            sa.select(_group, _member.c["capacity"])
            .join(_member, _group.c["id"] == _member.c["group_id"])
            .where(_member.c["state"] == "active", _group.c["is_organization"] == sa.false())
        )
        owners = (
            sa.select(_group)
            .join(_package, _group.c["id"] == _package.c["owner_org"])
            .where(_group.c["state"] == "active")
        )
        self._load("resource", sa.select(_resource), _resource.c["package_id"])
        self._load("package_tag", tags, _link.c["package_id"])
        self._load("member", groups, _member.c["table_id"])
        self._load("group", owners, _package.c["id"])
        for side in ("subject_package_id", "object_package_id"):
            self._load(side, sa.select(_relation), _relation.c[side])
        if "extras" not in _package.c:  # CKAN 2.11
            extra = model.package_extra_table
            self._load("package_extra", sa.select(extra), extra.c["package_id"])

    def _load(self, name: str, query: sa.Select[Any], column: sa.Column[str]) -> None:
        result = model.Session.execute(query.add_columns(column).where(column.in_(self.ids)))
        self._keys[name] = list(result.keys())[:-1]
        for *values, id_ in result:
            self._rows.setdefault((name, id_), []).append(tuple(values))

    def answer(self, query: Any, table: Any, package_id: str) -> Any:
        """Return the result of a statement of ``package_dictize``."""
        name = query.whereclause.left.name if table is _relation else table.name
        rows = self._rows.get((name, package_id), ())
        return IteratorResult(SimpleResultMetaData(self._keys[name]), iter(rows))


def execute_of(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Answer the statements of ``package_dictize`` from the rows of the batch that is indexed."""

    def _execute(query: Any, table: Any, context: Any) -> Any:
        batch = write_batch.current()
        rows = batch.rows if batch else None
        package = context.get("package")
        if rows is None or package is None or package.id not in rows.ids:
            return stock(query, table, context)
        return rows.answer(query, table, package.id)

    return _execute
