"""What there is to do on other pages: the menu in the header, and a list on the dashboards."""

from __future__ import annotations

import logging
from typing import Any

import sqlalchemy as sa
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.actions import context, roll_back
from ckanext.ukharvest.lib.permissions import may_harvest
from ckanext.ukharvest.lib.slots import Slot

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


SLOTS = (
    Slot("navigation", "ukharvest/snippets/navigation.html", lambda: _load(0)),
    Slot("own_work", "ukharvest/snippets/to_do.html", _first),
)
