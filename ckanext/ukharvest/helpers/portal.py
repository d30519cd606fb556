"""Template helpers of the list of sources, its link in the header, and the notices."""

from __future__ import annotations

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import notice
from ckanext.ukharvest.logic.permissions import may_harvest, once
from ckanext.ukharvest.model import notes

# Blueprints of ckanext-harvest, and of CKAN for its dataset type; ours begin with "ukharvest".
_STOCK = ["harvest", "harvester"]


def ukharvest_may_harvest() -> bool:
    """Tell whether the user may add or edit sources."""
    return not tk.current_user.is_anonymous and may_harvest(tk.current_user.name)


def ukharvest_in_navigation() -> bool:
    """Tell whether the header has a link to the sources for the user."""
    who = config.navigation()
    return who == "everyone" or (who == "editors" and ukharvest_may_harvest())


def ukharvest_own_pages() -> list[str]:
    """Return the blueprints for which the link in the header is active."""
    current = tk.request.blueprint or ""
    is_ours = current.startswith("ukharvest") and current != "ukharvest_portal"
    return [*_STOCK, current] if is_ours else _STOCK


def ukharvest_notice() -> str:
    """Return the sysadmin's notice to editors of sources, "" for other users."""
    if not ukharvest_may_harvest():
        return ""
    return str(notice.parse(once("notice", lambda: notes.note(notes.NOTICE)))["text"])
