"""Status of sources: what the tables know, as ``core.status_rules.SourceStatus``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.status_rules import CurrentRun, SourceStatus
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.records import pending, record_state
from ckanext.ukharvest.harvest.run import runs as harvest_runs

Session = model.Session

_FIELDS = frozenset(field.name for field in fields(SourceStatus))
RECENT = 200  # runs of a source that decide its health


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
    runs = {row.id: row for row in Session.execute(_RUNS, {**ids, "recent": RECENT})}
    running = [row.id for row in sources if row.has_unended_run]
    # Of several runs the newest, which comes last.
    current = {run.source_id: run for run in harvest_runs.load_current_runs(running)}
    portal = {
        "now": now,
        "max_share": config.delete_max_share(),
        "cron_minutes": config.schedule_cron_minutes(),
    }
    return {row.id: _status((row, runs[row.id]), current.get(row.id), portal) for row in sources}


def _status(
    rows: Iterable[Any], current: CurrentRun | None, portal: Mapping[str, Any]
) -> SourceStatus:
    columns = {name: value for row in rows for name, value in row._mapping.items()}
    known = {name: columns[name] for name in _FIELDS & columns.keys()}
    # A source without runs has NULL in their columns.
    known = {name: value for name, value in known.items() if value is not None}
    return SourceStatus(**known, **portal, current=current)


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
               AS has_unended_run,
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
               max(outcome) FILTER (WHERE is_judged) AS outcome,
               bool_or(passes) FILTER (WHERE is_judged) AS passes,
               max(lost) FILTER (WHERE is_judged) AS lost,
               (jsonb_agg(shortfall) FILTER (WHERE is_judged)) -> 0 AS shortfall,
               count(*) FILTER (WHERE in_streak) AS streak,
               min(ended) FILTER (WHERE in_streak) AS failing_since
          FROM ranked
         GROUP BY source_id
    )
    SELECT source.id, found.*
      FROM harvest_source AS source
      LEFT JOIN found ON found.source_id = source.id
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """
)
