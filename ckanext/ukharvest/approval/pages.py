"""The page where sysadmins decide about a source, and its people see what it waits for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.pages import ask, attempt, check_token
from ckanext.ukharvest.lib.permissions import may
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.description import describe_options, type_label

approval = Blueprint("ukharvest_approval", __name__)

Row = dict[str, Any]


@approval.route("/harvest/<name>/approval", methods=["GET"])
def read(name: str) -> Any:
    source, asked = _load(name)
    if not asked:
        tk.h.flash_notice(tk._("Nothing is waiting for a decision."))
        return tk.redirect_to("harvest.read", id=source["name"])
    place = SimpleNamespace(type=asked["source_type"], config=asked["config"])
    return source_pages.render(
        "ukharvest/approval.html",
        source,
        asked=asked,
        asked_label=type_label(asked["source_type"]),
        asked_options=describe_options(place),
        may_decide=may(context(), "ukharvest_source_approve"),
    )


def _load(name: str) -> tuple[Row, Row | None]:
    source = source_pages.find_source(name)
    return source, ask("ukharvest_source_show", source_id=source["id"])["approval"]


@approval.route("/harvest/<name>/approval", methods=["POST"])
def decide(name: str) -> Any:
    source, asked = _load(name)
    check_token()
    form = tk.request.form
    choice, own = form.get("choice", ""), {"source_id": source["id"]}
    seen = {key: form.get(key, "") for key in ("url", "source_type")}
    if choice == "test":
        names = () if asked is None or asked["is_new"] else ("url", "source_type", "config")
        place = {name: asked[name] for name in names} if asked else {}
        test = attempt("ukharvest_source_preview_create", **own, **place)
        if test:
            return tk.redirect_to("ukharvest_source_previews.show", id=test["id"])
        return tk.redirect_to("ukharvest_approval.read", name=source["name"])
    if choice == "refuse":
        done = attempt("ukharvest_source_refuse", **own, **seen, reason=form.get("reason", ""))
    else:
        done = attempt("ukharvest_source_approve", **own, **seen)
        if done and choice == "run":
            attempt("ukharvest_run_create", **own)  # or the page says why not
    if not done:
        return tk.redirect_to("ukharvest_approval.read", name=source["name"])
    tk.h.flash_success(tk._("Saved."))
    return tk.redirect_to("harvest.read", id=source["name"])
