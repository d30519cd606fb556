"""Page: one record of a source: what became of it, its problems, its history, its text."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.model import record_history
from ckanext.ukharvest.pages import source_frame
from ckanext.ukharvest.pages.common import ask, check_token, context
from ckanext.ukharvest.source_record.excerpt import excerpt

record = Blueprint("ukharvest_record", __name__)


@record.route("/harvest/<name>/record/<int:id>")
def read(name: str, id: int) -> str:  # noqa: A002 - as in other routes
    source = source_frame.find(name)
    shown: dict[str, Any] = ask("ukharvest_record_show", id=id)
    _check(source, shown["source_id"])
    error = shown["error"]
    # Problems are of the record as last brought in; the text of a lost one is newer.
    is_older = bool(error) and error["code"] != NotValid.code
    faults = [*([] if is_older else shown["problems"]), *([error] if error else [])]
    # No size: it is not kept, or not to be seen.
    text = record_history.text_of(id) if shown["content_size"] else ""
    lines = excerpt(text, {each["line"] for each in faults if each["line"]}) if text else None
    values = {"record": shown, "excerpt": lines, "is_older": is_older}
    return source_frame.render("ukharvest/record.html", source, **values)


@record.route("/harvest/<name>/record/<int:id>", methods=["POST"])
def run(name: str, id: int) -> Any:  # noqa: A002
    """Bring the record in again."""
    source = source_frame.find(name)
    found = record_history.find(id)
    _check(source, found and found.row.source_id)
    check_token()
    try:
        tk.get_action("ukharvest_record_run")(context(), {"id": id})
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to do this"))
    except tk.ValidationError:
        tk.h.flash_notice(tk._("A run of the source is going on; try again when it has ended."))
    else:
        tk.h.flash_success(tk._("A run was asked for; it brings the record in again."))
    return tk.redirect_to(tk.h.url_for("ukharvest_record.read", name=source["name"], id=id))


def _check(source: dict[str, Any], source_id: str | None) -> None:
    """Leave if a record is of another source."""
    if source_id != source["id"]:
        tk.abort(404, tk._("There is nothing of this name or id."))
