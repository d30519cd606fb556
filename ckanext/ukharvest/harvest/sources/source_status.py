"""Status of sources: facts from the tables, to which ``core.status_rules`` is applied."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core import status_rules as rules
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.records import pending, record_state
from ckanext.ukharvest.harvest.run import runs as harvest_runs
from ckanext.ukharvest.harvest.run.runs import CurrentRun

Session = model.Session

RECENT = 200  # runs of a source that decide its health


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """Health and state of one source; times are naive UTC.

    Attributes:
        value: key of ``lib.texts.HEALTHS``.
        reason: why, as ``core.status_rules.health`` names it.
        state: key of ``lib.texts.STATES``.
        since: when the first of the failed runs in a row ended; for a late source, when it should
            have begun; else None.
        last_run: the last run that ended: {"id", "finished", "outcome" (key of
            ``lib.texts.OUTCOMES``), "lost"}, or None.
        judged_id: id of the run that ``value`` is about: the last that ended and was not stopped;
            None if there is none.
        last_good_run: {"id", "finished"} of the last that did not fail and found records, or None.
        next_run: time of the next scheduled run, None without a schedule.
        datasets: number of its datasets, including private ones.
        held: number of pending deletions.
        renamed: number of datasets whose records seem to have new identifiers.
        kept: number of datasets that a person kept although their records are gone.
        unseen: number of other datasets whose records are missing now; 0 unless one source is
            asked for: lists do not say it, and a source can miss very many.
        failures: number of failed runs in a row.
        missing: {"records", "of", "asks_after"} (``core.deletions.Shortfall``) of the run that
            ``value`` is about, if so many are missing that a later run will ask; else None.
        current: the run that is running or queued, None if there is none.
        harvested: when the last run ended that did not fail and was not stopped, or None.
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
    kept: int = 0
    unseen: int = 0
    failures: int = 0
    missing: Mapping[str, int] | None = None
    current: CurrentRun | None = None
    harvested: dt.datetime | None = None


def load_statuses(source_ids: Collection[str] | None = None) -> dict[str, SourceStatus]:
    """Return source id → health, of these sources or of all."""
    if source_ids is not None and not source_ids:
        return {}
    ids = {"ids": None if source_ids is None else list(source_ids), "public": False}
    now = utcnow()
    young = {
        "given_up": now - source_previews.GIVEN_UP_AFTER,
        "silent": now - source_previews.SILENT_AFTER,
    }
    sources = Session.execute(_SOURCES, {**ids, **young}).all()
    runs = {row.of_id: row for row in Session.execute(_RUNS, {**ids, "recent": RECENT})}
    running = [row.id for row in sources if row.is_running]
    # Of several runs the newest, which comes last.
    current = {run.source_id: run for run in harvest_runs.load_current_runs(running)}
    return {row.id: _of(row, runs[row.id], current.get(row.id), now) for row in sources}


def _of(source: Any, runs: Any, current: CurrentRun | None, now: dt.datetime) -> SourceStatus:
    last_run = {
        "id": runs.last_id,
        "finished": runs.last_ended,
        "outcome": runs.last_outcome,
        "lost": runs.last_lost,
    }
    facts = rules.Facts(
        active=source.active,
        now=now,
        held=source.held,
        renamed=source.renamed,
        outcome=runs.judged_outcome or "",
        passes=bool(runs.judged_passes),
        failures=runs.failures or 0,
        lost=runs.judged_lost or 0,
        is_empty=runs.judged_outcome == RunOutcome.EMPTY,
        is_shrunk=runs.judged_shortfall is not None,
        due=source.due,
        is_running=current is not None,
    )
    value, reason = rules.health(facts)
    return SourceStatus(
        value=value,
        reason=reason,
        state=_state(source, current, has_run=runs.last_id is not None),
        since=_since(value, facts, runs),
        last_run=last_run if runs.last_id else None,
        judged_id=runs.judged_id,
        last_good_run={"id": runs.good_id, "finished": runs.good_ended} if runs.good_id else None,
        harvested=runs.harvested,
        next_run=source.next_run,
        datasets=source.datasets,
        held=source.held,
        renamed=source.renamed,
        kept=source.kept,
        unseen=source.unseen,
        failures=facts.failures if facts.outcome == RunOutcome.FAILED else 0,
        missing=runs.judged_shortfall if value in rules.MISSING else None,
        current=current,
    )


def _since(value: str, facts: rules.Facts, runs: Any) -> dt.datetime | None:
    if value == rules.Health.LATE:
        return facts.due
    return runs.failing_since if facts.outcome == RunOutcome.FAILED else None


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


