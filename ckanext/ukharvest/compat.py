"""Functions that hide the differences between CKAN versions."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import pysolr
import sqlalchemy as sa
from ckan import logic, model
from ckan.lib import search
from ckan.lib.plugins import DefaultDatasetForm, lookup_package_plugin
from ckan.logic.schema import default_show_package_schema
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest import bulk_rows, write_batch
from ckanext.ukharvest.bulk_rows import BulkRows
from ckanext.ukharvest.write_batch import WriteBatch

log = logging.getLogger(__name__)

# Names of the applied patches (patches/) → the functions replaced whose source was never tested:
# for ``ckan ukharvest doctor``.
applied_patches: dict[str, list[str]] = {}
# The same of those that were not applied, because they need the tested source.
omitted_patches: dict[str, list[str]] = {}

# CKAN 2.12 indexes inside the actions and needs the dicts of both schemas; older versions index at
# each commit of the session, in a model listener.
INDEXES_IN_ACTIONS = hasattr(logic, "package_show_default_and_custom_schemas")


class IndexFailed(Exception):
    """The search index does not answer; the database is already committed."""


class _Collector:
    """Takes the documents that CKAN's index would send in a request each."""

    def __init__(self, documents: list[dict[str, Any]], connect: Callable[[], Any]) -> None:
        self._documents = documents
        self._connect = connect

    def __getattr__(self, name: str) -> Any:
        """Do anything else, such as deletions, at once."""
        return getattr(self._connect(), name)

    def add(self, docs: list[dict[str, Any]], **_more: Any) -> None:
        self._documents.extend(docs)


def collect_documents(make_connection: Callable[..., Any]) -> Callable[..., Any]:
    """Return CKAN's function that connects to Solr, changed for ``index_packages``."""

    def make(*args: Any, **more: Any) -> Any:
        batch = write_batch.current()
        if batch is None or batch.documents is None:
            return make_connection(*args, **more)
        return _Collector(batch.documents, lambda: make_connection(*args, **more))

    return make


# Part of pysolr's message if Solr has read a document and refuses it.
_REFUSED = "(HTTP 400)"


