"""Pages: links of resources that do not work, by source, organisation and host, and as CSV."""

from __future__ import annotations

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.lib.pages import ask, csv_response, load_all, load_page, url_filters

links = Blueprint("ukharvest_links", __name__)

_FILTERS = ("source", "organization", "host", "state")
_OF = ("source", "organization")  # whom the links belong to
_COLUMNS = (
    *("dataset", "title", "resource_id", "resource_name", "url", "host", "state", "since"),
    *("reason", "status", "worked", "tried", "source", "organization"),
)


@links.route("/harvest/links")
def report() -> str:
    asked = url_filters(_FILTERS)
    groups = ["source", "organization", "host"]
    values = {
        "report": ask("ukharvest_broken_link_list", **url_filters(_OF), group_by=groups),
        "asked": asked,
        "page": load_page("ukharvest_broken_link_list", "ukharvest_links.report", asked),
    }
    return str(tk.render("ukharvest/links.html", values))


@links.route("/harvest/links.csv")
def report_csv() -> Response:
    rows = load_all("ukharvest_broken_link_list", url_filters(_FILTERS))
    return csv_response(rows, _COLUMNS, "links")
