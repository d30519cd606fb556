"""Actions: list and change the tables of values of a source or of the portal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import authz, model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.harvest.sources import source_config, value_tables
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import source_of
from ckanext.ukharvest.mapping.record_values import OF_PORTAL, ORGANISATION, fold
from ckanext.ukharvest.value_tables import model as rows_model
from ckanext.ukharvest.value_tables import schema as row_schema
from ckanext.ukharvest.value_tables.model import MOST_PROPOSED, Key

SOURCE, PORTAL = "source", "portal"
_NO_OPTIONS: Mapping[str, Any] = {"organisations": {}, "remote_orgs": ""}


@tk.side_effect_free
def ukharvest_value_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List a table of values, and the publishers' values that it lacks.

    For users who may update the source; without a source, the table for all sources, for sysadmins.
    Values that are not understood are those of the last import of each record.

    :param source: id or name of a harvest source (optional, default: the portal's table)
    :type source: string

    :returns: ``source_id`` (null for the portal's table); ``results``: dicts with ``field``,
        ``value`` (the publisher's), ``ours`` ("" for a value that no table has), ``scope``
        ("source" or "portal": whose table has the row; "" for none) and ``count`` (number of
        datasets), rows first, then at most 500 values, the most frequent first; ``choices``: field
        → dicts with ``value`` and ``label``, of the fields that have a list
    :rtype: dictionary
    """
    tk.check_access("ukharvest_value_list", context, data_dict)
    return _listed(_source_id(data_dict), context)


def _source_id(data_dict: dict[str, Any]) -> str | None:
    source = data_dict.get("source")
    return str(source_of({"source_id": source}).id) if source else None


def _is_free(context: Any) -> bool:
    return bool(context.get("ignore_auth") or authz.is_sysadmin(context.get("user")))


def _listed(source_id: str | None, context: Any) -> dict[str, Any]:
    met = rows_model.load_met(source_id)
    counts: dict[Key, int] = {}
    for each in met:
        key = each.field, fold(each.value)
        counts[key] = counts.get(key, 0) + each.number
    scopes = {SOURCE: source_id, PORTAL: None} if source_id else {PORTAL: None}
    tables = {scope: rows_model.load_rows(id_) for scope, id_ in scopes.items()}
    names = _names(row.ours for rows in tables.values() for row in rows if row.field in OF_PORTAL)
    results: dict[Key, dict[str, Any]] = {}
    for scope, rows in tables.items():
        for row in rows:
            key = row.field, fold(row.value)
            # Of the portal's table a source sees what its records have.
            if key not in results and (scope == SOURCE or not source_id or key in counts):
                results[key] = {
                    "field": row.field,
                    "value": row.value,
                    "scope": scope,
                    "ours": names.get(row.ours, row.ours),
                    "count": counts.get(key, 0),
                }
    own = _own_names(source_id)
    proposed = [
        {"field": each.field, "value": each.value, "scope": "", "ours": "", "count": each.number}
        for each in met
        if each.is_open and (each.field, fold(each.value)) not in results
        if each.field != ORGANISATION or fold(each.value) not in own
    ]
    choices = row_schema.choices(context.get("user"), is_free=_is_free(context))
    return {
        "source_id": source_id,
        "results": [*results.values(), *proposed[:MOST_PROPOSED]],
        "choices": {
            field: [{"value": value, "label": label} for value, label in values]
            for field, values in choices.items()
        },
    }


def _names(ids: Iterator[str]) -> dict[str, str]:
    """Return id → name of organisations and groups."""
    query = sa.select(model.Group.id, model.Group.name).where(model.Group.id.in_(list(ids)))
    return dict(map(tuple, model.Session.execute(query)))


def _own_names(source_id: str | None) -> set[str]:
    """Return the names of a source's organisation, or of all: those need no row."""
    query = sa.select(model.Group.name, model.Group.title).where(model.Group.is_organization)
    if source_id:
        query = query.where(model.Group.id == model.Package.get(source_id).owner_org)
    return {fold(text) for row in model.Session.execute(query) for text in row if text}


def ukharvest_value_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Add, replace and remove rows of a table of values; others stay.

    For users who may update the source: to and from organisations that they administer, and groups
    that they may add datasets to. Without a source, the table for all sources, for sysadmins: at
    most 100 extra fields each. The next run of each source imports the records again that come out
    differently.

    :param source: id or name of a harvest source (optional, default: the portal's table)
    :type source: string
    :param values: the rows: dicts with ``field`` ("organisation", "licence", "theme", "frequency",
        "group", "type", "language", or the name of an extra field), ``value`` (the publisher's;
        case and blanks do not matter) and ``ours`` (name or id of an organisation or group, or the
        value here; "" removes the row)
    :type values: list of dictionaries

    :returns: as :py:func:`ukharvest_value_list`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_value_update", context, data_dict)
    source_id = _source_id(data_dict)
    rows = [
        row_schema.Row(*row) for row in schema.rows(data_dict, "values", row_schema.Row._fields)
    ]
    user, is_free = context.get("user"), _is_free(context)
    table = rows_model.load_rows(source_id)
    stored = {(row.field, fold(row.value)): row.ours for row in table}
    others = _load_others(source_id) if source_id and not is_free else {}
    checked, errors = row_schema.check(rows, stored, user, others=others, is_free=is_free)
    if errors:
        raise tk.ValidationError(errors)
    rows_model.save_rows(source_id, checked)
    return _listed(source_id, context)


def _load_others(source_id: str) -> Mapping[Key, str]:
    """Return what values become where a source's own table has no row: id or name of a group."""
    source = HarvestSource.get(source_id)
    kind = source_types.find(source.type)
    try:
        options = source_config.read_options(kind, source.config) if kind else _NO_OPTIONS
    except ConfigError:
        options = _NO_OPTIONS
    return value_tables.load(None, options).ours
