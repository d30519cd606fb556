"""Backlog and budget of link checks, for the dashboard, the doctor and the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import counted
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
    figures = redis_cache.recall(SAVED)
    if figures is None:
        figures = load_figures()
        redis_cache.save(SAVED, figures, SECONDS)
    return dict(figures)


def format_backlog(found: Mapping[str, Any]) -> str:
    """Return how many links wait, as a sentence.

    Args:
        found: as ``load_figures`` returns it.
    """
    if not found["waiting"]:
        return "No link is waiting to be checked."
    verb = "waits" if found["waiting"] == 1 else "wait"
    return f"{counted(found['waiting'], 'link')} {verb} to be checked."


def format_data(found: Mapping[str, Any]) -> str:
    """Return how many files were checked against their schemas, "" without schemas.

    Args:
        found: as ``load_figures`` returns it.
    """
    data = found["data"]
    if not any(data.values()):
        return ""
    valid, invalid, unchecked = (
        data.get(verdict, 0) for verdict in ("valid", "invalid", "unchecked")
    )
    files = counted(valid + invalid + unchecked, "file")
    return (
        f"{files} checked against a schema: {valid:,} valid, {invalid:,} with errors, "
        f"{unchecked:,} not checkable; {data['waiting']:,} waiting."
    )
