"""The row of a run: create it, its heartbeat, and whether somebody asked to stop it.

Also what a source's ended runs say of the source, in its own row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY, insert

from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import JobReport, SourceState, utcnow

Session = model.Session

LOST_GATHERS = (
    "lost_gathers"  # in JobReport.counts: number of the run's gathers that ended without a result
)
RECENT = 200  # runs of a source that decide its health


def open_report(job_id: str, source_id: str, **fields: Any) -> JobReport:
    """Return a run's report, created if missing, with these fields; no commit."""
    statement = insert(JobReport).values(job_id=job_id, source_id=source_id, **fields)
    if fields:
        statement = statement.on_conflict_do_update(index_elements=["job_id"], set_=fields)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=["job_id"])
    Session.execute(statement)
    return Session.query(JobReport).filter_by(job_id=job_id).populate_existing().one()


def is_asked_for(job_id: str, *, lock: bool = False) -> str:
    """Return the user who asked to stop a run, "" if none did.

    Args:
        lock: block such requests until the transaction ends.
    """
    query = Session.query(JobReport.stopped_by).filter_by(job_id=job_id)
    row = (query.with_for_update() if lock else query).first()
    return str(row[0]) if row else ""


def save_heartbeat(job_id: str, seen: int) -> str:
    """Save a gather's heartbeat and figures; return who asked to stop it; commits."""
    seen_so_far = sa.func.jsonb_build_object("seen", seen)
    asked = execute(
        sa.update(JobReport)
        .where(JobReport.job_id == job_id)
        .values(heartbeat=utcnow(), counts=JobReport.counts.op("||")(seen_so_far))
        .returning(JobReport.stopped_by)
    ).scalar()
    Session.commit()
    return asked or ""


def add_progress(job_id: str, counts: Mapping[str, int]) -> None:
    """Add to the numbers of a run's problems (``JobReport.progress``); no commit."""
    stored = JobReport.progress
    sums = [
        (key, sa.func.coalesce(stored[key].as_integer(), 0) + number)
        for key, number in counts.items()
    ]
    added = sa.func.jsonb_build_object(*(each for pair in sums for each in pair))
    execute(
        sa.update(JobReport)
        .where(JobReport.job_id == job_id)
        .values(progress=stored.op("||")(added))
    )


def find_read(source_ids: Collection[str]) -> set[str]:
    """Return those of the sources that had a good run; no statement without sources."""
    if not source_ids:
        return set()
    query = sa.select(SourceState.source_id).where(
        SourceState.source_id.in_(source_ids), SourceState.runs["good_id"].astext.isnot(None)
    )
    return set(Session.scalars(query))


def is_replaced(job_id: str, lost: int) -> bool:
    """Tell whether another gather has replaced this one, which seemed to have ended.

    Args:
        lost: number of the run's lost gathers when this one began.
    """
    row = Session.query(JobReport.outcome, JobReport.counts).filter_by(job_id=job_id).first()
    return row is None or bool(row[0]) or int((row[1] or {}).get(LOST_GATHERS, 0)) != lost


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report, for jobs with one, in one query."""
    query = Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def store_runs(source_ids: Collection[str | None]) -> None:
    """Store what the ended runs of sources say of them, as ``SourceState.runs``; no commit.

    Called wherever the figures, the outcome or the row of an ended run change, so that pages, lists
    and mails read one row for each source. Takes one statement, none without sources.
    """
    if ids := sorted({id_ for id_ in source_ids if id_}):
        Session.execute(_STORE_RUNS, {"ids": ids, "recent": RECENT})


def store_runs_left() -> int:
    """Do that for sources of which other code has deleted a run; return their number; no commit."""
    ids = list(Session.scalars(_WITHOUT_RUN))
    store_runs(ids)
    return len(ids)


# The columns of ``SourceState.runs``, for FROM: of the last run that ended; of the last that was
# good; of the last that was not stopped (it is judged by); of the failed ones since the last good.
# Besides, ``is_fine``: nothing was wrong with the one that it is judged by.
RUNS = """
    jsonb_to_record(state.runs) AS run (
        last_id text, last_ended timestamp, last_outcome text, last_lost integer,
        good_id text, good_ended timestamp, harvested timestamp,
        judged_id text, judged_ended timestamp, outcome text, passes boolean, lost integer,
        records integer, shortfall jsonb, streak integer, failing_since timestamp)
