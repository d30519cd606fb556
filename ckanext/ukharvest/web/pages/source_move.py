"""Pages: move a source to another URL: form, dry run, confirmation.

Without scripts the page of the dry run is reloaded by hand.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.logic import source_moves
from ckanext.ukharvest.logic.asker import roll_back
from ckanext.ukharvest.logic.source_preview_rules import is_under_way
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.presentation.messages import source_moves as move_words
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token, context, csv_response
from ckanext.ukharvest.web.pages.source_previews import progress_variables

source_move = Blueprint("ukharvest_source_move", __name__)

COLUMNS = ("title", "dataset_address", "identifier")

Errors = dict[str, list[str]]


@source_move.route("/harvest/<name>/move", methods=["GET", "POST"])
def start(name: str) -> Any:
    """Ask for the new URL and type; POST starts the dry run."""
    source = source_frame.find(name)
    if tk.request.method != "POST":
        return _form(source, {"url": "", "source_type": source["source_type"]}, {})
    check_token()
    sent = {key: tk.request.form.get(key, "").strip() for key in ("url", "source_type")}
    asked = {"source_id": source["id"], **sent}
    try:
        begun = tk.get_action("ukharvest_source_move_dry_run_create")(context(), asked)
    except tk.ValidationError as exc:
        roll_back()
        return _form(source, sent, exc.error_dict)
    return tk.redirect_to("ukharvest_source_move.read", name=source["name"], id=begun["id"])


def _form(source: dict[str, Any], sent: dict[str, str], errors: Errors) -> str:
    types = {name: type_label(name) for name in (source["source_type"], *config.our_type_names())}
    options = sorted(types.items(), key=lambda each: each[1])
    return source_frame.render(
        "ukharvest/source_move/form.html", source, sent=sent, errors=errors, types=options
    )


@source_move.route("/harvest/<name>/move/<id>", methods=["GET", "POST"])
def read(name: str, id: str) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the dry run of a move; POST moves the source."""
    source = source_frame.find(name)
    if tk.request.method == "POST":
        check_token()
        return _move(source, id)
    preview = _dry_run(source, id)
    return source_frame.render(
        "ukharvest/source_move/dry_run.html",
        source,
        **progress_variables(preview, most=0),
        under_way=is_under_way(preview),
        few_match=move_words.few_match(),
    )


@source_move.route("/harvest/<name>/move/<id>/missing.csv")
def missing_csv(name: str, id: str) -> Response:  # noqa: A002
    """Send every dataset that the dry run did not find at the new URL."""
    source = source_frame.find(name)
    _dry_run(source, id)
    rows = [
        {
            **row,
            "dataset_address": tk.url_for("dataset.read", id=row["name"], _external=True),
            "identifier": row["guid"],
        }
        for row in source_moves.list_all_missing(id)
    ]
    return csv_response(rows, COLUMNS, f"not-at-the-new-url-{source['name']}")


def _dry_run(source: dict[str, Any], id_: str) -> dict[str, Any]:
    preview: dict[str, Any] = ask("ukharvest_source_preview_show", id=id_)
    if preview["source_id"] != source["id"] or not preview["is_move"]:
        return tk.abort(404, tk._("Nothing has this name or id."))  # type: ignore[no-any-return]
    return preview


def _move(source: dict[str, Any], id_: str) -> Any:
    even = bool(tk.request.form.get("even_if_few_match"))
    asked = {"source_id": source["id"], "dry_run_id": id_, "even_if_few_match": even}
    try:
        done = tk.get_action("ukharvest_source_move")(context(), asked)
    except tk.ObjectNotFound as exc:
        return tk.abort(404, str(exc))
    except tk.ValidationError as exc:
        roll_back()
        tk.h.flash_error(" ".join(text for texts in exc.error_dict.values() for text in texts))
        return tk.redirect_to("ukharvest_source_move.read", name=source["name"], id=id_)
    tk.h.flash_success(move_words.moved(done))
    return tk.redirect_to("harvest.read", id=source["name"])
