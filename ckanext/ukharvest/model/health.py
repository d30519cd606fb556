"""Health, state and last runs of sources, in four statements for any number."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core import source_status as rules
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.model import current_run, datasets, source_previews, utcnow
from ckanext.ukharvest.model.current_run import CurrentRun

Session = model.Session

RECENT = 200  # runs of a source that decide its health


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """Health and state of one source; times are naive UTC.

    Attributes:
        value: key of ``presentation.messages.status_labels.HEALTHS``.
        reason: why, as ``core.health.health`` names it.
        state: key of ``presentation.messages.status_labels.STATES``.
        since: when the first of the failed runs in a row ended; for a late source, when it should
            have begun; else None.
        last_run: the last run that ended: {"id", "finished", "outcome" (key of
            ``presentation.messages.status_labels.OUTCOMES``), "lost"}, or None.
        judged_id: id of the run that ``value`` is about: the last that ended and was not stopped;
            None if there is none.
        last_good_run: {"id", "finished"} of the last that did not fail and found records, or None.
        next_run: time of the next scheduled run, None without a schedule.
        datasets: number of its datasets, including private ones.
        held: number of pending deletions.
        renamed: number of datasets whose records seem to have new identifiers.
        failures: number of failed runs in a row.
        missing: {"records", "of", "asks_after"} (``core.deletions.Shortfall``) of the run that
            ``value`` is about, if so many are missing that a later run will ask; else None.
        current: the run that is running or queued, None if there is none.
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
    renamed: int = 0
    failures: int = 0
    missing: Mapping[str, int] | None = None
    current: CurrentRun | None = None


def load_health(source_ids: Collection[str] | None = None) -> dict[str, SourceHealth]:
    """Return source id → health, of these sources or of all."""
    if source_ids is not None and not source_ids:
        return {}
    ids = {"ids": None if source_ids is None else list(source_ids)}
    now = utcnow()
    young = {
        "given_up": now - source_previews.GIVEN_UP_AFTER,
        "silent": now - source_previews.SILENT_AFTER,
    }
    sources = Session.execute(_SOURCES, {**ids, **young}).all()
    runs = {row.of_id: row for row in Session.execute(_RUNS, {**ids, "recent": RECENT})}
    # Of several runs the newest, which comes last.
    current = {run.source_id: run for run in current_run.load_current_runs(source_ids)}
    counts = datasets.of_sources(source_ids)
    return {
        row.id: _of(row, runs[row.id], current.get(row.id), counts.get(row.id, 0), now)
        for row in sources
    }


def _of(
    source: Any, runs: Any, current: CurrentRun | None, number: int, now: dt.datetime
) -> SourceHealth:
    last_run = _last_run(runs, waits=bool(source.held or source.renamed))
    facts = rules.Facts(
        active=source.active,
        now=now,
        held=source.held,
        renamed=source.renamed,
        outcome=runs.judged_outcome or "",
        passes=bool(runs.judged_passes),
        failures=runs.failures or 0,
        lost=_figure(runs, "lost"),
        is_empty=bool(runs.judged_is_empty),
        is_shrunk=runs.judged_shortfall is not None,
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
        renamed=source.renamed,
        failures=facts.failures if facts.outcome == RunOutcome.FAILED else 0,
        missing=runs.judged_shortfall if value in rules.MISSING else None,
        current=current,
    )


def _since(value: str, facts: rules.Facts, runs: Any) -> dt.datetime | None:
    if value == rules.Health.LATE:
        return facts.due
    if facts.outcome == RunOutcome.FAILED:
        return runs.failing_since  # type: ignore[no-any-return]
    return None


def _last_run(runs: Any, *, waits: bool) -> dict[str, Any] | None:
    if runs.last_id is None:
        return None
    is_stopped = runs.last_id != runs.judged_id
    return {
        "id": runs.last_id,
        "finished": runs.last_ended,
        "outcome": RunOutcome.STOPPED if is_stopped else _judged_outcome(runs, waits=waits),
        "lost": _figure(runs, "lost"),
    }


def _judged_outcome(runs: Any, *, waits: bool) -> str:
    is_settled = runs.judged_outcome == RunOutcome.HELD and not waits
    return outcome(
        settled({"decided": runs.judged_decided}) if is_settled else runs.judged_outcome,
        lost=_figure(runs, "lost"),
        changed=sum(_figure(runs, key) for key in ("added", "updated", "deleted")),
        is_empty=bool(runs.judged_is_empty),
        is_shrunk=runs.judged_shortfall is not None,
    )


def _figure(runs: Any, key: str) -> int:
    """Return a figure of the run's objects, or the saved one if they were pruned."""
    kept = (runs.judged_frozen or {}).get(key)
    return int(getattr(runs, key) if kept is None else kept)


