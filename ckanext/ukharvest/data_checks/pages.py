"""Pages: whether data follow their schemas, by organisation and schema; errors of a resource."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.data_checks.actions import load_findings
from ckanext.ukharvest.lib.pages import (
    abort_not_found,
    ask,
    check_token,
    csv_response,
    load_all,
    load_page,
    prevent_caching,
    url_filters,
)

data_checks = Blueprint("ukharvest_data_checks", __name__)

_FILTERS = ("organization", "schema", "verdict")
_COLUMNS = (
    *("dataset", "title", "resource_id", "resource_name", "url", "schema_url", "schema_title"),
    *("schema_type", "verdict", "summary", "errors", "checked", "unit", "reason", "found"),
)
_RESOURCE = "/dataset/<id>/resource/<resource_id>/data-check"


@data_checks.route("/harvest/data-checks")
def report() -> str:
    asked = url_filters(_FILTERS)
    values = {
        "report": ask(
            "ukharvest_data_check_list",
            organization=asked.get("organization", ""),
            group_by=["organization", "schema"],
        ),
        "asked": asked,
        "page": load_page("ukharvest_data_check_list", "ukharvest_data_checks.report", asked)
        if asked
        else None,
    }
    return str(tk.render("ukharvest/data_checks.html", values))


@data_checks.route("/harvest/data-checks.csv")
def report_csv() -> Response:
    rows = load_all("ukharvest_data_check_list", url_filters(_FILTERS))
    return csv_response(rows, _COLUMNS, "data-checks")


@data_checks.route(f"{_RESOURCE}.csv")
def findings_csv(id: str, resource_id: str) -> Response:
    """Return all errors of a resource's data."""
    check = ask("ukharvest_data_check_show", id=resource_id)
    text = load_findings(resource_id) if check.get("has_csv") else None
    if text is None:
        return abort_not_found()
    response = Response(text, content_type="text/csv; charset=utf-8")
    name = f"errors-{resource_id}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return prevent_caching(response)


@data_checks.route(_RESOURCE, methods=["POST"])
def check_again(id: str, resource_id: str) -> Any:
    """Queue a check of the dataset's links and data."""
    check_token()
    ask("ukharvest_link_check", id=id)
    tk.h.flash_success(tk._("The data will be checked again. That may take some minutes."))
    url = tk.url_for("dataset_resource.read", id=id, resource_id=resource_id)
    return tk.redirect_to(f"{url}#ukharvest-data-check")
