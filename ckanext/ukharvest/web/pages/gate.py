"""Checks before each request: no NUL in the URL, not too many requests."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response, jsonify
from flask.blueprints import BlueprintSetupState

from ckanext.ukharvest import config
from ckanext.ukharvest.logic import visitor_limit
from ckanext.ukharvest.reading.budget import MIB
from ckanext.ukharvest.texts import gettext
from ckanext.ukharvest.web.pages.common import prevent_caching

gate = Blueprint("ukharvest_gate", __name__)

# What everybody may request and costs much: a large record takes seconds to lay out, the figures
# of stars read the rows of all datasets, and an exported file may have to be decompressed.
# tests/ckan/test_visitor_limits.py counts the rest.
LIMITED_PAGES = frozenset(
    {"ukharvest_records.raw", "ukharvest_records.readable"}
    | {"ukharvest_stars.report", "ukharvest_stars.report_csv"}
    | {"ukharvest_data_checks.report", "ukharvest_data_checks.report_csv"}
    | {"ukharvest_export.file"}
)
LIMITED_ACTIONS = frozenset({"ukharvest_stars_list", "ukharvest_data_check_list"})
# What takes texts and files; a form has two of them and its other fields.
SIZED_PAGES = frozenset({"ukharvest_source_previews.create_check"})
SIZED_ACTIONS = frozenset({"ukharvest_check_create"})
_OTHER_FIELDS = 64 * 1024  # bytes


@gate.record
def _read_sizes_first(state: BlueprintSetupState) -> None:
    """Call ``refuse_large`` after CKAN's first function: the next one may read the form.

    That is the check of the CSRF token.
    """
    state.app.before_request_funcs.setdefault(None, []).insert(1, refuse_large)


def _is_of_api(actions: frozenset[str]) -> bool:
    """Tell whether a request is the API's, for one of the actions."""
    action = (tk.request.view_args or {}).get("logic_function")
    return tk.request.endpoint == "api.action" and action in actions


def refuse_large() -> Any:
    """Abort with 413 if a text or file to check is too large, before anything reads it."""
    is_action = _is_of_api(SIZED_ACTIONS)
    if not (is_action or tk.request.endpoint in SIZED_PAGES) or tk.request.method != "POST":
        return None
    most = 2 * config.CHECK_MEGABYTES * MIB + _OTHER_FIELDS
    size = tk.request.content_length
    tk.request.max_form_memory_size = most  # Flask's default is half a megabyte
    if size is not None and size <= most:
        return None
    status, message = 411, tk._("The request does not say its length: send Content-Length.")
    if size is not None:
        status, message = (
            413,
            gettext(
                "This is larger than {n} MB, which is the most that can be checked here",
                n=config.CHECK_MEGABYTES,
            ),
        )
    if not is_action:
        return tk.abort(status, message)
    response = jsonify(success=False, error={"__type": "Too Large", "message": message})
    response.status_code = status
    return prevent_caching(response)


@gate.before_app_request
def refuse_nul() -> None:
    """Abort with 404 if the URL has %00: PostgreSQL cannot store a NUL."""
    for value in (tk.request.view_args or {}).values():
        if isinstance(value, str) and "\0" in value:
            tk.abort(404, tk._("Nothing has this name or id."))


@gate.before_app_request
def limit_visitors() -> Any:
    """Answer 429 if an anonymous visitor, or all together, request too much of what costs much."""
    is_action = _is_of_api(LIMITED_ACTIONS)
    if not (is_action or tk.request.endpoint in LIMITED_PAGES) or not tk.current_user.is_anonymous:
        return None
    seconds = visitor_limit.seconds_to_wait(tk.request.remote_addr or "")
    if not seconds:
        return None
    message = tk._("Too many requests. Wait a minute, or log in.")
    response = (
        jsonify(success=False, error={"__type": "Too Many Requests", "message": message})
        if is_action
        else Response(message, content_type="text/plain; charset=utf-8")
    )
    response.status_code, response.headers["Retry-After"] = 429, str(seconds)
    return prevent_caching(response)
