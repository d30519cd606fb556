"""Shared functions of a source's pages: find the source, check access, render the template."""

from __future__ import annotations

from typing import Any, NoReturn

import ckan.plugins.toolkit as tk
from flask import abort as flask_abort
from flask import g, redirect

from ckanext.ukharvest.logic import source_adoption
from ckanext.ukharvest.logic.asker import context
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.sources import TYPE, load_source
from ckanext.ukharvest.web.pages.common import refuse_fragment


def find(name: str, *, insiders_only: bool = True) -> dict[str, Any]:
    """Return the source of a URL, or abort with 404, 403 or a redirect to the login page.

    Args:
        name: name or id, as in the URL.
        insiders_only: whether the page is only for users who may update the source; anonymous
            users are sent to the login page and back, others get 403.

    Returns:
        The result of ``load_source``, with ``may_manage`` (the user may update it) and
        ``adopt_hint`` (for these users: why it does not run until it is adopted, or "").
    """
    asker = context()
    source = load_source(name)
    if source is None:
        return _not_there()
    # Whoever may update it may read it, and the second check is slower.
    may_manage = may(asker, "harvest_source_update", id=source["id"])
    if not may_manage and not may(asker, "package_show", id=source["id"]):
        return _not_there()
    if insiders_only and not may_manage:
        refuse(tk.h.url_for("harvest.read", id=source["name"]))
    hint = source_adoption.hint(source["source_type"], source["name"]) if may_manage else ""
    return {**source, "may_manage": may_manage, "adopt_hint": hint}


def _not_there() -> NoReturn:
    message = tk._("There is no harvest source with this name.")
    tk.abort(404, message)
    raise AssertionError(message)  # tk.abort does not come back


def refuse_adding() -> NoReturn:
    """As ``refuse``, for pages that add a source: there is no source yet."""
    refuse(
        message=tk._(
            "Only editors of an organisation can add harvest sources. Ask an administrator of your "
            "organisation, or the people who run this site, to make you an editor."
        )
    )


def refuse(back: str = "", message: str = "") -> NoReturn:
    """Abort: redirect anonymous users to the login page and back, else 403.

    Args:
        back: URL to return to after login if this URL only accepts POST.
        message: for users who have logged in, translated.
    """
    refuse_fragment()
    if tk.current_user.is_anonymous:
        here = tk.request.full_path if tk.request.query_string else tk.request.path
        here = tk.request.script_root + here
        is_page = tk.request.method in ("GET", "HEAD")
        came_from = here if is_page else back or tk.h.url_for("harvest.search")
        flask_abort(redirect(tk.h.url_for("user.login", came_from=came_from)))
    message = message or tk._("Only editors of the source's organisation see this page.")
    tk.abort(403, message)
    raise AssertionError(message)  # tk.abort does not come back


def render(template: str, source: dict[str, Any], **variables: Any) -> str:
    """Return a page of the source that ``find`` returned."""
    g.dataset_type = TYPE  # CKAN's templates use it for links
    return str(tk.render(template, {"harvest_source": source, "source": source, **variables}))
