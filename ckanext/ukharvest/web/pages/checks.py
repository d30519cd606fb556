"""Pages: check a text, a file or a URL, for anybody who may; each result at a URL of its own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.logic.asker import roll_back
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token, context, prevent_caching
from ckanext.ukharvest.web.pages.source_previews import (
    is_fragment,
    progress_part,
    progress_variables,
    reload_page,
)

checks = Blueprint("ukharvest_checks", __name__)

NAME = "check"  # in the URL, where a source's name would be
_OFFERED = ("url", "source_type", "schema_url")  # fields that a link can fill in
_FIELDS = (*_OFFERED, "text")
_FILES = ("upload", "schema_upload")


@checks.route("/harvest/check")
def form() -> Any:
    """Show the form, filled in from URL parameters."""
    try:
        tk.check_access("ukharvest_check_create", context(), {})
    except tk.NotAuthorized:
        source_frame.refuse()
    return _form({name: tk.request.args.get(name, "") for name in _OFFERED}, {})


@checks.route("/harvest/check", methods=["POST"])
def create() -> Any:
    """Start a check, and show its page."""
    check_token()
    sent = {name: tk.request.form.get(name, "") for name in _FIELDS}
    files = {name: tk.request.files[name] for name in _FILES if name in tk.request.files}
    try:
        check = tk.get_action("ukharvest_check_create")(context(), {**sent, **files})
    except tk.NotAuthorized:
        source_frame.refuse(tk.url_for("ukharvest_checks.form"))
    except tk.ValidationError as exc:
        roll_back()
        return _form(sent, exc.error_dict)
    return tk.redirect_to("ukharvest_checks.show", id=check["id"])


# Only ids: pages of a source that is named like this page stay where they are.
@checks.route("/harvest/check/<uuid:id>")
def show(id: UUID) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the progress of a check as a part of its page, or the page."""
    variables = _variables(ask("ukharvest_check_show", id=str(id)))
    if is_fragment():
        return _private(progress_part(variables))
    return _private(Response(tk.render("ukharvest/check/page.html", variables)))


@checks.route("/harvest/check/<uuid:id>/stop", methods=["POST"])
def stop(id: UUID) -> Any:  # noqa: A002
    """Stop a check."""
    check_token()
    ask("ukharvest_check_stop", id=str(id))
    if is_fragment():
        return reload_page()
    return tk.redirect_to("ukharvest_checks.show", id=str(id))


def _form(values: dict[str, str], errors: dict[str, list[str]]) -> Response:
    variables = {
        "values": values,
        "errors": errors,
        "types": [(name, _label(name)) for name in sorted(TYPES, key=_label)],
        "data": DATA,
        "megabytes": config.CHECK_MEGABYTES,
        "namesake": _namesake(),
    }
    return prevent_caching(Response(tk.render("ukharvest/check/form.html", variables)))


def _label(name: str) -> str:
    return str(tk._(TYPES[name].title))


def _namesake() -> dict[str, Any] | None:
    """Return a source that has the name of this page, if the user may see it."""
    try:
        found = tk.get_action("ukharvest_source_show")(context(), {"source_id": NAME})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return None
    return {"id": found["id"], "title": found["title"]}


def _variables(check: dict[str, Any]) -> dict[str, Any]:
    again = {name: check[name] for name in ("url", "source_type")}
    again["schema_url"] = check["schema"] if "://" in check["schema"] else ""
    return {
        **progress_variables(check),
        "is_public": True,
        "address": tk.url_for("ukharvest_checks.show", id=check["id"], _external=True),
        "again": {name: value for name, value in again.items() if value},
    }


def _private(response: Response) -> Response:
    """Return the response so that neither caches nor search engines keep it."""
    response = prevent_caching(response)
    response.cache_control.no_store = True
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Referrer-Policy"] = "same-origin"  # CSRF tokens need it
    return response
