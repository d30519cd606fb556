"""Pages: a run, the problems of a source, and both as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.logic.paging import collect_pages
from ckanext.ukharvest.logic.schema import LARGEST_LIST_OF_PROBLEMS
from ckanext.ukharvest.logic.sources import newest_run
from ckanext.ukharvest.presentation.messages import runs as words
from ckanext.ukharvest.presentation.messages.times import format_time
from ckanext.ukharvest.web.pages import listing, source_frame
from ckanext.ukharvest.web.pages.common import ask, csv_response

runs = Blueprint("ukharvest_runs", __name__)

Row = dict[str, Any]
COLUMNS = (
    "run",
    "outcome",
    "severity",
    "code",
    "title",
    "message",
    "how_to_fix",
    "field",
    "line",
    "record_identifier",
    "record_title",
    "record_address",
    "record_page",
    "dataset_address",
)


# These replace ckanext-harvest's routes, so links in its templates and emails lead here.
@runs.route("/harvest/<name>/job/<id>")
def run(name: str, id: str) -> str:  # noqa: A002 - as in the stock route
    source = source_frame.find(name)
    shown = _run_of(source, id)

    def address(view: str = "run", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], id=id, **asked))

    return source_frame.render(
        "ukharvest/run.html",
        source,
        run=shown,
        heading=words.heading(shown),
        verdict=words.verdict(shown),
        note=words.note(shown),
        about=words.about(shown),
        css=words.css(shown),
        listing=listing.list_records(address, partial(address, "run_csv"), job_id=id),
    )


@runs.route("/harvest/<name>/job/last")
def last(name: str) -> Any:
    source = source_frame.find(name)
    newest = newest_run(source["id"])
    if newest is None:
        return tk.abort(404, tk._("This source has not run yet."))
    return tk.redirect_to("ukharvest_runs.run", name=source["name"], id=newest)


@runs.route("/harvest/<name>/job/<id>/problems.csv")
def run_csv(name: str, id: str) -> Response:  # noqa: A002
    source = source_frame.find(name)
    shown = _run_of(source, id)
    start = shown["started"] or shown["created"]
    return _csv(source, f"problems-{source['name']}-{start[:10]}", format_time(start), job_id=id)


@runs.route("/harvest/<name>/problems")
def problems(name: str) -> str:
    source = source_frame.find(name)

    def address(view: str = "problems", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], **asked))

    csv = partial(address, "problems_csv")
    return source_frame.render(
        "ukharvest/problems.html",
        source,
        listing=listing.list_records(address, csv, source_id=source["id"]),
    )


@runs.route("/harvest/<name>/problems.csv")
def problems_csv(name: str) -> Response:
    source = source_frame.find(name)
    return _csv(source, f"problems-{source['name']}", "", source_id=source["id"])


def _run_of(source: Row, id_: str) -> Row:
    shown: Row = ask("ukharvest_run_show", id=id_)
    if shown["source_id"] != source["id"]:
        tk.abort(404, tk._("Nothing has this name or id."))
    return shown


def _csv(source: Row, name: str, when: str, **of: str) -> Response:
    asked = {key: tk.request.args.get(key, "") for key in ("code", "field")}
    groups = ask("ukharvest_problem_group_list", **of)
    rows = collect_pages(
        lambda offset: ask(
            "ukharvest_problem_list", **of, **asked, limit=LARGEST_LIST_OF_PROBLEMS, offset=offset
        )
    )
    stops = _of_run(group for group in groups if asked["code"] in ("", group["code"]))
    records = (_of_record(source, row) for row in rows)
    lines = ({"run": when, **line} for line in (*stops, *records))
    return csv_response(lines, COLUMNS, name)


def _of_run(groups: Iterable[Row]) -> Iterator[Row]:
    """Yield lines without a record, with the errors that stopped the run."""
    nothing = dict.fromkeys(COLUMNS, "")
    for group in groups:
        if group["severity"] == Severity.STOP:
            few = {key: group[key] for key in ("severity", "code", "title")}
            few |= {"how_to_fix": group["tip"], "outcome": Severity.STOP}
            for example in group["examples"]:
                yield {**nothing, **few, "message": example["message"]}


def _of_record(source: Row, row: Row) -> Row:
    name, id_ = row["dataset_name"], row["record_id"]
    page = {"name": source["name"], "id": id_, "_external": True}
    return {
        **row,
        "line": row["line"] or "",
        "how_to_fix": row["tip"],
        "record_page": tk.url_for("ukharvest_record.read", **page) if id_ else "",
        "record_identifier": row["guid"],
        "record_address": row["record_url"],
        "dataset_address": tk.url_for("dataset.read", id=name, _external=True) if name else "",
    }
