"""Pages: one run of a source, what is wrong with its records, and both as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestJob
from flask import Blueprint, Response

from ckanext.ukharvest.logic.action.problems import LARGEST_LIST
from ckanext.ukharvest.logic.paging import all_of
from ckanext.ukharvest.pages import listing, source_frame
from ckanext.ukharvest.pages.common import ask, csv_response
from ckanext.ukharvest.words import runs as words
from ckanext.ukharvest.words.times import in_words

runs = Blueprint("ukharvest_runs", __name__)

Row = dict[str, Any]
COLUMNS = (
    "run",
    "outcome",
    "severity",
    "code",
    "title",
    "message",
    "field",
    "line",
    "record_identifier",
    "record_title",
    "record_address",
    "dataset_address",
)


# The stock routes stand behind these: the links of ckanext-harvest's templates and mails lead here.
@runs.route("/harvest/<name>/job/<id>")
def run(name: str, id: str) -> str:  # noqa: A002 - as in the stock route
    source = source_frame.find(name)
    shown = _run_of(source, id)

    def address(view: str = "run", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], id=id, **asked))

    def csv(code: str) -> str:
        return address("run_csv", code=code)

    return source_frame.render(
        "ukharvest/run.html",
        source,
        run=shown,
        heading=words.heading(shown),
        verdict=words.verdict(shown),
        note=words.note(shown),
        about=words.about(shown),
        css=words.css(shown),
        listing=listing.page_of(address, csv, job_id=id),
    )


@runs.route("/harvest/<name>/job/last")
def last(name: str) -> Any:
    source = source_frame.find(name)
    newest = (
        model.Session.query(HarvestJob.id)
        .filter_by(source_id=source["id"])
        .order_by(HarvestJob.created.desc())
        .first()
    )
    if newest is None:
        return tk.abort(404, tk._("This source has not run yet."))
    return tk.redirect_to("ukharvest_runs.run", name=source["name"], id=newest[0])


@runs.route("/harvest/<name>/job/<id>/problems.csv")
def run_csv(name: str, id: str) -> Response:  # noqa: A002
    source = source_frame.find(name)
    shown = _run_of(source, id)
    when = in_words(shown["started"] or shown["created"])
    day = (shown["started"] or shown["created"])[:10]
    return _csv(f"problems-{source['name']}-{day}", when, job_id=id)


@runs.route("/harvest/<name>/problems")
def problems(name: str) -> str:
    source = source_frame.find(name)

    def address(view: str = "problems", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], **asked))

    def csv(code: str) -> str:
        return address("problems_csv", code=code)

    return source_frame.render(
        "ukharvest/problems.html",
        source,
        listing=listing.page_of(address, csv, source_id=source["id"]),
    )


@runs.route("/harvest/<name>/problems.csv")
def problems_csv(name: str) -> Response:
    source = source_frame.find(name)
    return _csv(f"problems-{source['name']}", "", source_id=source["id"])


def _run_of(source: Row, id_: str) -> Row:
    shown: Row = ask("ukharvest_run_show", id=id_)
    if shown["source_id"] != source["id"]:
        tk.abort(404, tk._("There is nothing of this name or id."))
    return shown


def _csv(name: str, when: str, **of: str) -> Response:
    code = tk.request.args.get("code", "")
    groups = ask("ukharvest_problem_groups", **of)
    rows = all_of(
        lambda offset: ask(
            "ukharvest_problem_list", **of, code=code, limit=LARGEST_LIST, offset=offset
        )
    )
    stops = _of_run(group for group in groups if code in ("", group["code"]))
    lines = ({"run": when, **line} for line in (*stops, *map(_of_record, rows)))
    return csv_response(lines, COLUMNS, name)


def _of_run(groups: Iterable[Row]) -> Iterator[Row]:
    """Why the run stopped: a line without a record."""
    nothing = dict.fromkeys(COLUMNS, "")
    for group in groups:
        if group["severity"] == "stop":
            few = {key: group[key] for key in ("severity", "code", "title")}
            for each in group["examples"]:
                yield {**nothing, **few, "outcome": "stop", "message": each["message"]}


def _of_record(row: Row) -> Row:
    name = row["dataset_name"]
    return {
        **row,
        "line": row["line"] or "",
        "record_identifier": row["guid"],
        "record_address": row["record_url"],
        "dataset_address": tk.url_for("dataset.read", id=name, _external=True) if name else "",
    }
