"""Backlog, budget and slow hosts of link checks, for the dashboard, the doctor and the command."""

from __future__ import annotations

from typing import Any

import redis

from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.model import (
    data_check_report,
    data_checks,
    host_stats,
    link_budget,
    link_checks,
    redis_cache,
)
from ckanext.ukharvest.quality.link_check import check as link_checker

SAVED, SECONDS = "links", 300  # name in the Redis cache, and how long figures are shown


def load_figures() -> dict[str, Any]:
    """Return the figures of now; looks at every resource.

    Returns:
        ``states`` (state → number of links), ``waiting`` (links that are due), ``days`` (until
        they are checked, 0 if none wait), ``requests`` and ``megabytes`` (spent today),
        ``links`` (checked today), ``requests_per_day`` and ``megabytes_per_day`` (the budget, 0
        for no limit) and ``hosts``: the slowest of seven days, as ``host_stats.slowest`` has them;
        and ``data``, of checks against schemas: verdict → number of files, ``waiting``: files that
        are due.
    """
    waiting, most = link_checks.backlog()
    spent, budget = link_budget.spent_today(), link_check.budget()
    return {
        "states": link_checks.count_states(),
        "waiting": waiting,
        "days": link_budget.days_needed(waiting, most, budget, link_checker.LIMITS.delay),
        "requests": spent.requests,
        "megabytes": round(spent.received / link_check.MEGABYTE, 1),
        "links": spent.links,
        "requests_per_day": budget.requests,
        "megabytes_per_day": budget.received // link_check.MEGABYTE,
        "hosts": _slowest_hosts(),
        "data": {**data_check_report.count_verdicts(), "waiting": data_checks.count_due()},
    }


def recall_figures() -> dict[str, Any]:
    """Return the figures, at most five minutes old."""
    found = redis_cache.recall(SAVED)
    if found is None:
        found = load_figures()
        redis_cache.save(SAVED, found, SECONDS)
    return dict(found)


def _slowest_hosts() -> list[dict[str, Any]]:
    try:
        return host_stats.slowest(of=host_stats.LINKS)
    except redis.RedisError:
        return []  # the doctor's checks report that Redis is down
