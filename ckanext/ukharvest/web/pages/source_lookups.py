"""Pages: add a source from an address alone. They find out what it is, and fill in the form."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.logic.asker import roll_back
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token, context
from ckanext.ukharvest.web.pages.source_previews import (
    is_fragment,
    progress_part,
    progress_variables,
    reload_page,
)

lookups = Blueprint("ukharvest_source_lookups", __name__)


@lookups.route("/harvest/add", methods=["GET", "POST"])
def add() -> Any:
    """Show the form for an address; POST starts the lookup and shows its page."""
    try:
        tk.check_access("ukharvest_source_preview_create", context(), {})
    except tk.NotAuthorized:
        source_frame.refuse_adding()
    if tk.request.method != "POST":
        return _page(tk.request.args.get("url", ""), {}, None)
    check_token()
    url = tk.request.form.get("url", "").strip()
    if url and "://" not in url:
        url = f"https://{url}"
    try:
        preview = tk.get_action("ukharvest_source_preview_create")(context(), {"url": url})
    except tk.ValidationError as exc:
        roll_back()
        return _page(url, exc.error_dict, None)
    return tk.redirect_to("ukharvest_source_lookups.show", id=preview["id"])


@lookups.route("/harvest/add/<uuid:id>")
def show(id: UUID) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the progress of a lookup as a part of its page, or the page."""
    preview = ask("ukharvest_source_preview_show", id=str(id))
    if is_fragment():
        return progress_part(_variables(preview))
    return _page(preview["url"], {}, preview)


@lookups.route("/harvest/add/<uuid:id>/stop", methods=["POST"])
def stop(id: UUID) -> Any:  # noqa: A002
    """Stop a lookup."""
    check_token()
    ask("ukharvest_source_preview_stop", id=str(id))
    if is_fragment():
        return reload_page()
    return tk.redirect_to("ukharvest_source_lookups.show", id=str(id))


def _page(url: str, errors: dict[str, list[str]], preview: dict[str, Any] | None) -> str:
    shown = {"url": url, "errors": errors, "preview": None}
    if preview:
        shown |= _variables(preview)
    return str(tk.render("ukharvest/source_form/add.html", shown))


def _variables(preview: dict[str, Any]) -> dict[str, Any]:
    return {**progress_variables(preview), "is_lookup": True}
