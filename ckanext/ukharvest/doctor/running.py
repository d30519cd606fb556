"""Unfinished runs, why some make no progress, and the figures of the last day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.model import current_run, utcnow
from ckanext.ukharvest.model.current_run import CurrentRun

Session = model.Session

MOST = 50
DAY = dt.timedelta(days=1)

_ENDED = sa.text(
    """
    SELECT count(*) FILTER (WHERE report.mode <> 'approval') AS runs,
           count(*) FILTER (WHERE report.outcome = 'failed') AS failed,
           COALESCE(sum(CAST(figures ->> 'added' AS integer)
                        + CAST(figures ->> 'updated' AS integer)
                        + CAST(figures ->> 'deleted' AS integer)), 0) AS changed
      FROM harvest_job AS job JOIN ukharvest_job AS report ON report.job_id = job.id
     WHERE job.finished > :since AND report.figures IS NOT NULL
    """
)


def runs(consumers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return unfinished runs, stuck ones first; one statement.

    Args:
        consumers: as ``runs.consumers`` returns them.

    Returns:
        Dicts with ``id``, ``source`` ({"id", "name", "title"}), ``state`` (as
            ``status_labels.STATES``), ``done``, ``total``, ``lost`` (failed records), ``waiting``
            (records not imported yet), ``begun`` (reading has started), ``started``,
            ``last_progress`` and ``reason``: why a stuck run makes no progress (a sentence and its
            arguments), else None.
    """
    alive = [each for each in consumers if each["alive"] and not each["hung"]]
    found = [_row(run, alive) for run in current_run.load_current_runs()]
    return sorted(found, key=lambda row: row["state"] != "stuck")


def _row(run: CurrentRun, alive: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": run.id,
        "source": {
            "id": run.source_id,
            "name": run.name or run.source_id,
            "title": run.title or run.name or run.source_id,
        },
        "state": run.state,
        "done": run.done if run.is_read else 0,
        "total": run.total,
        "lost": run.lost,
        "waiting": run.unfinished if run.is_read else 0,
        "begun": run.started is not None,
        "started": iso(run.started or run.created),
        "last_progress": iso(run.moved),
        "reason": _why(run, alive) if run.state == "stuck" else None,
    }


def _why(run: CurrentRun, alive: Sequence[dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """Return why a run makes no progress: a sentence and its arguments.

    It is translated later: the snapshot has no language.
    """
    kind = "fetch" if run.is_read else "gather"
    if run.is_read and not run.unfinished:
        return _(
            "All records are imported, but the run has not been finished. Check that cron "
            "calls ckan harvester run."
        ), {}
    of_kind = [each for each in alive if each["kind"] in (kind, "command")]
    if not of_kind:
        return _("No {kind} consumer is running."), {"kind": kind}
    if any(each["busy_with"] == run.id for each in of_kind):
        host = urlsplit(run.url).hostname or run.url
        return _("Its consumer is running and waits for {host}."), {"host": host}
    if all(each["busy_with"] for each in of_kind):
        return _("All {kind} consumers are busy with other runs."), {"kind": kind}
    return _("Its message or its consumer is gone. The next ckan harvester run sends it again."), {}


def last_day() -> dict[str, Any]:
    """Return what ended within 24 hours: ``since``, ``runs``, ``failed`` and ``changed`` datasets.

    Approved deletions are not runs, but change datasets. Takes one statement.
    """
    since = utcnow() - DAY
    return {"since": iso(since), **Session.execute(_ENDED, {"since": since}).mappings().one()}
