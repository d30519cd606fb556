"""Template helpers."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError

log = logging.getLogger(__name__)


def ukharvest_job_stats(job_id: str) -> dict[str, int]:
    """Return the figures of a run as ``harvest_job_show`` has them: added, updated, …"""
    context = {"ignore_auth": True, "return_error_summary": False}
    stats: dict[str, int] = tk.get_action("harvest_job_show")(context, {"id": job_id})["stats"]
    return stats


def ukharvest_coupled(package_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the coupled datasets and services that the reader of the page may see."""
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_coupled_show")(context, {"id": package_id}))
    except SearchError:  # the page is of use without them
        log.exception("What is coupled with %s could not be looked up", package_id)
        return {"datasets": [], "services": []}
