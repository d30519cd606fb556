"""Actions: whether data follow their schema, of one resource, as a list, and as figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.sources import organisation_of
from ckanext.ukharvest.model import data_check_report, data_checks, data_schemas
from ckanext.ukharvest.presentation.messages import data_checks as texts

_FIGURES = ("errors", "checked", "unit", "reason", "schema_type", "schema_url")


@tk.side_effect_free
def ukharvest_data_check_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show whether a resource's data follow its schema. For users who may read the resource.

    :param id: id of the resource
    :type id: string

    :returns: {} if the resource has no schema, else ``schema_url``, ``schema_title`` (of a listed
        schema, else the URL), ``schema_fields`` (number of fields of a listed schema, null where
        the list does not have it), ``is_pending`` (there is no result of this URL and schema yet),
        ``schema_error`` (why the schema could not be read at the last attempt, "" if it could)
        and, with a result: ``verdict`` (``valid``, ``invalid``: there are errors, or
        ``unchecked``), ``summary`` (the same in words), ``reason`` (why the data were not
        checked), ``errors`` and ``checked`` (numbers; ``unit`` is what ``checked`` counts),
        ``schema_type``, ``report`` (all of the report; ``findings`` are the first errors: ``row``,
        ``column``, ``found``, ``expected``, ``example``, ``code``; of tables also ``sample``,
        with ``header`` and ``rows``: ``row``, ``cells``, ``left_out``, ``faults``; and
        ``columns``: ``name``, ``type``, ``others``, ``empty``, ``smallest``, ``largest``,
        ``distinct``, ``has_more``), ``has_csv`` (whether all
        errors can be downloaded), ``fault`` (why the data could not be read since), and times in
        UTC in ISO 8601: ``found`` (of the result) and ``tried``
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_data_check_show", context, data_dict)
    resource = model.Resource.get(id_)
    if resource is None or resource.state != "active":
        raise tk.ObjectNotFound(tk._("No resource has this id."))
    known = data_checks.candidates(resource_id=id_)
    if not known:
        return {}
    (found,) = known
    stored = data_schemas.load([found.schema_url]).get(found.schema_url)
    shown = {
        "schema_url": found.schema_url,
        "schema_title": _schema_title(found.schema_url),
        "schema_fields": _schema_fields(found.schema_url),
        "schema_error": stored.error if stored else "",
        "is_pending": not found.is_same,
    }
    row = data_checks.find(id_) if found.is_same else None
    return {**shown, **_with_report(row)} if row else shown


def _with_report(row: Any) -> dict[str, Any]:
    report = {**row.report, "summary": texts.summarise(row)}
    more = {"report": report, "has_csv": bool(row.errors), "fault": row.fault}
    return {**short(row), **more, "tried": iso(row.tried)}


def short(row: Any) -> dict[str, Any]:
    """Return a result without its findings, as ``package_show`` has it with a resource."""
    figures = {name: getattr(row, name) for name in _FIGURES}
    own = {"verdict": row.verdict, "summary": texts.summarise(row), "found": iso(row.found)}
    return {**own, **figures}


@tk.side_effect_free
def ukharvest_data_check_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List resources of public datasets whose data were checked against a schema. For everybody.

    :param organization: name or id of one organisation (optional, default: all)
    :type organization: string
    :param schema: URL of a schema (optional, default: all)
    :type schema: string
    :param verdict: ``valid``, ``invalid`` or ``unchecked`` (optional, default: all)
    :type verdict: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip; the most errors come first (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``dataset`` (name), ``title``,
        ``resource_id``, ``resource_name``, ``url``, and as in
        :py:func:`ukharvest_data_check_show` ``schema_url``, ``schema_title``, ``schema_type``,
        ``verdict``, ``summary``, ``reason``, ``errors``, ``checked``, ``unit`` and ``found``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_data_check_list", context, data_dict)
    data = schema.validate(data_dict, schema.data_check_list_schema())
    count, rows = data_check_report.resources(
        organisation_id=_organisation_id(data["organization"]),
        schema_url=data["schema"],
        verdict=data.get("verdict") or "",
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": [_listed(row) for row in rows]}


def _listed(row: Any) -> dict[str, Any]:
    check = row.DataCheck
    return {
        "dataset": row.name,
        "title": row.title or row.name,
        "resource_id": check.resource_id,
        "resource_name": row.resource_name or "",
        "url": check.url,
        "schema_title": _schema_title(check.schema_url),
        **short(check),
    }


@tk.side_effect_free
def ukharvest_data_check_report(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Count resources of public datasets by whether their data follow their schema. For everybody.

    :param organization: name or id of one organisation (optional, default: all)
    :type organization: string

    :returns: ``organizations``: dicts with ``name`` and ``title`` (null for datasets without an
        organisation), ``resources`` (number of those checked), ``valid``, ``invalid``,
        ``unchecked`` (numbers of resources) and ``errors`` (number of errors), sorted by title;
        ``schemas``: the same with ``url`` and ``title``; and ``total``: the same for all together
    :rtype: dictionary
    """
    tk.check_access("ukharvest_data_check_report", context, data_dict)
    data = schema.validate(data_dict, schema.stars_report_schema())
    rows = data_check_report.counts(_organisation_id(data["organization"]))
    organizations = [
        {"name": of[0].name, "title": of[0].title or of[0].name, **_figures(of)}
        for of in _grouped(rows, lambda row: row.id)
    ]
    schemas = [
        {"url": of[0].schema_url, "title": _schema_title(of[0].schema_url), **_figures(of)}
        for of in _grouped(rows, lambda row: row.schema_url)
    ]
    return {
        "organizations": sorted(organizations, key=_order),
        "schemas": sorted(schemas, key=_order),
        "total": _figures(rows),
    }


def _grouped(rows: Iterable[Any], key: Callable[[Any], Any]) -> list[list[Any]]:
    found: dict[Any, list[Any]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.values())


def _order(figures: dict[str, Any]) -> tuple[bool, str]:
    return figures["title"] is None, str(figures["title"]).casefold()


def _figures(rows: Iterable[Any]) -> dict[str, int]:
    found = dict.fromkeys(("resources", *texts.VERDICTS, "errors"), 0)
    for row in rows:
        found["resources"] += row.resources
        found[row.verdict] += row.resources
        found["errors"] += int(row.errors or 0)
    return found


def _schema_title(url: str) -> str:
    entry = vocabulary.row("schemas", url)
    return str(entry["title"]) if entry else url


def _schema_fields(url: str) -> int | None:
    entry = vocabulary.row("schemas", url) or {}
    return int(entry["fields"]) if entry.get("fields") else None


def _organisation_id(name_or_id: str) -> str | None:
    if not name_or_id:
        return None
    return str(organisation_of(name_or_id).id)
