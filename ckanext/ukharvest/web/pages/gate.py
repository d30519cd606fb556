"""Checks before each request: no NUL in the URL, and no pending migration."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, current_app

from ckanext.ukharvest.logic import guarded_actions
from ckanext.ukharvest.logic.sources import TYPE

gate = Blueprint("ukharvest_gate", __name__)


@gate.before_app_request
def refuse_nul() -> None:
    """Abort with 404 if the URL has %00: PostgreSQL cannot store a NUL."""
    for value in (tk.request.view_args or {}).values():
        if isinstance(value, str) and "\0" in value:
            tk.abort(404, tk._("Nothing has this name or id."))


def refuse_without_tables() -> Any:
    """Abort with 503 while a migration is pending; the sources' list is then ckanext-harvest's."""
    if not guarded_actions.are_tables_behind():
        return None
    if tk.request.endpoint == "ukharvest_sources.search":
        return current_app.view_functions[f"{TYPE}.search"](package_type=TYPE)
    if getattr(tk.current_user, "sysadmin", False):
        return tk.abort(503, guarded_actions.migration_hint())
    return tk.abort(503, tk._("The harvest pages are being upgraded. Try again in a few minutes."))
