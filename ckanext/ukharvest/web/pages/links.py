"""Pages: links of resources that do not work, by source, organisation and host, and as CSV."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.helpers import Page
from flask import Blueprint, Response

from ckanext.ukharvest.logic.paging import collect_pages
from ckanext.ukharvest.web.pages.common import ask, asked_page, count_pages, csv_response

links = Blueprint("ukharvest_links", __name__)

PER_PAGE = 50
CSV_PAGE = 1000
_FILTERS = ("source", "organization", "host", "state")
_OF = ("source", "organization")  # whom the links belong to
_COLUMNS = (
    *("dataset", "title", "resource_id", "resource_name", "url", "host", "state", "since"),
    *("reason", "status", "worked", "tried", "source", "organization"),
)


@links.route("/harvest/links")
def report() -> str:
    asked = _asked()
    of = {name: asked[name] for name in _OF if name in asked}
    values = {
        "report": ask("ukharvest_broken_link_report", **of),
        "asked": asked,
        "page": _page_of(asked),
    }
    return str(tk.render("ukharvest/links.html", values))


@links.route("/harvest/links.csv")
def report_csv() -> Response:
    asked = _asked()
    rows = collect_pages(
        lambda offset: ask("ukharvest_broken_link_list", **asked, limit=CSV_PAGE, offset=offset)
    )
    return csv_response(rows, _COLUMNS, "links")


def _asked() -> dict[str, str]:
    """Return the filters that the URL has."""
    return {name: text for name in _FILTERS if (text := tk.request.args.get(name, ""))}


def _page_of(asked: dict[str, str]) -> Page:
    number = asked_page()
    offset = (number - 1) * PER_PAGE
    found = ask("ukharvest_broken_link_list", **asked, limit=PER_PAGE, offset=offset)
    count_pages(found["count"], PER_PAGE, number)  # leaves, where there is no such page

    def url(**more: Any) -> str:
        return str(tk.url_for("ukharvest_links.report", **asked, **more))

    return Page(
        collection=found["results"],
        page=number,
        url=url,
        item_count=found["count"],
        items_per_page=PER_PAGE,
        presliced_list=True,
    )