# A run is due only after the last change of the source: one that was switched off for months, or
# had no schedule, is not late as soon as it gets one.
_SOURCES = sa.text(
    f"""
    SELECT source.id, source.active AND package.state = 'active' AS active, start.next_run,
           start.due,
           (SELECT count(*) FROM {pending.DUE}
             WHERE pending.source_id = source.id AND pending.kind = 'identifier') AS renamed,
           COALESCE(absent.held, 0) AS held, COALESCE(absent.kept, 0) AS kept,
           COALESCE(absent.missing, 0) AS unseen,
           EXISTS (SELECT FROM ukharvest_trial AS preview
                    WHERE preview.source_id = source.id
                      AND (preview.state = 'waiting' AND preview.created > :given_up
                           OR preview.state = 'running'
                          AND COALESCE(preview.heartbeat, preview.created) > :silent))
               AS is_checked,
           EXISTS (SELECT FROM harvest_job AS job
                    WHERE job.source_id = source.id AND job.status IN ('New', 'Running'))
               AS is_running,
           COALESCE(counted.datasets, 0) AS datasets
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN LATERAL (
           SELECT source.next_run,
                  GREATEST(source.next_run, package.metadata_modified) AS due
            WHERE source.active AND package.state = 'active'
              AND COALESCE(source.frequency, 'MANUAL') <> 'MANUAL') AS start ON true
      LEFT JOIN (
           SELECT source_id,
                  count(*) FILTER (WHERE state = 'held') AS held,
                  count(*) FILTER (WHERE state = 'kept') AS kept,
                  count(*) FILTER (WHERE state = 'missing') AS missing
             FROM (SELECT record.source_id, {record_state.STATE} AS state
                     FROM ukharvest_record AS record {record_state.JOINS}
                    WHERE record.missed_runs > 0
                      AND (record.kept OR deletion.id IS NOT NULL
                           OR cardinality(CAST(:ids AS text[])) = 1)
                      AND (CAST(:ids AS text[]) IS NULL
                           OR record.source_id = ANY (CAST(:ids AS text[])))) AS record
            GROUP BY source_id) AS absent ON absent.source_id = source.id
      LEFT JOIN ({dataset_rows.OF_SOURCES}) AS counted ON counted.source_id = source.id
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """  # noqa: S608 - no value is put into it
)

# Other harvesters keep all runs for ever, so the last ones of each source are taken by the index;
# approved deletions say nothing of the source. They are judged in one pass: with a lateral for each
# question PostgreSQL expects such costs that it compiles the statement, which takes ten times as
# long as running it.
_RUNS = sa.text(
    """
    WITH run AS MATERIALIZED (
        SELECT run.*
          FROM harvest_source AS source
         CROSS JOIN LATERAL (
               SELECT source.id AS source_id, job.id, job.created, report.outcome,
                      COALESCE(job.finished, report.finished, job.created) AS ended,
                      COALESCE(report.error ->> 'passes', '') = 'true' AS passes,
                      CAST(report.figures ->> 'lost' AS integer) AS lost,
                      report.counts -> 'shortfall' AS shortfall
                 FROM harvest_job AS job JOIN ukharvest_job AS report ON report.job_id = job.id
                WHERE job.source_id = source.id AND report.figures IS NOT NULL
                  AND report.mode <> 'approval'
                ORDER BY job.created DESC LIMIT :recent) AS run
         WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    ), judged AS (
        SELECT run.*, outcome NOT IN ('failed', 'stopped', 'empty') AS is_fine,
               max(created) FILTER (WHERE outcome NOT IN ('failed', 'stopped', 'empty'))
                   OVER (PARTITION BY source_id) AS good_created
          FROM run
    ), ranked AS (
        SELECT judged.*,
               row_number() OVER (PARTITION BY source_id ORDER BY created DESC, id) = 1 AS is_last,
               outcome <> 'stopped'
                   AND row_number() OVER (PARTITION BY source_id, outcome = 'stopped'
                                          ORDER BY created DESC, id) = 1 AS is_judged,
               created = good_created AND is_fine AS is_good,
               outcome = 'failed'
                   AND (good_created IS NULL OR created > good_created) AS in_streak
          FROM judged
    ), found AS (
        SELECT source_id,
               max(id) FILTER (WHERE is_last) AS last_id,
               max(ended) FILTER (WHERE is_last) AS last_ended,
               max(outcome) FILTER (WHERE is_last) AS last_outcome,
               max(lost) FILTER (WHERE is_last) AS last_lost,
               max(id) FILTER (WHERE is_good) AS good_id,
               max(ended) FILTER (WHERE is_good) AS good_ended,
               max(ended) FILTER (WHERE outcome NOT IN ('failed', 'stopped')) AS harvested,
               max(id) FILTER (WHERE is_judged) AS judged_id,
               max(outcome) FILTER (WHERE is_judged) AS judged_outcome,
               bool_or(passes) FILTER (WHERE is_judged) AS judged_passes,
               max(lost) FILTER (WHERE is_judged) AS judged_lost,
               (jsonb_agg(shortfall) FILTER (WHERE is_judged)) -> 0 AS judged_shortfall,
               count(*) FILTER (WHERE in_streak) AS failures,
               min(ended) FILTER (WHERE in_streak) AS failing_since
          FROM ranked
         GROUP BY source_id
    )
    SELECT source.id AS of_id, found.*
      FROM harvest_source AS source
      LEFT JOIN found ON found.source_id = source.id
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """
)
