"""What runs did: an outcome for each record, and the figures of the run."""

# ruff: noqa: S608 - the statements are put together of constants of this module alone
from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.outcomes import DecisionKind, PendingKind, RunOutcome, final_outcome
from ckanext.ukharvest.harvest import daily_figures
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.gather.objects import UNENDED
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.run import run_report
from ckanext.ukharvest.harvest.sources.accepted_problems import TO_FIX

Session = model.Session
log = logging.getLogger(__name__)

# What became of harvest objects, in the columns of ``Outcome``; a condition on ``object`` follows.
# An object that waits, or was stopped, is "waiting".
ENDED = """
    SELECT report.id AS run_id, record.id AS record_id, object.id AS object_id,
           CASE WHEN record.id IS NULL THEN object.package_id END AS package_id,
           COALESCE(object.guid, '') AS guid, COALESCE(named.value, '') AS title,
           CASE WHEN object.report_status = 'errored' THEN 'lost'
                WHEN object.report_status IN ('added', 'updated', 'deleted')
                THEN object.report_status
                WHEN object.report_status = 'not modified'
                THEN CASE WHEN record.outcome = 'skipped' THEN 'skipped' ELSE 'unchanged' END
                ELSE 'waiting' END AS state,
           COALESCE(object.report_status = 'not modified' AND record.outcome = 'skipped'
                    AND (record.same_as IS NOT NULL OR record.origin_guid <> ''), false) AS is_same,
           COALESCE(code.key = 'error_code', false) AS is_unread,
           COALESCE(code.value, '') AS code, error.texts ->> 0 AS message,
           CAST(worded.value AS jsonb) AS wording,
           CAST(error.lines ->> 0 AS integer) AS line,
           CASE WHEN jsonb_array_length(error.texts) > 1 THEN error.both - 0 END AS more,
           object.harvest_job_id AS job_id
      FROM harvest_object AS object
      LEFT JOIN ukharvest_job AS report ON report.job_id = object.harvest_job_id
      LEFT JOIN harvest_object_extra AS code
             ON code.harvest_object_id = object.id
            AND code.key IN ('error_code', 'import_error_code')
      LEFT JOIN harvest_object_extra AS named
             ON named.harvest_object_id = object.id AND named.key = 'record_title'
      LEFT JOIN harvest_object_extra AS worded
             ON worded.harvest_object_id = object.id AND worded.key = 'error_wording'
      LEFT JOIN ukharvest_record AS record
             ON record.source_id = object.harvest_source_id AND record.guid = object.guid
            AND code.value IS DISTINCT FROM 'duplicate-guid'
      LEFT JOIN LATERAL (
           SELECT jsonb_agg(COALESCE(message, '') ORDER BY created, id) AS texts,
                  jsonb_agg(line ORDER BY created, id) AS lines,
                  jsonb_agg(jsonb_build_object('message', COALESCE(message, ''), 'line', line)
                            ORDER BY created, id) AS both
             FROM harvest_object_error WHERE harvest_object_id = object.id) AS error ON true
"""
_COLUMNS = """
    run_id, record_id, object_id, package_id, guid, title, state, is_same, is_unread, code, message,
    wording, line, more
"""
# Of those rows that are not stored yet: of runs of other harvesters that go on, and of what waits.
NOT_STORED = """
    NOT EXISTS (SELECT FROM ukharvest_outcome AS stored WHERE stored.object_id = object.id)
"""
# The rows of one run, to stand in FROM; until the run is stored, also what they will be. Without a
# row are records that failed again without an import: listed while the run saw them last.
OF_RUN = f"""
    (SELECT {_COLUMNS}
       FROM ukharvest_outcome AS stored
      WHERE run_id = (SELECT id FROM ukharvest_job WHERE job_id = :job_id)
      UNION ALL
     SELECT {_COLUMNS}
       FROM ({ENDED} WHERE object.harvest_job_id = :job_id AND {NOT_STORED}
                AND NOT EXISTS (SELECT FROM ukharvest_job AS ended
                                 WHERE ended.job_id = :job_id AND ended.figures IS NOT NULL)
            ) AS result
      UNION ALL
     SELECT run.id, record.id, NULL, NULL, record.guid, '', 'lost', false, false,
            record.error ->> 'code', record.error ->> 'message', record.error -> 'wording',
            CAST(record.error ->> 'line' AS integer), NULL
       FROM ukharvest_job AS run JOIN ukharvest_record AS record
         ON record.source_id = run.source_id AND record.last_seen_job_id = run.job_id
      WHERE run.job_id = :job_id
        AND record.outcome = 'errored' AND record.error -> 'stamp' IS NOT NULL
        AND NOT EXISTS (SELECT FROM ukharvest_outcome AS stored
                         WHERE stored.run_id = run.id AND stored.record_id = record.id)
            ) AS result
"""
_SAVE = f"""
    INSERT INTO ukharvest_outcome AS row ({_COLUMNS}, created)
    SELECT DISTINCT ON (object_id) {_COLUMNS}, :now
      FROM ({ENDED} WHERE report.id IS NOT NULL AND {{which}}) AS ended
    ON CONFLICT (object_id) DO UPDATE
       SET record_id = excluded.record_id, package_id = excluded.package_id,
           title = excluded.title, state = excluded.state, is_same = excluded.is_same,
           code = excluded.code, message = excluded.message, wording = excluded.wording,
           line = excluded.line, more = excluded.more, created = excluded.created
"""
# Only of runs that have ended before is something to be done; pruned ones keep their figures.
CLOSED = """
    RETURNING (SELECT closed.job_id FROM ukharvest_job AS closed
                WHERE closed.id = row.run_id AND closed.figures IS NOT NULL
                  AND closed.figures -> 'pruned' IS NULL)
"""
_SAVE_OBJECTS = sa.text(
    _SAVE.format(which="object.id = ANY (:ids) AND object.report_status IS NOT NULL") + CLOSED
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_SAVE_UNREAD = sa.text(
    _SAVE.format(which="object.harvest_job_id = :job_id AND object.report_status = 'errored'")
)
_SAVE_RUNS = sa.text(
    _SAVE.format(which=f"object.harvest_job_id = ANY (:ids) AND {NOT_STORED}")
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))