def is_empty(counts: Mapping[str, Any]) -> bool:
    """Tell whether a run listed no records, from its report; as ``_COLUMNS`` has it.

    False for runs without that figure, and for those that asked for changes only.
    """
    return counts.get("seen") == 0 and "not_asked" not in counts


def settled(counts: Mapping[str, Any] | None) -> str:
    """Return the outcome of a held run of which nothing waits any more, from its report's counts.

    The next run, or records that came back, can settle it too.
    """
    return RunOutcome.DECIDED if (counts or {}).get("decided") else RunOutcome.SETTLED


def outcome(stored: str, *, lost: int, changed: int, is_empty: bool, is_shrunk: bool) -> str:
    """Return the outcome of an ended run (``presentation.messages.status_labels.OUTCOMES``).

    Args:
        stored: "finished", "failed" or "stopped", or of a held run whether it still waits.
        lost: records lost in it.
        changed: datasets added, updated and deleted.
        is_empty: the source listed no records.
        is_shrunk: so many records were missing that a later run will ask.
    """
    if stored != RunOutcome.FINISHED:
        return stored
    if is_empty or is_shrunk:
        return RunOutcome.EMPTY if is_empty else RunOutcome.SHRUNK
    if lost:
        return RunOutcome.ERRORS
    return RunOutcome.FINISHED if changed else RunOutcome.UNCHANGED


def _state(source: Any, current: CurrentRun | None, *, has_run: bool) -> str:
    if not source.active:
        return "off"
    if current is not None:
        return current.state
    if source.held or source.renamed:
        return "held"
    if source.is_checked:
        return "checking"
    return "idle" if has_run else "new"


def failed_run(source_id: str) -> str:
    """Return the id of the source's last run, stopped ones aside, if it failed, else ""."""
    row = Session.execute(_JUDGED, {"source_id": source_id}).first()
    return row.id if row and row.outcome == RunOutcome.FAILED else ""


# A run is due only after the last change of the source: one that was switched off for months, or
# had no schedule, is not late as soon as it gets one.
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
           (SELECT count(*)
              FROM jsonb_array_elements(state.changed_identifiers -> 'pairs') AS pair(guids)
              JOIN ukharvest_record AS record
                ON record.source_id = source.id AND record.guid = pair.guids ->> 0
              JOIN package AS dataset ON dataset.id = record.package_id
             WHERE dataset.state = 'active') AS renamed,
           EXISTS (SELECT FROM ukharvest_trial AS preview
                    WHERE preview.source_id = source.id
                      AND (preview.state = 'waiting' AND preview.created > :given_up
                           OR preview.state = 'running'
                          AND COALESCE(preview.heartbeat, preview.created) > :silent)) AS is_checked
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

# Outcome of a run. ckanext-harvest stores only that it ended, our report also how. A report without
# an outcome is of a run that was ended while it read.
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
# The source listed no records, and was not asked for changes alone.
IS_EMPTY = """
    (COALESCE(report.counts ->> 'seen', '') = '0' AND report.counts -> 'not_asked' IS NULL)
"""
_COLUMNS = f"""
    job.id, job.created, {OUTCOME} AS outcome,
    COALESCE(job.finished, report.finished, job.created) AS ended,
    report.counts -> 'frozen' AS frozen,
    COALESCE(report.error ->> 'passes', '') = 'true' AS passes,
    {IS_EMPTY} AS is_empty,
    report.counts -> 'decided' IS NOT NULL AS decided,
    report.counts -> 'shortfall' AS shortfall
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
# They are judged in one pass: with a lateral for each question PostgreSQL expects such costs that
# it compiles the statement, which takes ten times as long as running it.
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
        SELECT run.*, max(created) FILTER (WHERE outcome IN ('finished', 'held') AND NOT is_empty)
                      OVER (PARTITION BY source_id) AS good_created
          FROM run
    ), ranked AS (
        SELECT judged.*,
               row_number() OVER (PARTITION BY source_id ORDER BY created DESC, id) = 1 AS is_last,
               outcome <> 'stopped'
                   AND row_number() OVER (PARTITION BY source_id, outcome = 'stopped'
                                          ORDER BY created DESC, id) = 1 AS is_judged,
               created = good_created AND outcome IN ('finished', 'held') AND NOT is_empty
                   AS is_good,
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
               bool_or(is_empty) FILTER (WHERE is_judged) AS judged_is_empty,
               bool_or(decided) FILTER (WHERE is_judged) AS judged_decided,
               (jsonb_agg(shortfall) FILTER (WHERE is_judged)) -> 0 AS judged_shortfall,
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
