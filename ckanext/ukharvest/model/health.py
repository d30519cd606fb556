"""Health, state and last runs of many sources, in four statements however many there are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core import health as rules
from ckanext.ukharvest.model import current_run, datasets, trials, utcnow
from ckanext.ukharvest.model.current_run import CurrentRun

Session = model.Session

RECENT = 200  # runs of a source that its health is told from


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """How one source is; times are naive UTC.

    Attributes:
        value: key of ``words.status.HEALTHS``.
        reason: why, as ``core.health.health`` names it.
        state: what it does now, key of ``words.status.STATES``.
        since: when the first of the failed runs in a row ended; for a late source, when it should
            have begun; else None.
        last_run: the last run that ended: {"id", "finished", "outcome" (key of
            ``words.status.OUTCOMES``), "lost"}, or None.
        judged_id: of the run that ``value`` speaks of: the last that ended and was not stopped,
            None if there is none.
        last_good_run: {"id", "finished"} of the last that did not fail, or None.
        next_run: when it starts next, None where a person starts it.
        datasets: how many of its datasets are there, private ones too.
        held: deletions that wait for a decision.
        failures: failed runs in a row up to now.
        current: the run that goes on or waits, None if there is none.
    """

    value: str
    reason: str
    state: str
    since: dt.datetime | None
    last_run: Mapping[str, Any] | None
    judged_id: str | None
    last_good_run: Mapping[str, Any] | None
    next_run: dt.datetime | None
    datasets: int
    held: int
    failures: int = 0
    current: CurrentRun | None = None


def of(source_ids: Collection[str] | None = None) -> dict[str, SourceHealth]:
    """Return source id → health, of these sources or of all there are."""
    if source_ids is not None and not source_ids:
        return {}
    ids = {"ids": None if source_ids is None else list(source_ids)}
    now = utcnow()
    young = {"given_up": now - trials.GIVEN_UP_AFTER, "silent": now - trials.SILENT_AFTER}
    sources = Session.execute(_SOURCES, {**ids, **young}).all()
    runs = {row.of_id: row for row in Session.execute(_RUNS, {**ids, "recent": RECENT})}
    # Of several the newest, which comes last.
    current = {run.source_id: run for run in current_run.of(source_ids)}
    counts = datasets.of_sources(source_ids)
    return {
        row.id: _of(row, runs[row.id], current.get(row.id), counts.get(row.id, 0), now)
        for row in sources
    }


def _of(
    source: Any, runs: Any, current: CurrentRun | None, number: int, now: dt.datetime
) -> SourceHealth:
    last_run = _last_run(runs)
    facts = rules.Facts(
        active=source.active,
        now=now,
        held=source.held,
        outcome=runs.judged_outcome or "",
        passes=bool(runs.judged_passes),
        failures=runs.failures or 0,
        lost=_lost(runs),
        due=source.due,
        is_running=current is not None,
    )
    value, reason = rules.health(facts)
    return SourceHealth(
        value=value,
        reason=reason,
        state=_state(source, current, has_run=last_run is not None),
        since=_since(value, facts, runs),
        last_run=last_run,
        judged_id=runs.judged_id,
        last_good_run={"id": runs.good_id, "finished": runs.good_ended} if runs.good_id else None,
        next_run=source.next_run,
        datasets=number,
        held=source.held,
        failures=facts.failures if facts.outcome == "failed" else 0,
        current=current,
    )


def _since(value: str, facts: rules.Facts, runs: Any) -> dt.datetime | None:
    if value == "late":
        return facts.due
    if facts.outcome == "failed":
        return runs.failing_since  # type: ignore[no-any-return]
    return None


def _last_run(runs: Any) -> dict[str, Any] | None:
    if runs.last_id is None:
        return None
    is_stopped = runs.last_id != runs.judged_id
    changed = sum(_figure(runs, key) for key in ("added", "updated", "deleted"))
    return {
        "id": runs.last_id,
        "finished": runs.last_ended,
        "outcome": "stopped" if is_stopped else outcome(runs.judged_outcome, _lost(runs), changed),
        "lost": _lost(runs),
    }


def _lost(runs: Any) -> int:
    frozen = runs.judged_frozen
    return _figure(runs, "lost") if frozen is None else lost_of(frozen)


def _figure(runs: Any, key: str) -> int:
    """A figure of the run's objects, or what was kept of it when they were pruned."""
    kept = (runs.judged_frozen or {}).get(key)
    return int(getattr(runs, key) if kept is None else kept)


def lost_of(frozen: Mapping[str, int]) -> int:
    """Records lost in a run whose objects were pruned; of old ones by the stock figure."""
    return int(frozen.get("lost", frozen.get("errored", 0)))


def outcome(stored: str, lost: int, changed: int) -> str:
    """Return what an ended run is called (``words.status.OUTCOMES``).

    Args:
        stored: "finished", "held", "failed" or "stopped".
        lost: records lost in it.
        changed: datasets added, updated and deleted.
    """
    if stored != "finished":
        return stored
    if lost:
        return "errors"
    return "finished" if changed else "unchanged"


def _state(source: Any, current: CurrentRun | None, *, has_run: bool) -> str:
    if not source.active:
        return "off"
    if current is not None:
        return current.state
    if source.held:
        return "held"
    if source.is_checked:
        return "checking"
    return "idle" if has_run else "new"


def failed_run(source_id: str) -> str:
    """Return the id of the source's last run that counts if that failed, else ""; one statement."""
    row = Session.execute(_JUDGED, {"source_id": source_id}).first()
    return row.id if row and row.outcome == "failed" else ""