_SAVE_MISSING = sa.text(
    """
    INSERT INTO ukharvest_outcome (run_id, record_id, guid, state, created)
    SELECT run.id, record.id, record.guid, 'missing', :now
      FROM ukharvest_job AS run, ukharvest_record AS record
     WHERE run.job_id = :job_id AND record.id = ANY (:ids)
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.BigInteger)))


def save_outcomes(object_ids: Collection[str]) -> set[str]:
    """Store what became of harvest objects that have ended; one statement.

    Returns:
        Ids of their runs that have ended before.
    """
    if not object_ids:
        return set()
    rows = Session.execute(_SAVE_OBJECTS, {"ids": list(object_ids), "now": utcnow()})
    return {job_id for (job_id,) in rows if job_id}


def save_unread(job_id: str) -> None:
    """Store the records that failed while a source was read; one statement."""
    Session.execute(_SAVE_UNREAD, {"job_id": job_id, "now": utcnow()})


def save_rest(job_ids: Collection[str]) -> None:
    """Store what became of the objects of ended runs that have no row yet; one statement."""
    Session.execute(_SAVE_RUNS, {"ids": list(job_ids), "now": utcnow()})


def save_missing(job_id: str, record_ids: Collection[int]) -> None:
    """Store which records a run missed for the first time; one statement, none without them."""
    if record_ids:
        Session.execute(_SAVE_MISSING, {"job_id": job_id, "ids": list(record_ids), "now": utcnow()})


MOST = 500  # runs that a tick stores


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


def load_results(jobs: Mapping[str, str], reports: Mapping[str, JobReport]) -> dict[str, RunResult]:
    """Return run id → result; counted, in one statement, where it is not stored yet.

    Args:
        jobs: run id → status of its harvest job.
        reports: run id → its report.
    """
    stored = {id_ for id_, report in reports.items() if report.figures}
    held = [id_ for id_ in stored if reports[id_].outcome == RunOutcome.HELD]
    due = pending.count_pending(held) if held else {}
    counted = {row.id: row for row in _count([id_ for id_ in jobs if id_ not in stored])}
    results = {
        id_: _result(status, reports.get(id_), counted.get(id_)) for id_, status in jobs.items()
    }
    for id_ in held:
        results[id_].figures.update(_waiting_now(due.get(id_, {})))
    return results


def _waiting_now(due: Mapping[str, int]) -> dict[str, int]:
    """Return the figures of what waits since a held run, by what is still due."""
    figures = {PendingKind.DELETION: "held", PendingKind.IDENTIFIER: "new_identifiers"}
    return {figure: due.get(kind, 0) for kind, figure in figures.items()}


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
        return RunResult(report.outcome, reason, dict(report.figures))
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
        "lost": counted.lost + noted("failed_again"),
        "same": counted.same,
        "with_problems": counted.with_problems,
        "errored": counted.erring + counted.failures + noted("failed_again"),
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


def store_run_results(job_ids: Collection[str]) -> None:
    """Store rows, figures and outcome of runs that have ended; no commit.

    Runs of other harvesters get their report here.
    """
    Session.execute(_ADD_REPORTS, {"ids": list(job_ids)})
    save_rest(job_ids)
    refresh_results(job_ids)


def refresh_results(job_ids: Collection[str]) -> None:
    """Store figures and outcome of ended runs again, after a change of their rows; no commit."""
    if not job_ids:
        return
    query = sa.select(JobReport.__table__, HarvestJob.status, HarvestJob.created).join(
        HarvestJob, HarvestJob.id == JobReport.job_id
    )
    # Locked, so that what another process stores meanwhile is added to the day's figures once.
    locked = query.where(JobReport.job_id.in_(job_ids)).with_for_update(of=JobReport.__table__)
    reports = Session.execute(locked.order_by(JobReport.id)).all()
    counted = {row.id: row for row in _count(job_ids)}
    daily: Counter[daily_figures.Key] = Counter()
    for report in reports:
        result = _result(report.status, report, counted[report.job_id])
        execute(sa.update(JobReport).where(JobReport.id == report.id).values(result._asdict()))
        daily.update(daily_figures.count_run(report, result))
        daily.subtract(daily_figures.count_run(report, report))
    daily_figures.add_figures(daily)
    run_report.store_runs([report.source_id for report in reports])


def refresh_open(job_ids: Collection[str]) -> None:
    """Do that for those of these runs that have ended and can be counted again; no commit."""
    refresh_results(_open(job_ids))


def _open(job_ids: Collection[str]) -> list[str]:
    """Return which of these runs have figures that can be counted again."""
    if not job_ids:
        return []
    return list(
        Session.scalars(
            sa.select(JobReport.job_id).where(
                JobReport.job_id.in_(job_ids),
                JobReport.figures.isnot(None),
                JobReport.figures["pruned"].is_(None),
            )
        )
    )


def save_outcomes_of_batch(object_ids: Collection[str]) -> None:
    """Store what became of harvest objects, also in the figures of ended runs; no commit."""
    Session.flush()
    refresh_results(save_outcomes(object_ids))


def keep_figures(job_ids: Collection[str]) -> None:
    """Keep the figures of ended runs from now on, because rows of them are deleted; no commit."""
    execute(
        sa.update(JobReport)
        .where(JobReport.job_id.in_(job_ids), JobReport.figures.isnot(None))
        .values(figures=JobReport.figures.op("||")(sa.func.jsonb_build_object("pruned", 1)))
    )


def settle_held_runs(source_id: str | None = None) -> None:
    """Store of held runs of which nothing waits any more that they are decided; no commit.

    The next run, or records that came back, can settle them without a decision.

    Args:
        source_id: only of its runs; None: of all.
    """
    Session.flush()
    run_report.store_runs(Session.scalars(_SETTLE, {"source_id": source_id}).all())


def store_left() -> int:
    """Store the results of ended runs that have none; return their number; no commit."""
    ids = list(Session.scalars(_LEFT))
    if ids:
        store_run_results(ids)
    return len(ids) + run_report.store_runs_left()


_ARE_STORED = "ukharvest_stores_results"  # in session.info, while it does


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
                store_run_results(ended)
            if erring:
                refresh_open(erring.difference(ended))
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
           (SELECT count(DISTINCT record_id) FROM ukharvest_problem AS problem
             WHERE job_id = job.id AND NOT lost AND {TO_FIX}) AS with_problems
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
                     FROM ({ENDED}
                            WHERE object.harvest_job_id = job.id AND {NOT_STORED}) AS ended
                   ) AS result) AS row
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_SETTLE = sa.text(
    f"""
    UPDATE ukharvest_job AS run
       SET outcome = CASE WHEN EXISTS (SELECT FROM ukharvest_decision AS decision
                                        WHERE decision.job_id = run.job_id
                                          AND decision.kind <> '{DecisionKind.RUN_STOPPED}')
                          THEN 'decided' ELSE 'settled' END
     WHERE run.outcome = 'held'
       AND (CAST(:source_id AS text) IS NULL OR run.source_id = :source_id)
       AND NOT EXISTS (
           SELECT
             FROM {pending.DUE}
            WHERE pending.job_id = run.job_id)
    RETURNING run.source_id
    """
)
