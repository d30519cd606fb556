"""Page: the list of harvest sources, instead of ckanext-harvest's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response, g

from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.logic.paging import collect_pages
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.logic.sources import TYPE
from ckanext.ukharvest.presentation.messages import status_labels as status
from ckanext.ukharvest.presentation.messages.source_status import frequency_words
from ckanext.ukharvest.web.pages.common import ask, asked_page, count_pages, csv_response

sources = Blueprint("ukharvest_sources", __name__)

PER_PAGE = 20
# Titles of the filters, in their order.
FILTERS = {
    "organization": lambda: tk._("Organisation"),
    "organization_type": lambda: tk._("Type of organisation"),
    "type": lambda: tk._("Type"),
    "health": lambda: tk._("Status"),
    "state": lambda: tk._("State"),
    "frequency": lambda: tk._("How often"),
}
SORTS = {
    "health": lambda: tk._("Needs attention first"),
    "title": lambda: tk._("Title"),
    "last_run": lambda: tk._("Last run, newest first"),
    "next_run": lambda: tk._("Next run, soonest first"),
}
# Of the CSV file. The last ones are empty for sources that the user may not manage.
COLUMNS = (
    *("name", "title", "organization", "organization_title", "organization_type"),
    *("type", "url", "frequency", "datasets"),
    *("last_good_run", "next_run", "page", "health", "state"),
)
CSV_PAGE = 1000
MOST_VALUES = 12  # values of a filter; the others are folded


# This route comes before CKAN's own for the dataset type.
@sources.route(f"/{TYPE}/", strict_slashes=False)
def search() -> str:
    wanted = _wanted()
    page = asked_page()
    sort = wanted["sort"] or "health"
    listed = _ask(wanted, sort=sort, offset=(page - 1) * PER_PAGE)
    g.dataset_type = TYPE  # CKAN's template, which ours extends, uses it for links
    values = {
        "found": listed,
        "own": [source for source in listed["results"] if source["may_manage"]],
        "others": [source for source in listed["results"] if not source["may_manage"]],
        # Sorted by health, the user's own sources come first: the others' health is not shown.
        "is_split": sort == "health" and 0 < listed["own"] < listed["count"],
        "wanted": wanted,
        "page": page,
        "pages": count_pages(listed["count"], PER_PAGE, page),
        "url": lambda number: _url({**wanted, "page": number if number > 1 else None}),
        "filters": list(_filters(listed, wanted)),
        "chosen": list(_chosen(listed, wanted)),
        "sorts": {key: title() for key, title in SORTS.items()} if listed["managed"] else {},
        "csv": _address("ukharvest_sources.as_csv", wanted),
        "asked": {"limit": PER_PAGE, **{key: value for key, value in wanted.items() if value}},
    }
    return str(tk.render("ukharvest/sources.html", values))


@sources.route(f"/{TYPE}/sources.csv")
def as_csv() -> Response:
    """Download the sources that the page lists with the same filters."""
    wanted = _wanted()
    sort = wanted["sort"] or "name"
    rows = collect_pages(lambda offset: _ask(wanted, sort=sort, offset=offset, limit=CSV_PAGE))
    return csv_response(map(_line, rows), COLUMNS, "harvest-sources")


def _line(source: dict[str, Any]) -> dict[str, Any]:
    page = tk.url_for(f"{TYPE}.read", id=source["name"], _external=True)
    return {**dict.fromkeys(COLUMNS, ""), **source, "page": page}


def _wanted() -> dict[str, str]:
    args = tk.request.args
    wanted = {key: args.get(key, "").strip() for key in ("q", *FILTERS, "mine", "sort")}
    wanted["organization_type"] = organization_types.find(wanted["organization_type"])
    wanted["mine"] = "1" if wanted["mine"] else ""
    if wanted["sort"] not in SORTS:
        wanted["sort"] = ""
    return wanted


def _ask(wanted: dict[str, str], **more: Any) -> dict[str, Any]:
    filters = {key: value for key, value in wanted.items() if value}
    return dict(ask("ukharvest_source_list", **{**filters, "limit": PER_PAGE, **more}))


def _url(wanted: dict[str, Any]) -> str:
    return _address(f"{TYPE}.search", wanted)


def _address(endpoint: str, wanted: dict[str, Any]) -> str:
    return str(tk.h.url_for(endpoint, **{key: value for key, value in wanted.items() if value}))


def _filters(found: dict[str, Any], wanted: dict[str, str]) -> Iterable[dict[str, Any]]:
    """Yield the filters that have a choice, each value with its count and URL."""
    for key, title in FILTERS.items():
        counts = found["facets"][key]
        if len(counts) < 2 and not wanted[key]:
            continue
        values = [
            {
                "text": _words(key, value, found),
                "count": count,
                "is_chosen": value == wanted[key],
                "url": _url({**wanted, key: "" if value == wanted[key] else value}),
            }
            for value, count in counts.items()
        ]
        yield {"title": title(), "values": values[:MOST_VALUES], "more": values[MOST_VALUES:]}


def _chosen(found: dict[str, Any], wanted: dict[str, str]) -> Iterable[dict[str, str]]:
    """Yield the active filters, each with the URL that removes it."""
    if wanted["q"]:
        yield {"text": f"“{wanted['q']}”", "url": _url({**wanted, "q": ""})}
    if wanted["mine"]:
        yield {"text": str(tk._("My organisations")), "url": _url({**wanted, "mine": ""})}
    for key, title in FILTERS.items():
        if wanted[key]:
            text = f"{title()}: {_words(key, wanted[key], found)}"
            yield {"text": text, "url": _url({**wanted, key: ""})}


_LABELS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "organization": lambda value, found: str(found["organizations"].get(value, value)),
    "organization_type": lambda value, _found: str(tk._(organization_types.label(value))),
    "type": lambda value, _found: type_label(value),
    "frequency": lambda value, _found: frequency_words(value),
}


def _words(key: str, value: str, found: dict[str, Any]) -> str:
    """Return the label of a filter's value."""
    return _LABELS[key](value, found) if key in _LABELS else status.find(key, value).text
