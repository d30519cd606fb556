"""Pages: compare datasets with the new records that may be the same, and decide."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.logic.asker import context
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.presentation.messages import changed_identifiers as words
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, ask_page, check_token, count_pages, flash_errors

identifiers = Blueprint("ukharvest_identifiers", __name__)

PER_PAGE = 50


@identifiers.route("/harvest/<name>/identifiers", methods=["GET"])
def read(name: str) -> str:
    source = source_frame.find(name)
    changes, number = ask_page("ukharvest_identifier_change_list", PER_PAGE, source_id=source["id"])
    return source_frame.render(
        "ukharvest/identifiers.html",
        source,
        found=changes,
        meaning=words.meaning(changes["count"]),
        page=number,
        pages=count_pages(changes["count"], PER_PAGE, number),
        url=lambda page: tk.url_for("ukharvest_identifiers.read", name=source["name"], page=page),
    )


@identifiers.route("/harvest/<name>/identifiers", methods=["POST"])
def decide(name: str) -> Any:
    source = source_frame.find(name)
    check_token()
    if not may(context(), "ukharvest_identifier_change_decide", source_id=source["id"]):
        return tk.abort(403, words.not_allowed())
    choice = tk.request.form.get("choice", "")
    if choice not in ("same", "different"):
        tk.h.flash_notice(tk._("Nothing was changed. The next run will check again."))
        return tk.redirect_to("harvest.read", id=source["name"])
    if not ask("ukharvest_identifier_change_list", source_id=source["id"], limit=0)["count"]:
        tk.h.flash_notice(
            tk._("Nothing was changed: no identifiers are waiting for a decision any more.")
        )
        return tk.redirect_to("harvest.read", id=source["name"])
    # Not "": without a version the actions would not check whether the list has changed.
    version = tk.request.form.get("version") or "none"
    data = {"source_id": source["id"], "decision": choice, "version": version}
    try:
        done = tk.get_action("ukharvest_identifier_change_decide")(context(), data)
    except tk.ValidationError as exc:
        flash_errors(exc)
        return tk.redirect_to("ukharvest_identifiers.read", name=source["name"])
    describe = words.accepted if choice == "same" else words.refused
    tk.h.flash_success(describe(done["datasets"]))
    return tk.redirect_to("harvest.read", id=source["name"])
