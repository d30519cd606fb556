"""Page: a record of a source, with outcome, problems, history and text."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.logic.asker import context
from ckanext.ukharvest.logic.records import load_text, source_of_record
from ckanext.ukharvest.presentation.rendering.source_record.form import excerpt
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token

record = Blueprint("ukharvest_record", __name__)


@record.route("/harvest/<name>/record/<int:id>")
def read(name: str, id: int) -> str:  # noqa: A002 - as in other routes
    source = source_frame.find(name)
    shown: dict[str, Any] = ask("ukharvest_record_show", id=id)
    _check(source, shown["source_id"])
    error = shown["error"]
    # Problems are of the last imported version; if the import failed, the text is newer.
    is_older = bool(error) and error["code"] != NotValid.code
    faults = [*([] if is_older else shown["problems"]), *([error] if error else [])]
    # Size 0: the text is not stored, or the user may not see it.
    text = load_text(id) if shown["content_size"] else ""
    lines = excerpt(text, {fault["line"] for fault in faults if fault["line"]}) if text else None
    values = {"record": shown, "excerpt": lines, "is_older": is_older}
    return source_frame.render("ukharvest/record.html", source, **values)


@record.route("/harvest/<name>/record/<int:id>", methods=["POST"])
def run(name: str, id: int) -> Any:  # noqa: A002
    """Import the record again."""
    source = source_frame.find(name)
    _check(source, source_of_record(id))
    check_token()
    try:
        tk.get_action("ukharvest_run_create")(context(), {"record_id": id})
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to do this"))
    except tk.ValidationError:
        tk.h.flash_notice(tk._("A run of the source is in progress. Try again when it has ended."))
    else:
        tk.h.flash_success(tk._("Run requested. It imports the record again."))
    return tk.redirect_to(tk.h.url_for("ukharvest_record.read", name=source["name"], id=id))


def _check(source: dict[str, Any], source_id: str | None) -> None:
    """Abort with 404 if a record is of another source."""
    if source_id != source["id"]:
        tk.abort(404, tk._("Nothing has this name or id."))
