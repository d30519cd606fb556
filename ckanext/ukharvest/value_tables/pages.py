"""The page of a table of values: of a source, and of all sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import pages
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.mapping import record_values
from ckanext.ukharvest.mapping.record_values import fold
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.value_tables import files
from ckanext.ukharvest.value_tables.texts import FIELDS

values = Blueprint("ukharvest_values", __name__)

_TEMPLATE = "ukharvest/values.html"


def source_tabs(base: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Return the tab of a source's table, as the place ``source_tabs`` has it."""
    return [(tk._("Values"), f"{base}/values", "right-left", ())]


SLOTS = (
    Slot("source_tabs", "", source_tabs),
    Slot("dashboard", "ukharvest/snippets/dashboard_values.html", lambda _dashboard: True),
)


@values.route("/harvest/<name>/values", methods=["GET", "POST"])
def show_source(name: str) -> Any:
    """Show or change the table of a source."""
    return _page(source_pages.find_source(name))


@values.route("/ckan-admin/ukharvest/values", methods=["GET", "POST"])
def show_portal() -> Any:
    """Show or change the table for all sources."""
    return _page(None)


@values.route("/harvest/<name>/values.csv")
def show_source_csv(name: str) -> Response:
    """Return the table of a source, with the values that it lacks, as CSV."""
    return _csv(source_pages.find_source(name))


@values.route("/ckan-admin/ukharvest/values.csv")
def show_portal_csv() -> Response:
    """Return the table for all sources as CSV."""
    return _csv(None)


def _scope(source: dict[str, Any] | None) -> dict[str, str]:
    return {"source": source["id"]} if source else {}


def _csv(source: dict[str, Any] | None) -> Response:
    rows = pages.ask("ukharvest_value_list", **_scope(source))["results"]
    name = f"values-{source['name']}" if source else "values"
    return pages.csv_response(rows, (*files.COLUMNS, "scope", "count"), name)


def _page(source: dict[str, Any] | None) -> Any:
    listed = pages.ask("ukharvest_value_list", **_scope(source))
    if tk.request.method != "POST":
        return _shown(source, listed, {})
    pages.check_token()
    try:
        data = {**_scope(source), "values": _sent(listed["results"])}
        tk.get_action("ukharvest_value_update")(action_tools.context(), data)
    except tk.ValidationError as exc:
        action_tools.roll_back()
        return _shown(source, listed, exc.error_dict)
    except ValueError as exc:
        return _shown(source, listed, {"upload": [str(exc)]})
    tk.h.flash_success(tk._("Saved. The next run imports the records that this concerns again."))
    return tk.redirect_to(tk.request.path)


def _sent(listed: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the rows of the form and of its file that were changed.

    Args:
        listed: the rows that the page and its CSV have, also of the portal's table.

    Raises:
        ValueError: the file cannot be read.
    """
    form, upload = tk.request.form, tk.request.files.get("upload")
    lists = (form.getlist(name) for name in ("field", "value", "ours", "before"))
    rows = [
        {"field": field, "value": value, "ours": ours}
        for field, value, ours, before in zip(*lists, strict=False)
        if value.strip() and ours.strip() != before
    ]
    if upload and upload.filename:
        language = config.portal_language()
        same = {(row["field"], fold(row["value"]), row["ours"]) for row in listed}
        read = files.read(upload.read(), upload.filename, form.get("of", ""), language)
        rows += [row for row in read if (row["field"], fold(row["value"]), row["ours"]) not in same]
    return rows


def _shown(
    source: dict[str, Any] | None, listed: dict[str, Any], errors: dict[str, list[str]]
) -> str:
    variables = {
        "listed": listed,
        "errors": errors,
        "fields": {name: str(tk._(label)) for name, label in FIELDS.items()},
        "names": record_values.FIELDS,
        "frame": "ukharvest/source_page.html" if source else "ukharvest/admin_page.html",
        "csv_url": f"{tk.request.script_root}{tk.request.path}.csv",
        "of": source or {},
    }
    if source:
        return source_pages.render(_TEMPLATE, source, **variables)
    return str(tk.render(_TEMPLATE, variables))
