"""Pages: the list of sources, and a source with its status, runs and problems."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response, g, redirect
from flask import abort as flask_abort

from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.actions import collect_pages, context
from ckanext.ukharvest.lib.lookups import TYPE, source_row, source_row_of
from ckanext.ukharvest.lib.pages import (
    abort_not_found,
    ask,
    asked_page,
    count_pages,
    csv_response,
    has_page,
    load_all,
    refuse_fragment,
    url_filters,
)
from ckanext.ukharvest.lib.permissions import EDITORS, may
from ckanext.ukharvest.sources import rules as source_rules
from ckanext.ukharvest.sources.description import (
    NEWEST,
    describe_options,
    describe_schedule,
    describe_source,
    type_label,
)
from ckanext.ukharvest.sources.texts import frequency_words


def find_source(name: str, *, insiders_only: bool = True) -> dict[str, Any]:
    """Return the source of a URL, or abort with 404, 403 or a redirect to the login page.

    Args:
        name: name or id, as in the URL.
        insiders_only: whether the page is only for users who may update the source; anonymous
            users are sent to the login page and back, others get 403.

    Returns:
        The result of ``describe_source``, with ``notes``, ``active``, ``source_type`` (as the form
        names it), ``owner_org``, ``may_manage`` (the user may update it) and ``adopt_hint`` (for
        these users: why it does not run until it is adopted, or "").
    """
    asker = context()
    row = source_row(name)
    if row is None or row.package.type != TYPE:
        return abort_not_found()
    package, source = row.package, row.source
    # Whoever may update it may read it, and the second check is slower.
    may_manage = may(asker, "harvest_source_update", id=source.id)
    if not may_manage and not may(asker, "package_show", id=source.id):
        return abort_not_found()
    if insiders_only and not may_manage:
        refuse(tk.h.url_for("harvest.read", id=package.name))
    return {
        **describe_source(asker, row),
        "notes": package.notes or "",
        "active": bool(source.active and package.state == "active"),
        "source_type": source.type,
        "owner_org": package.owner_org,
        "may_manage": may_manage,
        "adopt_hint": source_rules.adoption_hint(source.type, package.name) if may_manage else "",
    }


def refuse_adding() -> NoReturn:
    """As ``refuse``, for pages that add a source: there is no source yet."""
    refuse(
        message=tk._(
            "Only editors of an organisation can add harvest sources. Ask an administrator of your "
            "organisation, or the people who run this site, to make you an editor."
        )
    )


def refuse(back: str = "", message: str = "") -> NoReturn:
    """Abort: redirect anonymous users to the login page and back, else 403.

    Args:
        back: URL to return to after login if this URL only accepts POST.
        message: for users who have logged in, translated.
    """
    refuse_fragment()
    if tk.current_user.is_anonymous:
        here = tk.request.full_path if tk.request.query_string else tk.request.path
        here = tk.request.script_root + here
        is_page = tk.request.method in ("GET", "HEAD")
        came_from = here if is_page else back or tk.h.url_for("harvest.search")
        flask_abort(redirect(tk.h.url_for("user.login", came_from=came_from)))
    message = message or tk._(EDITORS)
    tk.abort(403, message)
    raise AssertionError(message)  # tk.abort does not come back


def render(template: str, source: dict[str, Any], **variables: Any) -> str:
    """Return a page of the source that ``find_source`` returned."""
    g.dataset_type = TYPE  # CKAN's templates use it for links
    row = source_row_of({"source_id": source["id"]})
    frame: dict[str, Any] = {"harvest_source": source, "source": source, "side_options": []}
    if source["may_manage"]:
        frame["side_options"] = describe_options(row.source)
        frame["side_schedule"] = describe_schedule(row.source, schedules.schedule_of(row.schedule))
    return str(tk.render(template, {**frame, **variables}))


source = Blueprint("ukharvest_source", __name__)

PER_PAGE = 20
LATEST = 10  # runs on the source's page
KINDS = 5  # of problems on the source's page
DECISIONS = 20  # on the page of runs; the CSV file has all


@source.route("/harvest/<name>")
def read(name: str) -> Any:
    shown_source = find_source(name, insiders_only=False)
    if name != shown_source["name"]:
        return redirect(_url(shown_source["name"]))
    values: dict[str, Any] = {"shown": _shown(shown_source)}
    values |= _follows(shown_source) if shown_source["may_manage"] else _datasets(shown_source)
    values["runs_version"] = _runs_version(values["shown"])
    return render("source/read.html", shown_source, **values)


@source.route("/harvest/<name>/state")
def state(name: str) -> Any:
    """Return the status part, which the page polls; after a run's start or end also that below."""
    shown_source = find_source(name)
    shown = _shown(shown_source)
    runs_version = _runs_version(shown)
    is_same_run = tk.request.args.get("runs") == runs_version
    if is_same_run and tk.request.args.get("since") == shown["version"]:
        return Response(status=204)
    values = {} if is_same_run else {"runs_version": runs_version, **_follows(shown_source)}
    template = "ukharvest/snippets/source_state.html"
    return render(template, shown_source, shown=shown, is_renewed=True, **values)


