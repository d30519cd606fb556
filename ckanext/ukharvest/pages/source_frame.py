"""The frame of every page of a source: which source, who asks, and what stock templates want."""

from __future__ import annotations

from typing import Any, NoReturn

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource
from flask import abort as flask_abort
from flask import g, redirect

from ckanext.ukharvest.logic.may import may
from ckanext.ukharvest.pages.common import context, refuse_part

TYPE = "harvest"  # CKAN's dataset type of sources; also the first part of their addresses


def find(name: str, *, insiders_only: bool = True) -> dict[str, Any]:
    """Return the source of an address, or leave: 404, the login page, 403.

    Args:
        name: name or id, as in the address.
        insiders_only: a page for those who may update the source; whoever is not logged in is sent
            to the login page and comes back, others are refused.

    Returns:
        ``id``, ``name``, ``title``, ``notes``, ``url``, ``source_type``, ``frequency``,
        ``active``, ``state``, ``private``, ``owner_org``, ``organization`` ({"id", "name",
        "title"} or None), ``type`` ("harvest") and ``may_manage``: who asks may update it.
    """
    asker = context()
    package = model.Package.get(name)
    source = HarvestSource.get(package.id) if package and package.type == TYPE else None
    if package is None or source is None:
        return _not_there()
    # Who may update it may see it, and the second question costs twice as much.
    may_manage = may(asker, "harvest_source_update", id=package.id)
    if not may_manage and not may(asker, "package_show", id=package.id):
        return _not_there()
    if insiders_only and not may_manage:
        refuse(tk.h.url_for("harvest.read", id=package.name))
    group = model.Group.get(package.owner_org) if package.owner_org else None
    return {
        "id": source.id,
        "name": package.name,
        "title": package.title or source.title or package.name,
        "notes": package.notes or "",
        "url": source.url,
        "source_type": source.type,
        "frequency": source.frequency or "MANUAL",
        "active": bool(source.active and package.state == "active"),
        "state": package.state,
        "private": package.private,
        "type": TYPE,
        "owner_org": package.owner_org,
        "organization": group and {"id": group.id, "name": group.name, "title": group.title},
        "may_manage": may_manage,
    }


def _not_there() -> NoReturn:
    message = tk._("There is no harvest source of this name.")
    tk.abort(404, message)
    raise AssertionError(message)  # tk.abort does not come back


def refuse(back: str = "") -> NoReturn:
    """Leave a page that is not for who asks: to the login page and back, or with 403.

    Args:
        back: where to come back to from an address that only takes what a form sends.
    """
    refuse_part()
    if tk.current_user.is_anonymous:
        here = tk.request.full_path if tk.request.query_string else tk.request.path
        here = tk.request.script_root + here
        is_page = tk.request.method in ("GET", "HEAD")
        came_from = here if is_page else back or tk.h.url_for("harvest.search")
        flask_abort(redirect(tk.h.url_for("user.login", came_from=came_from)))
    message = tk._("Only editors of the source's organisation see this page.")
    tk.abort(403, message)
    raise AssertionError(message)  # tk.abort does not come back


def render(template: str, source: dict[str, Any], **variables: Any) -> str:
    """Return a page of the source that ``find`` returned."""
    g.dataset_type = TYPE  # stock templates make their links with it
    return str(tk.render(template, {"harvest_source": source, "source": source, **variables}))