"""
_WITHOUT_RUN = sa.text(
    """
    SELECT state.source_id FROM ukharvest_source AS state
     WHERE state.runs IS NOT NULL
       AND NOT (EXISTS (SELECT FROM harvest_job AS job WHERE job.id = state.runs ->> 'last_id')
                AND (state.runs ->> 'judged_id' IS NULL
                     OR EXISTS (SELECT FROM harvest_job AS job
                                 WHERE job.id = state.runs ->> 'judged_id')))
    """
)
# Other harvesters keep all runs for ever, so the last ones of each source are taken by the index;
# approved deletions say nothing of the source, runs at an earlier URL nothing of its health. They
# are judged in one pass: with a lateral for each question PostgreSQL expects such costs that it
# compiles the statement, which takes ten times as long as running it.
_STORE_RUNS = sa.text(
    """
    WITH run AS MATERIALIZED (
        SELECT run.*
          FROM harvest_source AS source
         CROSS JOIN LATERAL (
               SELECT source.id AS source_id, job.id, job.created, report.outcome,
                      COALESCE(job.finished, report.finished, job.created) AS ended,
                      COALESCE(report.error ->> 'passes', '') = 'true' AS passes,
                      CAST(report.figures ->> 'lost' AS integer) AS lost,
                      report.counts -> 'shortfall' AS shortfall,
                      (SELECT sum(CAST(value AS integer)) FROM jsonb_each_text(report.figures)
                        WHERE key IN ('added', 'updated', 'unchanged', 'lost')) AS records,
                      NOT EXISTS (SELECT FROM ukharvest_decision AS decision
                                   WHERE decision.source_id = source.id AND decision.kind = 'moved'
                                     AND decision.created > job.created) AS is_of_url
                 FROM harvest_job AS job JOIN ukharvest_job AS report ON report.job_id = job.id
                WHERE job.source_id = source.id AND report.figures IS NOT NULL
                  AND report.mode <> 'approval'
                ORDER BY job.created DESC LIMIT :recent) AS run
         WHERE source.id = ANY (:ids)
    ), judged AS (
        SELECT run.*, outcome NOT IN ('failed', 'stopped', 'empty') AS is_fine,
               max(created) FILTER (WHERE outcome NOT IN ('failed', 'stopped', 'empty'))
                   OVER (PARTITION BY source_id) AS good_created
          FROM run
    ), ranked AS (
        SELECT judged.*,
               row_number() OVER (PARTITION BY source_id ORDER BY created DESC, id) = 1 AS is_last,
               is_of_url AND outcome <> 'stopped'
                   AND row_number() OVER (PARTITION BY source_id, outcome = 'stopped'
                                          ORDER BY created DESC, id) = 1 AS is_judged,
               created = good_created AND is_fine AS is_good,
               is_of_url AND outcome = 'failed'
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
               max(ended) FILTER (WHERE is_judged) AS judged_ended,
               max(outcome) FILTER (WHERE is_judged) AS outcome,
               bool_or(passes) FILTER (WHERE is_judged) AS passes,
               max(lost) FILTER (WHERE is_judged) AS lost,
               max(records) FILTER (WHERE is_judged) AS records,
               (jsonb_agg(shortfall) FILTER (WHERE is_judged)) -> 0 AS shortfall,
               NOT bool_or(is_judged AND (outcome IN ('failed', 'empty') OR lost > 0
                                          OR jsonb_typeof(shortfall) = 'object')) AS is_fine,
               count(*) FILTER (WHERE in_streak) AS streak,
               min(ended) FILTER (WHERE in_streak) AS failing_since
          FROM ranked
         GROUP BY source_id
    )
    INSERT INTO ukharvest_source AS state (source_id, runs)
    SELECT source.id, to_jsonb(found) - 'source_id'
      FROM harvest_source AS source
      LEFT JOIN found ON found.source_id = source.id
     WHERE source.id = ANY (:ids)
     ORDER BY source.id
        ON CONFLICT (source_id) DO UPDATE SET runs = excluded.runs
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