@source.route("/harvest/admin/<id>")
def admin(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return redirect(_url(find_source(id)["name"]))


@source.route("/harvest/about/<id>")
def about(id: str) -> Any:  # noqa: A002
    return redirect(_url(find_source(id, insiders_only=False)["name"]))


@source.route("/harvest/<name>/datasets")
def datasets(name: str) -> str:
    shown_source = find_source(name, insiders_only=False)
    values = _datasets(shown_source)
    return render("source/read.html", shown_source, shown={}, is_list=True, **values)


@source.route("/harvest/<source>/job")
def runs(source: str) -> str:  # the name in ckanext-harvest's routes
    shown_source = find_source(source)
    number = asked_page()
    offset = (number - 1) * PER_PAGE
    # The chart of the first page has more runs than its table.
    asked = max(NEWEST, PER_PAGE) if number == 1 else PER_PAGE
    listed = ask("ukharvest_run_list", source=shown_source["id"], limit=asked, offset=offset)
    return render(
        "source/job/list.html",
        shown_source,
        runs=listed["results"] if number == 1 else [],
        count=listed["count"],
        jobs=listed["results"][:PER_PAGE],
        shown=_shown(shown_source),
        decisions=ask("ukharvest_decision_list", source=shown_source["id"], limit=DECISIONS)
        if number == 1
        else {"count": 0},
        number=number,
        pages=count_pages(listed["count"], PER_PAGE, number),
    )


def _shown(source: dict[str, Any]) -> Any:
    return ask("ukharvest_source_show", source_id=source["id"])


def _runs_version(shown: dict[str, Any]) -> str:
    """Return a text that changes when a run begins or ends."""
    runs = shown.get("progress") or {}, shown.get("last_run") or {}
    return "{}/{}".format(runs[0].get("run_id", ""), runs[1].get("id", ""))


def _follows(found: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of the part below the status: problems by kind and runs."""
    if not has_page("ukharvest_runs.run"):
        return {}
    runs = ask("ukharvest_run_list", source=found["id"], limit=NEWEST)
    groups = ask("ukharvest_problem_group_list", source_id=found["id"])
    problems = [group for group in groups if not group["accepted"]]
    return {
        "kinds": KINDS,
        "problems": [group for group in problems if not group["standard"]],
        "standard": [group for group in problems if group["standard"]],
        "runs": runs["results"],
        "latest": runs["results"][:LATEST],
        "count": runs["count"],
    }


def _url(name: str) -> str:
    return str(tk.h.url_for("harvest.read", id=name))


def _datasets(found: dict[str, Any]) -> dict[str, Any]:
    """One page of the source's datasets that who asks may see, the newest first."""
    number = asked_page()
    listed = ask(
        "package_search",
        fq=f'+harvest_source_id:"{found["id"]}"',
        rows=PER_PAGE,
        start=(number - 1) * PER_PAGE,
        sort="metadata_modified desc",
        include_private=True,
    )
    return {
        "packages": listed["results"],
        "dataset_count": listed["count"],
        "number": number,
        "pages": count_pages(listed["count"], PER_PAGE, number),
    }


sources = Blueprint("ukharvest_sources", __name__)

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
    "health": lambda: tk._("Status"),
    "title": lambda: tk._("Title"),
    "last_run": lambda: tk._("Last run"),
    "next_run": lambda: tk._("Next run"),
}
# Of the CSV file. The last ones are empty for sources that the user may not manage.
COLUMNS = (
    *("name", "title", "organization", "organization_title", "organization_type"),
    *("type", "url", "frequency", "datasets"),
    *("last_good_run", "next_run", "page", "health", "state"),
)
CSV_PAGE = 1000
DECISION_COLUMNS = (
    *("created", "user", "source", "source_title", "decision", "text", "number"),
    *("reason", "until", "run_id", "options", "code", "field"),
)
MOST_VALUES = 12  # values of a filter; the others are folded


# This route comes before CKAN's own for the dataset type.
@sources.route(f"/{TYPE}/", strict_slashes=False)
def search() -> str:
    wanted = _wanted()
    page = asked_page()
    sort = wanted["sort"] or "health"
    listed = _ask(wanted, sort=sort, offset=(page - 1) * PER_PAGE)
    values = {
        "found": listed,
        "own": [source for source in listed["results"] if source["may_manage"]],
        "others": [source for source in listed["results"] if not source["may_manage"]],
        # Sorted by health, the user's own sources come first: the others' health is not shown.
        "is_split": sort == "health" and 0 < listed["own"] < listed["count"],
        "wanted": wanted,
        "page": page,
        "pages": count_pages(listed["count"], PER_PAGE, page),
        "url": lambda number: _list_url({**wanted, "page": number if number > 1 else None}),
        "filters": list(_filters(listed, wanted)),
        "chosen": list(_chosen(listed, wanted)),
        "sorts": {key: title() for key, title in SORTS.items()} if listed["managed"] else {},
        "csv": _list_url(wanted, "ukharvest_sources.as_csv"),
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


@sources.route(f"/{TYPE}/decisions.csv")
def decisions_csv() -> Response:
    """Download what people decided, about the source of the URL or, for sysadmins, about all."""
    filters = url_filters(["source"])
    rows = load_all("ukharvest_decision_list", filters)
    lines = ({**row, "options": json.dumps(row["options"] or {})} for row in rows)
    return csv_response(lines, DECISION_COLUMNS, "-".join(["decisions", *filters.values()]))


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


def _list_url(wanted: dict[str, Any], endpoint: str = f"{TYPE}.search") -> str:
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
                "url": _list_url({**wanted, key: "" if value == wanted[key] else value}),
            }
            for value, count in counts.items()
        ]
        yield {"title": title(), "values": values[:MOST_VALUES], "more": values[MOST_VALUES:]}


def _chosen(found: dict[str, Any], wanted: dict[str, str]) -> Iterable[dict[str, str]]:
    """Yield the active filters, each with the URL that removes it."""
    if wanted["q"]:
        yield {"text": f"“{wanted['q']}”", "url": _list_url({**wanted, "q": ""})}
    if wanted["mine"]:
        yield {"text": str(tk._("My organisations")), "url": _list_url({**wanted, "mine": ""})}
    for key, title in FILTERS.items():
        if wanted[key]:
            text = f"{title()}: {_words(key, wanted[key], found)}"
            yield {"text": text, "url": _list_url({**wanted, key: ""})}


_LABELS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "organization": lambda value, found: str(found["organizations"].get(value, value)),
    "organization_type": lambda value, _found: str(tk._(organization_types.label(value))),
    "type": lambda value, _found: type_label(value),
    "frequency": lambda value, _found: frequency_words(value),
}


def _words(key: str, value: str, found: dict[str, Any]) -> str:
    """Return the label of a filter's value."""
    return _LABELS[key](value, found) if key in _LABELS else texts.find_label(key, value).text
