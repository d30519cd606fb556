"""Template helpers."""

from __future__ import annotations

import ckan.plugins.toolkit as tk


def ukharvest_job_stats(job_id: str) -> dict[str, int]:
    """Return the figures of a run as ``harvest_job_show`` has them: added, updated, …"""
    context = {"ignore_auth": True, "return_error_summary": False}
    stats: dict[str, int] = tk.get_action("harvest_job_show")(context, {"id": job_id})["stats"]
    return stats
