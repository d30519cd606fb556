"""Pages: decide about pending deletions, and about records under new identifiers."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response
from flask import abort as flask_abort

from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.lib.actions import collect_pages, context
from ckanext.ukharvest.lib.pages import (
    ask,
    ask_page,
    attempt,
    check_token,
    count_pages,
    csv_response,
)
from ckanext.ukharvest.lib.permissions import ADMINISTRATORS, may
from ckanext.ukharvest.lib.texts import OTHERS_WAIT, format_time, labelled, ungettext
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.steps import describe_request

deletions = Blueprint("ukharvest_deletions", __name__)

_LIST, _DECIDE = "ukharvest_pending_list", "ukharvest_pending_decide"
PER_PAGE = 50
CSV_PAGE = 5000
# If there are more, the fetch consumers delete them: a request must not take minutes.
MOST_AT_ONCE = 25
COLUMNS = ("title", "dataset_address", "last_seen", "missed_runs", "identifier")

Row = dict[str, Any]


@deletions.route("/harvest/<name>/deletions", methods=["GET"])
def read(name: str) -> str:
    return _page(name, PendingKind.DELETION)


def _page(name: str, kind: PendingKind) -> str:
    source = source_pages.find_source(name)
    plan, number = ask_page(_LIST, PER_PAGE, source_id=source["id"], kind=kind)
    return _render(source, plan, page=number, pages=count_pages(plan["count"], PER_PAGE, number))


def _render(source: Row, plan: Row, **more: Any) -> str:
    return source_pages.render(
        "ukharvest/decision.html",
        source,
        plan=plan,
        here=_url(source),
        url=lambda page: _url(source, page=page),
        **more,
    )


def _url(source: Row, **more: Any) -> str:
    """Return the URL of the page of deletions or of identifiers that the request is about."""
    return str(tk.url_for(f"{tk.request.blueprint}.read", name=source["name"], **more))


@deletions.route("/harvest/<name>/deletions.csv")
def as_csv(name: str) -> Response:
    source = source_pages.find_source(name)
    rows = collect_pages(lambda offset: _plan(source, limit=CSV_PAGE, offset=offset))
    return csv_response(map(_line, rows), COLUMNS, f"deletions-{source['name']}")


def _line(row: Row) -> Row:
    name = row["dataset_name"]
    address = tk.url_for("dataset.read", id=name, _external=True) if name else ""
    return {**row, "dataset_address": address, "identifier": row["guid"]}


@deletions.route("/harvest/<name>/deletions", methods=["POST"])
def decide(name: str) -> Any:
    source = source_pages.find_source(name)
    check_token()
    choice, version = tk.request.form.get("choice", ""), _version()
    if choice == "delete":
        return tk.redirect_to("ukharvest_deletions.confirm", name=source["name"], version=version)
    if choice == "keep":
        return _keep(source, version)
    if choice == "withdraw":
        _decide(source, "withdraw")
        return _end(
            source,
            tk._(
                "They count as missing again. The next complete run deletes them, or waits for "
                "your decision if they are many."
            ),
        )
    return _wait(source)


def _wait(source: Row) -> Any:
    tk.h.flash_notice(
        tk._("Nothing changes. They wait until you decide, or until the records come back.")
    )
    return _to_source(source)


def _keep(source: Row, version: str) -> Any:
    _load_waiting(source)
    guid = tk.request.form.get("guid")
    only = {"guids": [guid]} if guid else {"version": version}
    done = _decide(source, "keep", **only)
    if not done["kept"]:
        return _wait(source)
    text = ungettext(
        "{n} dataset is kept. It is no longer updated.",
        "{n} datasets are kept. They are no longer updated.",
        done["kept"],
    )
    if not guid:
        return _end(source, text)
    tk.h.flash_success(text)
    return _back(source)


@deletions.route("/harvest/<name>/deletions/delete", methods=["GET"])
def confirm(name: str) -> Any:
    source = source_pages.find_source(name)
    plan = _plan(source, limit=0)
    if not plan["count"]:
        return _back(source)
    if not plan["may_decide"]:
        return tk.abort(403, tk._(ADMINISTRATORS))
    if tk.request.args.get("version") != plan["version"]:
        tk.h.flash_error(tk._(OTHERS_WAIT))
        return _back(source)
    return _render(source, plan, asks_again=True)


@deletions.route("/harvest/<name>/deletions/delete", methods=["POST"])
def delete(name: str) -> Any:
    source = source_pages.find_source(name)
    check_token()
    background = _load_waiting(source)["count"] > MOST_AT_ONCE
    done = _decide(source, "approve", version=_version(), background=background)
    if background:  # the source's page shows the progress
        return _to_source(source)
    if done["refused"]:
        tk.h.flash_error(
            ungettext(
                "{n} dataset could not be deleted. The run lists the reason.",
                "{n} datasets could not be deleted. The run lists the reasons.",
                done["refused"],
            )
        )
    text = ungettext("{n} dataset was deleted.", "{n} datasets were deleted.", done["deleted"])
    return _end(source, text)


def _version() -> str:
    # Not "": without a version the actions would not check whether the list has changed.
    return str(tk.request.form.get("version") or "none")


def _plan(source: Row, **page: Any) -> Row:
    return dict(ask(_LIST, source_id=source["id"], **page))


def _load_waiting(source: Row, **of: Any) -> Row:
    """Return what waits; lead to the source if somebody else, or a run, has settled the matter."""
    plan = _plan(source, limit=0, **of)
    if not plan["count"]:
        tk.h.flash_notice(tk._("Nothing is waiting for a decision."))
        flask_abort(_to_source(source))
    return plan


def _decide(source: Row, decision: str, **more: Any) -> Row:
    """Call the action; on a validation error show its messages above the list."""
    try:
        done = attempt(_DECIDE, source_id=source["id"], decision=decision, **more)
    except tk.NotAuthorized:
        return tk.abort(403, tk._(ADMINISTRATORS))
    return done or flask_abort(_back(source))


def _end(source: Row, text: str) -> Any:
    """Start a run if the user wants one, else say what was decided and when the next run is."""
    if tk.request.form.get("run"):
        if run := attempt("ukharvest_run_create", source_id=source["id"]):
            tk.h.flash_success(describe_request(run))
        return _to_source(source)
    schedule = ask("ukharvest_source_show", source_id=source["id"])["schedule"]
    when = labelled(tk._("Next run"), format_time(schedule["next_run"]) or tk._("Not scheduled"))
    tk.h.flash_success(f"{text} {when}.")
    return _to_source(source)


def _back(source: Row) -> Any:
    return tk.redirect_to(_url(source))


def _to_source(source: Row) -> Any:
    return tk.redirect_to("harvest.read", id=source["name"])


identifiers = Blueprint("ukharvest_identifiers", __name__)


@identifiers.route("/harvest/<name>/identifiers", methods=["GET"], endpoint="read")
def read_identifiers(name: str) -> str:
    return _page(name, PendingKind.IDENTIFIER)


@identifiers.route("/harvest/<name>/identifiers", methods=["POST"], endpoint="decide")
def decide_identifiers(name: str) -> Any:
    source = source_pages.find_source(name)
    check_token()
    if not may(context(), _DECIDE, source_id=source["id"]):
        return tk.abort(403, tk._(ADMINISTRATORS))
    choice = tk.request.form.get("choice", "")
    if choice not in ("same", "different"):
        return _wait(source)
    _load_waiting(source, kind=PendingKind.IDENTIFIER)
    _decide(source, choice, version=_version())
    return _end(
        source,
        tk._(
            "Pages, names, ids, ids of resources and history stay. The next run updates the "
            "datasets from the new records."
        )
        if choice == "same"
        else tk._(
            "The next run imports the new records as new datasets. The old datasets count as "
            "missing and are deleted if later runs do not find them either."
        ),
    )
