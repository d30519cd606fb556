"""Runs that have not ended, with state and progress; one statement for any number."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.source_status import RunFacts, run_state
from ckanext.ukharvest.model import utcnow

Session = model.Session

# With fewer finished records, the remaining time would be a guess.
RATED = 10


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """A run that has not ended; times are naive UTC.

    Attributes:
        id: the harvest job's.
        source_id, name, title, url: of its source; the last three "" if that is gone.
        state: "queued", "gathering", "importing", "deleting", "finishing", "stopping", "stuck".
        mode: "normal", "force" or "approval".
        asked_by, stopped_by: names of people; "" for the schedule, and if nobody stopped it.
        created: when it was asked for.
        started: when it began to read; None while it waits.
        is_read: the source has been read.
        moved: time of its last progress.
        seen: records that the source has listed so far, while it is read.
        total, done, lost: numbers of harvest objects: all, finished, failed.
        queue_position: number of runs that wait before it; 0 if it has begun.
        eta_seconds: estimated remaining time, None if unknown.
    """

    id: str
    source_id: str
    name: str
    title: str
    url: str
    state: str
    mode: str
    asked_by: str
    stopped_by: str
    created: dt.datetime
    started: dt.datetime | None
    is_read: bool
    moved: dt.datetime
    seen: int
    total: int
    done: int
    lost: int
    queue_position: int
    eta_seconds: float | None

    @property
    def unfinished(self) -> int:
        return self.total - self.done


def load_current_runs(source_ids: Collection[str] | None = None) -> list[CurrentRun]:
    """Return the runs of these sources, or of all, that have not ended; the oldest first.

    One statement, none without sources.
    """
    if source_ids is not None and not source_ids:
        return []
    ids = None if source_ids is None else list(source_ids)
    now = utcnow()
    return [_run(row, now) for row in Session.execute(_CURRENT, {"ids": ids})]


def _run(row: Any, now: dt.datetime) -> CurrentRun:
    signs = (row.created, row.gather_started, row.gather_finished, row.heartbeat, row.sign)
    moved = max(sign for sign in signs if sign)
    is_sent, is_read = row.status == "Running", row.gather_finished is not None
    state = run_state(
        RunFacts(
            is_sent=is_sent,
            is_begun=row.gather_started is not None,
            is_read=is_read,
            moved=moved,
            now=now,
            unfinished=row.total - row.done,
            waiting=row.waiting,
            is_stopped=bool(row.stopped_by),
            mode=row.mode,
            gathers=row.gathers,
            fetches=row.fetches,
        )
    )
    return CurrentRun(
        id=row.id,
        source_id=row.source_id,
        name=row.name,
        title=row.title,
        url=row.url,
        state=state,
        mode=row.mode,
        asked_by=row.asked_by,
        stopped_by=row.stopped_by,
        created=row.created,
        started=row.gather_started,
        is_read=is_read,
        moved=moved,
        seen=row.seen,
        total=row.total,
        done=row.done,
        lost=row.lost,
        queue_position=row.before if state == "queued" else 0,
        eta_seconds=_eta(row, now) if state in ("importing", "deleting") else None,
    )


def _eta(row: Any, now: dt.datetime) -> float | None:
    """Estimate the remaining seconds from the progress so far."""
    if row.done < RATED or row.import_began is None:
        return None
    elapsed: float = (now - row.import_began).total_seconds()
    return elapsed / row.done * (row.total - row.done)


_CURRENT = sa.text(
    """
    SELECT job.id, job.source_id, job.status, job.created, job.gather_started,
           job.gather_finished, report.heartbeat, COALESCE(report.asked_by, '') AS asked_by,
           COALESCE(report.stopped_by, '') AS stopped_by,
           COALESCE(report.mode, 'normal') AS mode,
           COALESCE(CAST(report.counts ->> 'seen' AS integer), 0) AS seen,
           COALESCE(package.name, '') AS name, COALESCE(package.title, '') AS title,
           COALESCE(source.url, '') AS url, worker.gathers, worker.fetches,
           object.total, object.done, object.waiting, object.lost, object.import_began,
           object.sign,
           (SELECT count(*) FROM harvest_job AS other
             WHERE other.status IN ('New', 'Running') AND other.gather_started IS NULL
               AND other.created < job.created) AS before
      FROM harvest_job AS job
      LEFT JOIN harvest_source AS source ON source.id = job.source_id
      LEFT JOIN package ON package.id = job.source_id
      LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
      CROSS JOIN LATERAL (
           SELECT count(*) AS total,
                  count(*) FILTER (WHERE state IN ('COMPLETE', 'ERROR')) AS done,
                  count(*) FILTER (WHERE state = 'WAITING') AS waiting,
                  count(*) FILTER (WHERE report_status = 'errored') AS lost,
                  min(fetch_started) AS import_began,
                  max(GREATEST(fetch_started, import_finished)) AS sign
             FROM harvest_object WHERE harvest_job_id = job.id) AS object
      CROSS JOIN (
           SELECT max(heartbeat) FILTER (WHERE kind = 'gather') AS gathers,
                  max(heartbeat) FILTER (WHERE kind = 'fetch') AS fetches
             FROM ukharvest_worker WHERE busy_with <> '') AS worker
     WHERE job.status IN ('New', 'Running')
       AND (CAST(:ids AS text[]) IS NULL OR job.source_id = ANY (CAST(:ids AS text[])))
     ORDER BY job.created, job.id
    """
)
