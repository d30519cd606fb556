"""Backlog and budget of link checks, for the dashboard, the doctor and the command."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.model import (
    data_check_report,
    data_checks,
    link_budget,
    link_checks,
    redis_cache,
)

SAVED, SECONDS = "links", 300  # name in the Redis cache, and how long figures are shown


def load_figures() -> dict[str, Any]:
    """Return the figures of now; looks at every resource.

    Returns:
        ``states`` (state → number of links), ``waiting`` (links that are due), ``requests``
        and ``megabytes`` (spent today), ``links`` (checked today), ``requests_per_day`` and
        ``megabytes_per_day`` (the budget, 0 for no limit); and ``data``, of checks against
        schemas: verdict → number of files, ``waiting``: files that are due.
    """
    spent, budget = link_budget.spent_today(), link_check.budget()
    return {
        "states": link_checks.count_states(),
        "waiting": link_checks.count_due(),
        "requests": spent.requests,
        "megabytes": round(spent.received / link_check.MEGABYTE, 1),
        "links": spent.links,
        "requests_per_day": budget.requests,
        "megabytes_per_day": budget.received // link_check.MEGABYTE,
        "data": {**data_check_report.count_verdicts(), "waiting": data_checks.count_due()},
    }


def recall_figures() -> dict[str, Any]:
    """Return the figures, at most five minutes old."""
    found = redis_cache.recall(SAVED)
    if found is None:
        found = load_figures()
        redis_cache.save(SAVED, found, SECONDS)
    return dict(found)
