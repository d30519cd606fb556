"""Pages: stars of openness by organisation, and the same as CSV."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.lib.pages import ask, csv_response, load_all, load_page, url_filters
from ckanext.ukharvest.stars.texts import caption

stars = Blueprint("ukharvest_stars", __name__)

_FIGURES = ("organization", "title", "datasets", "0", "1", "2", "3", "4", "5", "average")
_REPORT_COLUMNS = (*_FIGURES, "not_rated")
_LIST_COLUMNS = ("name", "title", "stars", "code", "reason", "dead_since")


@stars.route("/harvest/stars")
def report() -> str:
    name = tk.request.args.get("organization", "")
    figures = ask("ukharvest_stars_list", organization=name, group_by="organization")
    values = {
        "captions": [caption(number) for number in range(6)],
        "rows": [_row_of(row) for row in figures["organizations"]],
        "total": _row_of(figures["total"]),
        "reasons": [
            {**row, "title": row["text"], "stars": str(row["stars"])}
            for row in figures["total"]["reasons"]
        ],
    }
    if name:
        organisation = _ask_organisation(name)
        filters = {**url_filters(["stars"]), "organization": organisation["name"]}
        page = load_page("ukharvest_stars_list", "ukharvest_stars.report", filters)
        values |= {"organisation": organisation, "page": page, "wanted": filters.get("stars", "")}
    return str(tk.render("ukharvest/stars.html", values))


@stars.route("/harvest/stars.csv")
def report_csv() -> Response:
    name = tk.request.args.get("organization", "")
    if name:
        rows = load_all("ukharvest_stars_list", {"organization": name})
        return csv_response(rows, _LIST_COLUMNS, f"stars-{_ask_organisation(name)['name']}")
    figures = ask("ukharvest_stars_list", group_by="organization")
    return csv_response(map(flatten_figures, figures["organizations"]), _REPORT_COLUMNS, "stars")


def _ask_organisation(name: str) -> dict[str, Any]:
    names = ("datasets", "users", "extras", "followers", "groups", "tags")
    few = {f"include_{key}": False for key in names}
    return dict(ask("organization_show", id=name, **few))


def flatten_figures(figures: dict[str, Any]) -> dict[str, Any]:
    """Return an organisation's figures as a flat dict, for one row of a table."""
    counts = {str(number): count for number, count in enumerate(figures["stars"])}
    return {**figures, **counts, "organization": figures.get("name")}


def _row_of(figures: dict[str, Any]) -> dict[str, Any]:
    average = figures["average"]
    return {**flatten_figures(figures), "average": "–" if average is None else f"{average:.2f}"}