def index_packages(ids: Sequence[str], values: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Update the search index for datasets whose transaction is committed.

    Args:
        ids: ids of datasets that were written, deleted or purged.
        values: ids of those that exist → what our index fields need
            (``index_values.load_index_values``); None: it is loaded.

    Returns:
        Package id → why Solr refused its document; the others are indexed.

    Raises:
        IndexFailed: the index does not answer.
    """
    query = model.Session.query(model.Package.id).filter(model.Package.id.in_(ids))
    if tk.config.get("ckan.search.remove_deleted_packages", True):
        query = query.filter(model.Package.state != "deleted")
    values = {row[0]: values.get(row[0]) if values else None for row in query}
    try:
        remove_from_index(sorted(set(ids) - values.keys()))
        documents, refused = _build(values)
    except (search.SearchIndexError, search.SearchError) as exc:
        raise IndexFailed(str(exc)) from exc
    return refused | _send(documents)


REMOVALS = 100  # ids in one request


def remove_from_index(package_ids: Sequence[str]) -> None:
    """Take datasets out of the index.

    Raises:
        SearchIndexError: the index could not be written.
    """
    commit = bool(tk.config.get("ckan.search.solr_commit"))
    site = tk.config.get("ckan.site_id")
    for start in range(0, len(package_ids), REMOVALS):
        either = " OR ".join(f'"{id_}"' for id_ in package_ids[start : start + REMOVALS])
        try:
            connection = search.common.make_connection()
            connection.delete(q=f'+site_id:"{site}" +id:({either})', commit=commit)
        except Exception as exc:
            raise search.SearchIndexError(str(exc)) from exc


def _build(values: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the datasets' documents; and package id → why there is none."""
    documents: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    # Rows for one dataset would take as many statements as CKAN's own.
    is_bulk = len(values) > 1 and bulk_rows.PATCH in applied_patches
    rows = BulkRows(values) if is_bulk else None
    with write_batch.use(WriteBatch(documents=documents, index_values=values, rows=rows)):
        for package_id in sorted(values):
            try:
                _index(package_id, defer_commit=True)
            except (sa.exc.SQLAlchemyError, search.SearchIndexError, search.SearchError):
                raise
            except Exception as exc:
                log.exception("Dataset %s could not be made ready for the index", package_id)
                refused[package_id] = f"{type(exc).__name__}: {exc}"
    return documents, refused


def _send(documents: list[dict[str, Any]]) -> dict[str, str]:
    """Send documents to Solr in one request; one by one if it refuses that.

    Returns:
        Package id → why Solr refused its document.
    """
    if not documents:
        return {}
    commit = bool(tk.config.get("ckan.search.solr_commit"))
    try:
        search.common.make_connection().add(docs=documents, commit=commit)
    except (pysolr.SolrError, OSError) as exc:
        if _REFUSED not in str(exc):
            raise IndexFailed(str(exc)) from exc
        if len(documents) == 1:
            name = documents[0].get("name")
            log.error("The search index refused dataset %s: %s", name, exc)
            return {str(documents[0]["id"]): str(exc)}
    else:
        return {}
    half = len(documents) // 2
    return _send(documents[:half]) | _send(documents[half:])


def _index(package_id: str, *, defer_commit: bool) -> None:
    if INDEXES_IN_ACTIONS:
        logic.index_update_package_dicts(
            show_by_both_schemas(package_id), defer_commit=defer_commit
        )
        return
    context = {"ignore_auth": True, "validate": False, "use_cache": False}
    shown = logic.get_action("package_show")(context, {"id": package_id})
    search.index_for(model.Package).update_dict(shown, defer_commit)


def show_by_both_schemas(package_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what CKAN 2.12 indexes of a dataset: by CKAN's schema, and by its type's own.

    A type without a form of its own has the same schema twice. CKAN's function means to validate
    once then, but compares schemas with functions that are new in each, and so validates twice.
    That and the query for the name were 10 % of an import.

    Only for CKAN versions with ``INDEXES_IN_ACTIONS``.
    """
    package = model.Package.get(package_id)
    if package is None or type(lookup_package_plugin(package.type)) is not DefaultDatasetForm:
        return logic.package_show_default_and_custom_schemas({"ignore_auth": True}, package_id)
    context = {"ignore_auth": True, "use_cache": False, "validate": False}
    stored = tk.get_action("package_show")(context, {"id": package_id})
    schema = default_show_package_schema()
    # The name is stored, so no other dataset has it, and the query for one is spared.
    is_free = tk.get_validator("package_name_validator")
    schema["name"] = [validator for validator in schema["name"] if validator is not is_free]
    by_default, _errors = tk.navl_validate(stored, schema, context)
    shown = copy.deepcopy(by_default)
    logic.apply_after_dataset_show_plugins(context, shown)
    return by_default, shown


def index_harvest_source(source_id: str, *, defer_commit: bool) -> None:
    """Index a harvest source with all its fields.

    On CKAN 2.12 ckanext-harvest 1.6.3 indexes a dict without any schema applied: the source's
    type, frequency and configuration are then empty (ckanext-harvest issue 581).

    Only for CKAN versions with ``INDEXES_IN_ACTIONS``.
    """
    _index(source_id, defer_commit=defer_commit)


def dataset_extra(key: str) -> Any:
    """Return an SQL expression for an extra's value, for queries over ``model.Package``.

    CKAN 2.12 keeps extras in a JSONB column of the dataset, 2.11 in a table of their own.
    """
    if "extras" in model.package_table.c:
        return model.package_table.c.extras[key].astext
    extra = model.PackageExtra
    return (
        sa.select(extra.value)
        .where(extra.package_id == model.Package.id, extra.key == key, extra.state == "active")
        .scalar_subquery()
    )


def replace_dataset_extra(key: str, changes: Sequence[tuple[str, str, str]]) -> set[str]:
    """Replace the value of an extra in datasets, past CKAN's actions; the caller commits.

    Args:
        changes: [(dataset id, old value, new value), …]; datasets with another value stay.

    Returns:
        Ids of the datasets that changed: they have to be indexed.
    """
    statement = sa.text(_REPLACE_EXTRA if "extras" in model.package_table.c else _REPLACE_EXTRA_ROW)
    lists = [sa.bindparam(name, type_=ARRAY(sa.UnicodeText)) for name in ("ids", "old", "new")]
    if not changes:
        return set()
    ids, old, new = (list(values) for values in zip(*changes, strict=True))
    values = {"key": key, "ids": ids, "old": old, "new": new}
    return {row[0] for row in model.Session.execute(statement.bindparams(*lists), values)}


_REPLACE_EXTRA = """
    UPDATE package SET extras = package.extras || jsonb_build_object(CAST(:key AS text), given.new)
      FROM unnest(:ids, :old, :new) AS given (id, old, new)
     WHERE package.id = given.id AND package.extras ->> :key = given.old
 RETURNING package.id
"""
_REPLACE_EXTRA_ROW = """
    UPDATE package_extra AS extra SET value = given.new
      FROM unnest(:ids, :old, :new) AS given (id, old, new)
     WHERE extra.package_id = given.id AND extra.key = :key AND extra.value = given.old
       AND extra.state = 'active'
 RETURNING extra.package_id
"""


def group_extra_sql(group: str, key: str) -> str:
    """Return an SQL expression for an extra of a group or organisation.

    CKAN 2.12 keeps these extras in a JSONB column, 2.11 in a table of their own.

    Args:
        group: name of the table "group" in the statement, of our own, as is the key.
    """
    if "extras" in model.group_table.c:
        return f"{group}.extras ->> '{key}'"
    return (
        f"(SELECT value FROM group_extra WHERE group_id = {group}.id AND key = '{key}'"  # noqa: S608 - names of our own
        " AND state = 'active')"
    )


def removal_of_group_extra(key: str) -> list[dict[str, Any]]:
    """Return what to send to ``organization_update`` to remove a stored extra.

    CKAN 2.12 removes what is not sent; CKAN 2.11 keeps the last extra unless it is marked.
    """
    return [] if "extras" in model.group_table.c else [{"key": key, "value": "", "deleted": True}]


def rollback() -> None:
    """Roll back the session; replace it if that fails."""
    try:
        model.Session.rollback()
    except Exception:  # noqa: BLE001 - a connection that is gone is replaced by a new one
        log.warning("Session could not be rolled back; a new one is used", exc_info=True)
        model.Session.remove()


def close_session() -> None:
    """Close the session, whose connection PostgreSQL may have closed meanwhile; never raises."""
    try:
        model.Session.remove()
    except Exception:  # noqa: BLE001 - the failed rollback has discarded the connection
        log.warning("The connection of a session was gone when it was closed", exc_info=True)
        model.Session.remove()
