"""Actions: whether data follow their schema, of one resource, as a list, and as figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.data_checks import model as data_check_model
from ckanext.ukharvest.data_checks import schema as data_check_schema
from ckanext.ukharvest.data_checks import texts as data_check_texts
from ckanext.ukharvest.harvest.database import group_pairs
from ckanext.ukharvest.lib import check_texts, schema
from ckanext.ukharvest.lib.actions import show_if_may
from ckanext.ukharvest.lib.lookups import not_found, organisation_of
from ckanext.ukharvest.lib.permissions import may_if_exists
from ckanext.ukharvest.lib.slots import Slot

_FIGURES = ("errors", "checked", "unit", "reason", "schema_type", "schema_url")
_GROUPS = {"organization": "id", "schema": "schema_url"}  # column of a row of counts


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
        raise not_found()
    candidate = next(iter(data_check_model.candidates(resource_id=id_)), None)
    if candidate is None:
        return {}
    url = candidate.schema_url
    stored = data_check_model.load_data_schemas([url]).get(url)
    fields = (vocabulary.row("schemas", url) or {}).get("fields")
    shown = {
        "schema_url": url,
        "schema_title": _schema_title(url),
        "schema_fields": int(fields) if fields else None,
        "schema_error": stored.error if stored else "",
        "is_pending": candidate.last is None,
    }
    row = data_check_model.find_data_checks(id_) if candidate.last else None
    if row is None:
        return shown
    report = {**row.report, "summary": check_texts.summarise(row)}
    more = {"report": report, "has_csv": bool(row.errors), "fault": row.fault}
    return {**shown, **short(row), **more, "tried": iso(row.tried)}


def short(row: Any) -> dict[str, Any]:
    """Return a result without its findings, as ``package_show`` has it with a resource."""
    figures = {name: getattr(row, name) for name in _FIGURES}
    own = {
        "verdict": row.verdict,
        "summary": check_texts.summarise(row),
        "found": iso(row.found),
    }
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
    :param group_by: of ``organization`` and ``schema``: count the resources of each, instead of
        listing them (optional); the other filters except ``organization`` are then ignored
    :type group_by: list of strings

    :returns: ``count`` and ``results``: dicts with ``dataset`` (name), ``title``,
        ``resource_id``, ``resource_name``, ``url``, and as in
        :py:func:`ukharvest_data_check_show` ``schema_url``, ``schema_title``, ``schema_type``,
        ``verdict``, ``summary``, ``reason``, ``errors``, ``checked``, ``unit`` and ``found``.
        With ``group_by`` instead ``organizations``: dicts with ``name`` and ``title`` (null for
        datasets without an organisation), ``resources`` (number of those checked), ``valid``,
        ``invalid``, ``unchecked`` (numbers of resources) and ``errors`` (number of errors), sorted
        by title; ``schemas``: the same with ``url`` and ``title``; and ``total``: the same for all
        together
    :rtype: dictionary
    """
    tk.check_access("ukharvest_data_check_list", context, data_dict)
    data = schema.validate(data_dict, data_check_schema.data_check_list_schema())
    if data["group_by"]:
        return _count(_organisation_id(data["organization"]), data["group_by"])
    count, rows = data_check_model.resources(
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


def _count(organisation_id: str | None, group_by: Collection[str]) -> dict[str, Any]:
    rows = data_check_model.counts(organisation_id)
    answer: dict[str, Any] = {"total": _figures(rows)}
    for name in group_by:
        groups = group_pairs((getattr(row, _GROUPS[name]), row) for row in rows)
        figures = [{**_group(name, group[0]), **_figures(group)} for group in groups.values()]
        figures.sort(key=lambda of: (of["title"] is None, str(of["title"]).casefold()))
        answer[f"{name}s"] = figures
    return answer


def _group(name: str, row: Any) -> dict[str, Any]:
    if name == "schema":
        return {"url": row.schema_url, "title": _schema_title(row.schema_url)}
    return {"name": row.name, "title": row.title or row.name}


def _figures(rows: Iterable[Any]) -> dict[str, int]:
    sums = dict.fromkeys(("resources", *data_check_texts.VERDICTS, "errors"), 0)
    for row in rows:
        sums["resources"] += row.resources
        sums[row.verdict] += row.resources
        sums["errors"] += int(row.errors or 0)
    return sums


def _schema_title(url: str) -> str:
    entry = vocabulary.row("schemas", url)
    return str(entry["title"]) if entry else url


def _organisation_id(name_or_id: str) -> str | None:
    return str(organisation_of(name_or_id).id) if name_or_id else None


def weekly_mail(source_ids: Collection[str]) -> dict[str, str]:
    """Return the texts of sources with files that do not follow their schema."""
    counts = data_check_model.count_invalid(source_ids)
    return {id_: data_check_texts.describe_invalid(n) for id_, n in counts.items() if n}


def resource_page(package: Mapping[str, Any], resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the check of a resource's data, as ``ukharvest_data_check_show`` does.

    {} without a schema, or if the user may not see it. Also returns ``may_edit``: whether the user
    may have the data checked again; and the names of the page's ``package`` and ``resource``.
    """
    check = show_if_may("ukharvest_data_check_show", resource["id"])
    if not check:
        return {}
    is_checked = config.checks_links() and config.checks_data()
    context = {"user": tk.current_user.name}
    may_edit = is_checked and may_if_exists(context, "package_update", id=package["id"])
    return {**check, "may_edit": may_edit, "package": package["name"], "resource": resource["id"]}


def portal_page() -> dict[str, str]:
    """Return the way to the page of checked data."""
    return {
        "url": tk.h.url_for("ukharvest_data_checks.report"),
        "label": tk._("Data and their schemas"),
    }


def dashboard(shown: Mapping[str, Any]) -> Any:
    """Return the figures of checks of data, None if there are none."""
    figures = shown.get("data") or {}
    return figures if any(figures.values()) else None


SLOTS = (
    Slot("dashboard", "ukharvest/snippets/dashboard_data.html", dashboard),
    Slot("resource_page", "ukharvest/snippets/data_check.html", resource_page),
    Slot("portal_pages", "ukharvest/snippets/portal_page.html", portal_page),
    Slot("weekly_mail", "", weekly_mail),
)

KEY = "data_check"

load_findings = data_check_model.findings_of


def add_computed(package: dict[str, Any]) -> None:
    """Add the result to each resource that was checked; one statement for the dataset.

    None for a dataset without a schema.
    """
    resources = [
        resource for resource in package.get("resources") or () if isinstance(resource, dict)
    ]
    for resource in resources:
        resource.pop(KEY, None)  # of a client that sent back what it was given
    extras = package.get("extras") or ()
    has_schema = package.get("schema") or any(extra.get("key") == "schema" for extra in extras)
    if not has_schema and not any(map(data_check_model.own_schema, resources)):
        return
    rows = {row.resource_id: row for row in data_check_model.checks_of_dataset(str(package["id"]))}
    for resource in resources:
        row = rows.get(str(resource.get("id")))
        if row and data_check_model.own_schema(resource) in ("", row.schema_url):
            resource[KEY] = short(row)


WITH_SHOW = (add_computed,)
