"""What there is to do on other pages: the menu in the header, and a list on the dashboards."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.actions import context, roll_back
from ckanext.ukharvest.lib.permissions import editable_organisations, may_harvest
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.sources import model as source_model

log = logging.getLogger(__name__)

MOST = 5


def _load(limit: int) -> Any:
    """Return what the user has to do as the action does; None for who may edit no source.

    Every page of the portal has the menu, so none fails with it, such as before a migration.
    """
    if tk.current_user.is_anonymous or not may_harvest(tk.current_user.name):
        return None
    try:
        return tk.get_action("ukharvest_to_do_list")(context(), {"limit": limit})
    except sa.exc.SQLAlchemyError:
        log.exception("What there is to do could not be read")
        roll_back()
        return None


def _first() -> Any:
    """Return the beginning of the list, None if it is empty."""
    listed = _load(MOST)
    return listed if listed and listed["count"] else None


def _menu() -> Any:
    """Return the number of what there is to do, and the links of the menu."""
    listed = _load(0)
    return listed and {**listed, "links": [*_links()]}


def _links() -> Iterator[tuple[str, str, bool]]:
    """Yield text and URL, and whether it belongs to the one before, as a source does."""
    url_for = tk.h.url_for
    yield tk._("To do"), url_for("ukharvest_to_do.read"), False
    for row in source_model.of_organisations(editable_organisations(context()) or ()):
        yield row.title, url_for("harvest.search", organization=row.name), False
        yield from ((title, url_for("harvest.read", id=id_), True) for id_, title in row.sources)
    yield tk._("Harvest sources"), url_for("harvest.search"), False
    add = tk.h.ukharvest_page("ukharvest_source_previews.add", "harvest.new")
    yield tk._("Add a harvest source"), add, False


SLOTS = (
    Slot("navigation", "ukharvest/snippets/navigation.html", _menu),
    Slot("own_work", "ukharvest/snippets/to_do.html", _first),
)
