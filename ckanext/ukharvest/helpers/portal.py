"""Template helpers of the list of sources, and of what leads to it."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from ckan import authz
from flask import g

from ckanext.ukharvest import config
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.model import source_list
from ckanext.ukharvest.portal import notice
from ckanext.ukharvest.words.source_words import FREQUENCIES

# ckanext-harvest's blueprints and CKAN's for its dataset type; ours begin with our name.
_STOCK = ["harvest", "harvester"]


def ukharvest_may_harvest() -> bool:
    """Tell whether who asks may add sources, or edit some; asked once a page."""
    if tk.current_user.is_anonymous:
        return False
    known: bool | None = g.get("ukharvest_may_harvest")
    if known is None:
        known = authz.has_user_permission_for_some_org(tk.current_user.name, "update_dataset")
        g.ukharvest_may_harvest = known
    return known


def ukharvest_in_navigation() -> bool:
    """Tell whether who asks gets a link to the sources in the header."""
    who = config.navigation()
    return who == "everyone" or (who == "editors" and ukharvest_may_harvest())


def ukharvest_own_pages() -> list[str]:
    """Return the blueprints that the link in the header stands for."""
    current = tk.request.blueprint or ""
    is_ours = current.startswith("ukharvest") and current != "ukharvest_portal"
    return [*_STOCK, current] if is_ours else _STOCK


def ukharvest_notice() -> str:
    """Return what the sysadmin tells those who look after sources, "" for everybody else."""
    return str(notice.read()["text"]) if ukharvest_may_harvest() else ""


def ukharvest_sources_of(organisation_id: str) -> int:
    """Return how many harvest sources an organisation has."""
    return source_list.of_organisation(organisation_id)


def ukharvest_source_type(name: str) -> str:
    """Return what a type of source is called."""
    return type_label(name)


def ukharvest_frequency(name: str) -> str:
    """Return how often a source runs, in words."""
    return str(tk._(FREQUENCIES.get(name, name)))
