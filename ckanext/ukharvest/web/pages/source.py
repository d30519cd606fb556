"""Pages: a source, with its status, runs and problems for users who may update it."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response, redirect

from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.logic.source_state import NEWEST
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, asked_page, count_pages

source = Blueprint("ukharvest_source", __name__)

PER_PAGE = 20
LATEST = 10  # runs on the source's page
KINDS = 5  # of problems on the source's page


@source.route("/harvest/<name>")
def read(name: str) -> Any:
    shown_source = source_frame.find(name, insiders_only=False)
    if name != shown_source["name"]:
        return redirect(_url(shown_source["name"]))
    values: dict[str, Any] = {"shown": _shown(shown_source), **_address(shown_source)}
    values |= _follows(shown_source) if shown_source["may_manage"] else _datasets(shown_source)
    values["runs_version"] = _runs_version(values["shown"])
    return source_frame.render("source/read.html", shown_source, **values)


@source.route("/harvest/<name>/state")
def state(name: str) -> Any:
    """Return the status part, which the page polls; after a run's start or end also that below."""
    shown_source = source_frame.find(name)
    shown = _shown(shown_source)
    runs_version = _runs_version(shown)
    is_same_run = tk.request.args.get("runs") == runs_version
    if is_same_run and tk.request.args.get("since") == shown["version"]:
        return Response(status=204)
    values = {} if is_same_run else {"runs_version": runs_version, **_follows(shown_source)}
    template = "ukharvest/snippets/source_state_part.html"
    return source_frame.render(template, shown_source, shown=shown, **values)


@source.route("/harvest/admin/<id>")
def admin(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return redirect(_url(source_frame.find(id)["name"]))


@source.route("/harvest/about/<id>")
def about(id: str) -> str:  # noqa: A002
    shown_source = source_frame.find(id, insiders_only=False)
    return source_frame.render(
        "source/about.html", shown_source, shown=_shown(shown_source), **_address(shown_source)
    )


@source.route("/harvest/<name>/datasets")
def datasets(name: str) -> str:
    shown_source = source_frame.find(name, insiders_only=False)
    return source_frame.render(
        "ukharvest/source_datasets.html", shown_source, **_datasets(shown_source)
    )


@source.route("/harvest/<source>/job")
def runs(source: str) -> str:  # the name in ckanext-harvest's routes
    shown_source = source_frame.find(source)
    number = asked_page()
    offset = (number - 1) * PER_PAGE
    # The chart of the first page has more runs than its table.
    asked = max(NEWEST, PER_PAGE) if number == 1 else PER_PAGE
    listed = ask("ukharvest_run_list", source=shown_source["id"], limit=asked, offset=offset)
    return source_frame.render(
        "source/job/list.html",
        shown_source,
        runs=listed["results"] if number == 1 else [],
        count=listed["count"],
        jobs=listed["results"][:PER_PAGE],
        shown=_shown(shown_source),
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
    runs = ask("ukharvest_run_list", source=found["id"], limit=NEWEST)
    return {
        "kinds": KINDS,
        "problems": ask("ukharvest_problem_group_list", source_id=found["id"]),
        "runs": runs["results"],
        "latest": runs["results"][:LATEST],
        "count": runs["count"],
    }


def _url(name: str) -> str:
    return str(tk.h.url_for("harvest.read", id=name))


def _address(found: dict[str, Any]) -> dict[str, Any]:
    return {"address": found["url"], "is_link": is_web_url(found["url"])}


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