# A start is due from when somebody last changed the source on: one that was switched off for
# months, or that only people started, is not late the moment that it may run by itself.
_SOURCES = sa.text(
    """
    SELECT source.id, source.active AND package.state = 'active' AS active, start.next_run,
           start.due,
           (SELECT count(*)
              FROM jsonb_array_elements_text(NULLIF(state.held, 'null') -> 'guids') AS held(guid)
              JOIN ukharvest_record AS record
                ON record.source_id = source.id AND record.guid = held.guid
              JOIN package AS dataset ON dataset.id = record.package_id
             WHERE record.missed_runs > 0 AND dataset.state = 'active') AS held,
           EXISTS (SELECT FROM ukharvest_trial AS trial
                    WHERE trial.source_id = source.id
                      AND (trial.state = 'waiting' AND trial.created > :given_up
                           OR trial.state = 'running'
                          AND COALESCE(trial.heartbeat, trial.created) > :silent)) AS is_checked
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN ukharvest_source AS state ON state.source_id = source.id
      LEFT JOIN LATERAL (
           SELECT source.next_run,
                  GREATEST(source.next_run, package.metadata_modified) AS due
            WHERE source.active AND package.state = 'active'
              AND COALESCE(source.frequency, 'MANUAL') <> 'MANUAL') AS start ON true
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """
)

# What a run came to. ckanext-harvest says of a run only that it ended; our report says how. A
# report without an outcome is of a run that was ended while it read.
OUTCOME = """
    CASE WHEN job.status IN ('New', 'Running') THEN ''
         WHEN job.status <> 'Finished' THEN 'stopped'
         WHEN report.stopped_by <> '' THEN 'stopped'
         WHEN report.id IS NULL THEN
              CASE WHEN EXISTS (SELECT FROM harvest_gather_error AS error
                                 WHERE error.harvest_job_id = job.id)
                   THEN 'failed' ELSE 'finished' END
         WHEN report.outcome = '' THEN 'stopped'
         ELSE report.outcome END
"""
_COLUMNS = f"""
    job.id, job.created, {OUTCOME} AS outcome,
    COALESCE(job.finished, report.finished, job.created) AS ended,
    report.counts -> 'frozen' AS frozen,
    COALESCE(report.error ->> 'passes', '') = 'true' AS passes
"""
# Runs of one source that ended, to stand in FROM; approved deletions say nothing of the source.
ENDED = f"""
    (SELECT {_COLUMNS}
       FROM harvest_job AS job
       LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
      WHERE job.source_id = :source_id AND job.status NOT IN ('New', 'Running')
        AND COALESCE(report.mode, '') <> 'approval')
"""  # noqa: S608 - no value is put into it
NEWEST = "ORDER BY created DESC, id LIMIT 1"
_JUDGED = sa.text(
    f"""
    SELECT id, outcome FROM {ENDED} AS run
     WHERE outcome <> 'stopped' {NEWEST}
    """  # noqa: S608 - no value is put into it
)
# Other harvesters keep all runs for ever, so the last ones of each source are taken by the index.
# They are judged in one pass: a lateral for each question looks so dear to PostgreSQL that it
# compiles the statement, which takes ten times as long as running it.
_RUNS = sa.text(
    f"""
    WITH job AS MATERIALIZED (
        SELECT job.*
          FROM harvest_source AS source
         CROSS JOIN LATERAL (
               SELECT id, source_id, status, created, finished FROM harvest_job
                WHERE source_id = source.id AND status NOT IN ('New', 'Running')
                ORDER BY created DESC LIMIT :recent) AS job
         WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    ), run AS (
        SELECT job.source_id, {_COLUMNS}
          FROM job LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
         WHERE COALESCE(report.mode, '') <> 'approval'
    ), judged AS (
        SELECT run.*, max(created) FILTER (WHERE outcome IN ('finished', 'held'))
                      OVER (PARTITION BY source_id) AS good_created
          FROM run
    ), ranked AS (
        SELECT judged.*,
               row_number() OVER (PARTITION BY source_id ORDER BY created DESC, id) = 1 AS is_last,
               outcome <> 'stopped'
                   AND row_number() OVER (PARTITION BY source_id, outcome = 'stopped'
                                          ORDER BY created DESC, id) = 1 AS is_judged,
               created = good_created AND outcome IN ('finished', 'held') AS is_good,
               outcome = 'failed'
                   AND (good_created IS NULL OR created > good_created) AS in_streak
          FROM judged
    ), found AS (
        SELECT source_id,
               max(id) FILTER (WHERE is_last) AS last_id,
               max(ended) FILTER (WHERE is_last) AS last_ended,
               max(id) FILTER (WHERE is_good) AS good_id,
               max(ended) FILTER (WHERE is_good) AS good_ended,
               max(id) FILTER (WHERE is_judged) AS judged_id,
               max(outcome) FILTER (WHERE is_judged) AS judged_outcome,
               bool_or(passes) FILTER (WHERE is_judged) AS judged_passes,
               (jsonb_agg(frozen) FILTER (WHERE is_judged)) -> 0 AS judged_frozen,
               count(*) FILTER (WHERE in_streak) AS failures,
               min(ended) FILTER (WHERE in_streak) AS failing_since
          FROM ranked
         GROUP BY source_id
    )
    SELECT source.id AS of_id, found.*, figures.*
      FROM harvest_source AS source
      LEFT JOIN found ON found.source_id = source.id
     CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE report_status = 'added') AS added,
                  count(*) FILTER (WHERE report_status = 'updated') AS updated,
                  count(*) FILTER (WHERE report_status = 'deleted') AS deleted,
                  count(*) FILTER (WHERE report_status = 'errored') AS lost
             FROM harvest_object WHERE harvest_job_id = found.judged_id) AS figures
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """  # noqa: S608 - no value is put into it
)
