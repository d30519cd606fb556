"""Figures of sources by day, which outlive runs: what runs did, and how many datasets there are."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import DailyFigure

Session = model.Session

Key = tuple[str, dt.date, str]  # source id, day (UTC), name
# Those of runs, besides "runs" and "failed" (runs), are sums of their figures.
_SUMS = ("added", "updated", "deleted", "lost")
KEPT = 731  # days


def count_run(run: Any, result: Any) -> Counter[Key]:
    """Return what a run adds to the figures of the day on which it was asked for.

    Args:
        run: with ``source_id``, ``created`` and ``mode``; approved deletions are no run.
        result: with ``outcome`` and ``figures``, as ``outcomes.RunResult``; nothing is added if
            these are None.
    """
    values = {name: (result.figures or {}).get(name, 0) for name in _SUMS}
    if result.figures is not None and run.mode != RunMode.APPROVAL:
        values |= {"runs": 1, "failed": int(result.outcome == RunOutcome.FAILED)}
    return Counter({(run.source_id, run.created.date(), name): n for name, n in values.items()})


def add_figures(changes: Mapping[Key, int]) -> None:
    """Add numbers, which may be negative, to figures; one statement, none for zeros; no commit."""
    names = ("source_id", "day", "name", "value")
    rows = [
        dict(zip(names, (source_id, day.isoformat(), name, value), strict=True))
        for (source_id, day, name), value in changes.items()
        if value
    ]
    if rows:
        Session.execute(_ADD, {"rows": rows})


def store_datasets(source_ids: Collection[str] | None = None) -> None:
    """Store how many datasets sources have today; no commit.

    Args:
        source_ids: None for all.
    """
    ids = None if source_ids is None else [*source_ids]
    today = tables.utcnow().date()
    Session.execute(_STORE_DATASETS, {"day": today, "ids": ids, "public": False})


def forget_old_figures() -> None:
    """Delete figures after two years; no commit."""
    today = tables.utcnow().date()
    execute(sa.delete(DailyFigure).where(DailyFigure.day < today - dt.timedelta(days=KEPT)))


def last_days(number: int) -> list[dict[str, Any]]:
    """Return figures of all sources of the last days, the oldest first; one statement.

    Returns:
        Dicts with ``day`` (ISO 8601), ``runs``, ``failed`` and ``datasets``: None if nobody has
        counted them on that day.
    """
    today = tables.utcnow().date()
    days = [today - dt.timedelta(days=ago) for ago in reversed(range(number))]
    totals: dict[dt.date, dict[str, int]] = {}
    for day, name, value in Session.execute(_TOTALS, {"since": days[0]}):
        totals.setdefault(day, {})[name] = int(value)
    none = {"runs": 0, "failed": 0, "datasets": None}
    return [{"day": day.isoformat(), **none, **totals.get(day, {})} for day in days]


# Sorted, so that two transactions do not wait for each other in a circle.
_ADD = sa.text(
    """
    INSERT INTO ukharvest_figure AS figure (source_id, day, name, value)
    SELECT source_id, day, name, value
      FROM jsonb_to_recordset(:rows) AS change (source_id text, day date, name text, value bigint)
     ORDER BY source_id, day, name
        ON CONFLICT (source_id, day, name) DO UPDATE SET value = figure.value + excluded.value
    """
).bindparams(sa.bindparam("rows", type_=JSONB))
_STORE_DATASETS = sa.text(
    f"""
    INSERT INTO ukharvest_figure (source_id, day, name, value)
    SELECT source.id, :day, 'datasets', COALESCE(counted.datasets, 0)
      FROM harvest_source AS source
      LEFT JOIN ({dataset_rows.OF_SOURCES}) AS counted ON counted.source_id = source.id
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
     ORDER BY source.id
        ON CONFLICT (source_id, day, name) DO UPDATE SET value = excluded.value
    """  # noqa: S608 - no value is put into it
)
_TOTALS = sa.text(
    """
    SELECT day, name, sum(value) FROM ukharvest_figure
     WHERE day >= :since AND name IN ('runs', 'failed', 'datasets')
     GROUP BY day, name
    """
)
