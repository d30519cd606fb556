"""Figures and outcome of a run: stored in the transaction that ends it, and changed with it later.

Whatever ends a job, this extension or ckanext-harvest, does so by its model: the session then
stores the result with it. What other code ends by SQL is stored at the next tick.
"""

# ruff: noqa: S608 - the statements are put together of constants of these modules alone

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.outcomes import RunOutcome, final_outcome
from ckanext.ukharvest.model import JobReport, outcomes
from ckanext.ukharvest.model.open_work import UNENDED
from ckanext.ukharvest.model.statements import execute

log = logging.getLogger(__name__)
Session = model.Session

MOST = 500  # runs that a tick stores
DECIDED = "decided"  # key in a report's counts: a person decided about what waited in it


class RunResult(NamedTuple):
    """How a run ended, or how far it is.

    Attributes:
        outcome: as ``RunOutcome``.
        reason: one sentence on why nothing was deleted, or why the run failed; "" without one.
        figures: numbers of records: ``added``, ``updated``, ``unchanged``, ``skipped``,
            ``deleted``, ``missing``, ``held``, ``new_identifiers``, ``lost``, ``same`` (skipped
            because the dataset is here already), ``with_problems``; and ``errored``: errors as
            ckanext-harvest counts them. With ``pruned`` they cannot be counted again.
    """

    outcome: str
    reason: str
    figures: dict[str, int]


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report, for jobs with one, in one query."""
    query = Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def load(jobs: Mapping[str, str], reports: Mapping[str, JobReport]) -> dict[str, RunResult]:
    """Return run id → result; counted, in one statement, where it is not stored yet.

    Args:
        jobs: run id → status of its harvest job.
        reports: run id → its report.
    """
    stored = {id_ for id_, report in reports.items() if report.figures}
    counted = {row.id: row for row in _count([id_ for id_ in jobs if id_ not in stored])}
    return {
        id_: _result(status, reports.get(id_), counted.get(id_)) for id_, status in jobs.items()
    }


def _count(job_ids: Collection[str]) -> Iterable[Any]:
    return Session.execute(_COUNT, {"ids": list(job_ids)}).all() if job_ids else ()


def _result(status: str, report: Any, counted: Any) -> RunResult:
    """Return a run's result.

    Args:
        status: of its harvest job.
        report: its ``JobReport``, None without one.
        counted: what is counted of it; None: what is stored applies.
    """
    reason = report.reason if report else ""
    if counted is None:
        return RunResult(report.outcome, reason, report.figures)
    counts: Mapping[str, Any] = (report.counts or {}) if report else {}
    figures = _figures(counted, counts)
    if status in UNENDED:
        outcome = RunOutcome.QUEUED if status == "New" else RunOutcome.RUNNING
        return RunResult(outcome, reason, figures)
    read = _read_outcome(status, report, counted.failures)
    if read == RunOutcome.FAILED:
        reason = reason or counted.failure or ""
    return RunResult(final_outcome(read, counts, figures), reason, figures)


def _figures(counted: Any, counts: Mapping[str, Any]) -> dict[str, int]:
    def noted(*keys: str) -> int:
        return sum(int(counts.get(key, 0)) for key in keys)

    return {
        "added": counted.added,
        "updated": counted.updated,
        "unchanged": counted.unchanged + noted("unchanged", "kept_deleted"),
        "skipped": counted.skipped + noted("skipped"),
        "deleted": counted.deleted,
        "missing": noted("missing"),
        "held": noted("held"),
        "new_identifiers": noted("new_identifiers"),
        "lost": counted.lost,
        "same": counted.same,
        "with_problems": counted.with_problems,
        "errored": counted.erring + counted.failures,
    }


def _read_outcome(status: str, report: Any, failures: int) -> str:
    """Return how the reading of an ended run ended; earlier versions called some jobs "Aborted".

    Of other harvesters' runs only the errors tell; ours have a heartbeat.
    """
    if status != "Finished" or (report and (report.stopped_by or not report.outcome)):
        return RunOutcome.STOPPED
    is_ours = report and (report.heartbeat or report.outcome not in _OF_STOCK)
    if is_ours:
        return str(report.outcome)
    return RunOutcome.FAILED if failures else RunOutcome.FINISHED


# Outcomes that a stored run of another harvester may have.
_OF_STOCK = (
    RunOutcome.FINISHED,
    RunOutcome.UNCHANGED,
    RunOutcome.ERRORS,
)


def store(job_ids: Collection[str]) -> None:
    """Store rows, figures and outcome of runs that have ended; no commit.

    Runs of other harvesters get their report here.
    """
    Session.execute(_ADD_REPORTS, {"ids": list(job_ids)})
    outcomes.save_rest(job_ids)
    refresh(job_ids)


def refresh(job_ids: Collection[str]) -> None:
    """Store figures and outcome of ended runs again, after a change of their rows; no commit."""
    if not job_ids:
        return
    query = sa.select(JobReport.__table__, HarvestJob.status).join(
        HarvestJob, HarvestJob.id == JobReport.job_id
    )
    reports = Session.execute(query.where(JobReport.job_id.in_(job_ids))).all()
    counted = {row.id: row for row in _count(job_ids)}
    for report in reports:
        values = _result(report.status, report, counted[report.job_id])._asdict()
        execute(sa.update(JobReport).where(JobReport.id == report.id).values(values))


def save_outcomes(object_ids: Collection[str]) -> None:
    """Store what became of harvest objects, also in the figures of ended runs; no commit."""
    Session.flush()
    refresh(outcomes.save(object_ids))


def keep_figures(job_ids: Collection[str]) -> None:
    """Keep the figures of ended runs from now on, because rows of them are deleted; no commit."""
    execute(
        sa.update(JobReport)
        .where(JobReport.job_id.in_(job_ids), JobReport.figures.isnot(None))
        .values(figures=JobReport.figures.op("||")(sa.func.jsonb_build_object("pruned", 1)))
    )


def add_decision(job_id: str, words: str) -> None:
    """Add to a run's report what a person decided about it, and settle it; the caller commits."""
    report = reports_of([job_id]).get(job_id)
    if report is not None:
        report.reason = f"{report.reason}; {words}" if report.reason else words
        report.counts = {**(report.counts or {}), DECIDED: True}
        settle(report.source_id)


