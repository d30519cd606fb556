"""Pages: deletions that wait for a decision, what would go, and the decision itself."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.logic.paging import all_of
from ckanext.ukharvest.pages import source_frame
from ckanext.ukharvest.pages.common import (
    ask,
    check_token,
    context,
    csv_response,
    pages_of,
)
from ckanext.ukharvest.words.numbers import ungettext
from ckanext.ukharvest.words.runs import others_wait

deletions = Blueprint("ukharvest_deletions", __name__)

PER_PAGE = 50
CSV_PAGE = 5000
# More than these are deleted by the consumers: a request must not take minutes.
MOST_AT_ONCE = 25
COLUMNS = ("title", "dataset_address", "last_seen", "missed_runs", "identifier")

Row = dict[str, Any]


@deletions.route("/harvest/<name>/deletions", methods=["GET"])
def read(name: str) -> str:
    source = source_frame.find(name)
    number = tk.h.get_page_number(tk.request.args)
    plan = _plan(source, limit=PER_PAGE, offset=(number - 1) * PER_PAGE)

    def url(page: int) -> str:
        return str(tk.url_for("ukharvest_deletions.read", name=source["name"], page=page))

    pages = pages_of(plan["count"], PER_PAGE)
    return source_frame.render(
        "ukharvest/deletions.html", source, plan=plan, page=number, pages=pages, url=url
    )


@deletions.route("/harvest/<name>/deletions.csv")
def as_csv(name: str) -> Response:
    source = source_frame.find(name)

    def some(offset: int) -> Row:
        plan = _plan(source, limit=CSV_PAGE, offset=offset)
        return {"count": plan["count"], "results": plan["deletions"]}

    return csv_response(map(_line, all_of(some)), COLUMNS, f"deletions-{source['name']}")


def _line(row: Row) -> Row:
    name = row["dataset_name"]
    address = tk.url_for("dataset.read", id=name, _external=True) if name else ""
    return {**row, "dataset_address": address, "identifier": row["guid"]}


@deletions.route("/harvest/<name>/deletions", methods=["POST"])
def decide(name: str) -> Any:
    source = source_frame.find(name)
    check_token()
    choice, version = tk.request.form.get("choice", ""), _version()
    if choice == "delete":
        return tk.redirect_to("ukharvest_deletions.confirm", name=source["name"], version=version)
    if choice == "keep":
        return _keep(source, version)
    tk.h.flash_notice(tk._("Nothing was changed. The next run looks for them again."))
    return _to_source(source)


def _keep(source: Row, version: str) -> Any:
    done = _act("ukharvest_deletions_keep", source, version=version)
    if done is None:
        return _back(source)
    text = ungettext(
        "{n} dataset is kept. It is no longer updated.",
        "{n} datasets are kept. They are no longer updated.",
        done["kept"],
    )
    tk.h.flash_success(text)
    return _to_source(source)


@deletions.route("/harvest/<name>/deletions/delete", methods=["GET"])
def confirm(name: str) -> Any:
    source = source_frame.find(name)
    plan = _plan(source, limit=0)
    if not plan["count"]:
        return _back(source)
    if not plan["may_decide"]:
        return tk.abort(403, tk._("Only an administrator of the organisation decides this."))
    if tk.request.args.get("version") != plan["version"]:
        tk.h.flash_error(others_wait(plan["count"]))
        return _back(source)
    return source_frame.render("ukharvest/deletions_confirm.html", source, plan=plan)


@deletions.route("/harvest/<name>/deletions/delete", methods=["POST"])
def delete(name: str) -> Any:
    source = source_frame.find(name)
    check_token()
    waiting = _plan(source, limit=0)["count"]
    background = waiting > MOST_AT_ONCE
    more = {"version": _version(), "background": background}
    done = _act("ukharvest_deletions_approve", source, **more)
    if done is None:
        return _back(source)
    text = (
        ungettext(
            "{n} dataset is being deleted; this page follows it.",
            "{n} datasets are being deleted; this page follows it.",
            done["deleted"],
        )
        if background
        else ungettext("{n} dataset was deleted.", "{n} datasets were deleted.", done["deleted"])
    )
    tk.h.flash_success(text)
    return _to_source(source)


def _version() -> str:
    # Without one the actions would not look whether the list is still the same.
    return str(tk.request.form.get("version") or "none")


def _plan(source: Row, **page: int) -> Row:
    found: Row = ask("ukharvest_deletions_list", source_id=source["id"], **page)
    return found


def _act(action: str, source: Row, **more: Any) -> Row | None:
    """Decide; None with a message for the next page if it cannot be decided like that."""
    try:
        done: Row = tk.get_action(action)(context(), {"source_id": source["id"], **more})
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Only an administrator of the organisation decides this."))
    except tk.ValidationError as exc:
        tk.h.flash_error(" ".join(message for each in exc.error_dict.values() for message in each))
        return None
    return done


def _back(source: Row) -> Any:
    return tk.redirect_to("ukharvest_deletions.read", name=source["name"])


def _to_source(source: Row) -> Any:
    return tk.redirect_to("harvest.read", id=source["name"])