def settle(source_id: str | None = None) -> None:
    """Store of held runs of which nothing waits any more that they are decided; no commit.

    The next run, or records that came back, can settle them without a decision.

    Args:
        source_id: only of its runs; None: of all.
    """
    Session.flush()
    Session.execute(_SETTLE, {"source_id": source_id})


def store_left() -> int:
    """Store the results of ended runs that have none; return their number; no commit."""
    ids = list(Session.scalars(_LEFT))
    if ids:
        store(ids)
    return len(ids)


_ARE_STORED = "ukharvest_stores_results"  # in Session.info, while it does


def _store_ended(session: Any, _context: Any) -> None:
    """Store the results of the jobs that this flush has ended, or whose errors it has added."""
    if session.info.get(_ARE_STORED) or session is not Session():
        return
    jobs = [job for job in session.dirty if isinstance(job, HarvestJob)]
    ended = [
        job.id
        for job in jobs
        if job.status not in UNENDED and sa.inspect(job).attrs.status.history.added
    ]
    erring = {row.harvest_job_id for row in session.new if isinstance(row, HarvestGatherError)}
    if not (ended or erring):
        return
    session.info[_ARE_STORED] = True
    try:
        with session.connection().begin_nested():
            if ended:
                store(ended)
            if erring:
                closed = sa.select(JobReport.job_id).where(
                    JobReport.job_id.in_(erring.difference(ended)),
                    JobReport.figures.isnot(None),
                    JobReport.figures["pruned"].is_(None),
                )
                refresh(list(session.scalars(closed)))
    except sa.exc.SQLAlchemyError:  # the job has to end all the same; the next tick stores them
        log.exception("The results of runs could not be stored")
    finally:
        del session.info[_ARE_STORED]


sa.event.listen(Session, "after_flush", _store_ended)


_ADD_REPORTS = sa.text(
    """
    INSERT INTO ukharvest_job (job_id, source_id, mode, counts, outcome, started, finished)
    SELECT job.id, job.source_id, 'normal', '{}', 'finished', job.gather_started, job.finished
      FROM harvest_job AS job
     WHERE job.id = ANY (:ids) AND job.source_id IS NOT NULL
    ON CONFLICT (job_id) DO NOTHING
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_LEFT = sa.text(
    f"""
    SELECT job.id
      FROM harvest_job AS job LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
     WHERE job.status NOT IN ('New', 'Running') AND report.figures IS NULL
       AND job.source_id IS NOT NULL
     LIMIT {MOST}
    """
)
_COUNT = sa.text(
    f"""
    SELECT job.id, row.*,
           (SELECT count(*) FROM harvest_gather_error WHERE harvest_job_id = job.id) AS failures,
           (SELECT min(message) FROM harvest_gather_error WHERE harvest_job_id = job.id) AS failure,
           (SELECT count(DISTINCT record_id) FROM ukharvest_problem
             WHERE job_id = job.id AND NOT lost) AS with_problems
      FROM unnest(:ids) AS job (id)
     CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE state = 'added') AS added,
                  count(*) FILTER (WHERE state = 'updated') AS updated,
                  count(*) FILTER (WHERE state = 'deleted') AS deleted,
                  count(*) FILTER (WHERE state = 'unchanged') AS unchanged,
                  count(*) FILTER (WHERE state = 'skipped') AS skipped,
                  count(*) FILTER (WHERE state = 'lost') AS lost,
                  count(*) FILTER (WHERE is_same) AS same,
                  count(*) FILTER (WHERE message IS NOT NULL) AS erring
             FROM (SELECT state, is_same, message
                     FROM ukharvest_outcome AS stored JOIN ukharvest_job AS report
                       ON report.id = stored.run_id
                    WHERE report.job_id = job.id
                    UNION ALL
                   SELECT state, is_same, message
                     FROM ({outcomes.ENDED}
                            WHERE object.harvest_job_id = job.id AND {outcomes.NOT_STORED}) AS ended
                   ) AS result) AS row
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_SETTLE = sa.text(
    """
    UPDATE ukharvest_job AS run
       SET outcome = CASE WHEN run.counts -> 'decided' IS NULL THEN 'settled' ELSE 'decided' END
      FROM ukharvest_source AS source
     WHERE run.outcome = 'held' AND source.source_id = run.source_id
       AND (CAST(:source_id AS text) IS NULL OR run.source_id = :source_id)
       AND NOT EXISTS (
           SELECT
             FROM jsonb_array_elements_text(NULLIF(source.held, 'null') -> 'guids') AS held (guid)
             JOIN ukharvest_record AS record
               ON record.source_id = source.source_id AND record.guid = held.guid
             JOIN package ON package.id = record.package_id
            WHERE source.held ->> 'job_id' = run.job_id
              AND record.missed_runs > 0 AND package.state = 'active')
       AND NOT EXISTS (
           SELECT FROM jsonb_array_elements(source.changed_identifiers -> 'pairs') AS pair (guids)
             JOIN ukharvest_record AS record
               ON record.source_id = source.source_id AND record.guid = pair.guids ->> 0
             JOIN package ON package.id = record.package_id
            WHERE source.changed_identifiers ->> 'job_id' = run.job_id
              AND package.state = 'active')
    """
)
