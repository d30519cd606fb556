"""Figures of runs, for every page and action; six statements for any number of runs,
one more if any was held."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import JobReport, health, reports

Session = model.Session

COUNTS = (
    *("added", "updated", "unchanged", "skipped", "deleted", "missing", "held"),
    *("new_identifiers", "lost"),
)


def load_figures(jobs: Collection[HarvestJob]) -> list[dict[str, Any]]:
    """Return the figures of these runs, in their order.

    Returns:
        Dicts with ``id``, ``source_id``, ``status`` (ckanext-harvest's), ``created``, ``started``,
        ``gathered`` (the source was read), ``finished`` (ISO 8601 with zone, None if not
        reached), ``seconds`` (None while it runs), ``mode`` ("normal", "force",
        "approval"), ``asked_by`` ("" for the schedule), ``stopped_by``, ``outcome`` (key of
        ``presentation.messages.status_labels.OUTCOMES``), ``reason``, ``error`` ({"code",
        "message", "passes"} of a run that failed, else None), ``complete`` (it read the whole
        source), ``seen`` (records that the source listed), ``counts``: ``COUNTS``,
        ``same`` (skipped because the dataset is here already, or was deleted here) and
        ``with_problems``, ``shortfall`` ({"records", "of", "asks_after"} where so many records are
        missing that a later run will ask, else None), and ``stats`` as in ``harvest_job_show``.
    """
    ids = [job.id for job in jobs]
    stats = reports.stats_of(ids)
    known = reports.reports_of(ids)
    held = reports.outcomes_of_held(known.values())
    more = _more(ids)
    without = [id_ for id_ in ids if id_ not in known]
    failed = dict(Session.execute(_FAILURES, {"job_ids": without}).all()) if without else {}
    return [
        _row(job, known.get(job.id), stats[job.id], more.get(job.id), failed.get(job.id, ""), held)
        for job in jobs
    ]


def _more(job_ids: Collection[str]) -> dict[str, Any]:
    return {row.job_id: row for row in Session.execute(_MORE, {"job_ids": list(job_ids)})}


def _row(
    job: HarvestJob,
    report: JobReport | None,
    stats: Mapping[str, int],
    more: Any,
    failure: str,
    held: Mapping[str, str],
) -> dict[str, Any]:
    counts = _counts(report, stats, more)
    stored = _stored(job, report, failure)
    if stored == RunOutcome.HELD:
        stored = held[job.id]
    noted: Mapping[str, Any] = (report.counts or {}) if report else {}
    changed = sum(counts[key] for key in ("added", "updated", "deleted"))
    started = job.gather_started or (report and report.started)
    finished = (job.finished or (report and report.finished)) if _is_over(job) else None
    return {
        "id": job.id,
        "source_id": job.source_id,
        "status": job.status,
        "created": iso(job.created),
        "started": iso(started),
        "gathered": iso(job.gather_finished),
        "finished": iso(finished),
        "seconds": (finished - started).total_seconds() if finished and started else None,
        "mode": report.mode if report else RunMode.NORMAL,
        "asked_by": report.asked_by if report else "",
        "stopped_by": report.stopped_by if report else "",
        "outcome": health.outcome(
            stored,
            lost=counts["lost"],
            changed=changed,
            is_empty=health.is_empty(noted),
            is_shrunk=bool(noted.get("shortfall")),
        ),
        "reason": report.reason if report else failure,
        "error": _error(report, failure) if stored == RunOutcome.FAILED else None,
        "complete": bool(report and report.complete),
        "seen": int(noted.get("seen", 0)),
        "counts": counts,
        "shortfall": noted.get("shortfall"),
        "stats": _stock(report, stats, counts),
    }


def _stock(
    report: JobReport | None, stats: Mapping[str, int], counts: Mapping[str, int]
) -> dict[str, int]:
    """Return the figures under ckanext-harvest's names; its errors are not only failed records."""
    figures = {**stats, **_frozen(report)}
    return {
        **{key: int(figures.get(key, 0)) for key in reports.STATS},
        "not modified": counts["unchanged"] + counts["skipped"],
        "missing": counts["missing"] + counts["held"],
    }


def _frozen(report: JobReport | None) -> Mapping[str, int]:
    return ((report and report.counts) or {}).get(reports.FROZEN) or {}


def _counts(report: JobReport | None, stats: Mapping[str, int], more: Any) -> dict[str, int]:
    noted: Mapping[str, Any] = (report.counts or {}) if report else {}
    frozen = _frozen(report)
    figures = {**stats, **frozen}
    skipped = int(frozen.get("skipped", more.skipped if more else 0))
    unchanged = int(figures.get("not modified", 0)) - skipped
    unchanged += int(noted.get("unchanged", 0)) + int(noted.get("kept_deleted", 0))
    return {
        "added": int(figures.get("added", 0)),
        "updated": int(figures.get("updated", 0)),
        "unchanged": unchanged,
        "skipped": skipped + int(noted.get("skipped", 0)),
        "deleted": int(figures.get("deleted", 0)),
        "missing": int(noted.get("missing", 0)),
        "held": int(noted.get("held", 0)),
        "new_identifiers": int(noted.get("new_identifiers", 0)),
        "lost": int(figures["lost"]),
        "same": int(frozen.get("same", more.same if more else 0)),
        "with_problems": int(frozen.get("with_problems", more.with_problems if more else 0)),
    }


def _is_over(job: HarvestJob) -> bool:
    return job.status not in ("New", "Running")


def _stored(job: HarvestJob, report: JobReport | None, failure: str) -> str:
    """Return a run's outcome, as ``health.OUTCOME`` does; ckanext-harvest's job only says it ended.

    Its earlier versions called some jobs "Aborted".
    """
    if not _is_over(job):
        return RunOutcome.QUEUED if job.status == "New" else RunOutcome.RUNNING
    if job.status != "Finished":
        return RunOutcome.STOPPED
    if report is None:
        return RunOutcome.FAILED if failure else RunOutcome.FINISHED
    if report.stopped_by or not report.outcome:
        return RunOutcome.STOPPED
    return str(report.outcome)


def _error(report: JobReport | None, failure: str) -> dict[str, Any]:
    words = report.reason if report else failure
    return (report and report.error) or {"code": "", "message": words, "passes": False}


def freeze(job_ids: Iterable[str]) -> None:
    """Save the figures of ended jobs before their objects are pruned; the caller commits.

    A job with saved figures keeps them: some of its objects are deleted already.
    """
    ids = list(job_ids)
    if not ids:
        return
    known = reports.reports_of(ids)
    for job in Session.query(HarvestJob).filter(HarvestJob.id.in_(ids)):
        if job.id not in known:  # of another harvester, before the source was ours
            known[job.id] = JobReport(
                job_id=job.id,
                source_id=job.source_id,
                outcome=RunOutcome.FINISHED,
                started=job.gather_started,
                finished=job.finished,
                counts={},
            )
            Session.add(known[job.id])
    more = _more(ids)
    for id_, stats in reports.stats_of(ids).items():
        report = known.get(id_)
        if report and reports.FROZEN not in (report.counts or {}):
            kept = {**stats, **dict.fromkeys(_OF_RECORDS, 0)}
            if id_ in more:
                kept |= {key: getattr(more[id_], key) for key in _OF_RECORDS}
            report.counts = {**(report.counts or {}), reports.FROZEN: kept}


_OF_RECORDS = ("skipped", "same", "with_problems")
_MORE = sa.text(
    """
    SELECT job_id, sum(skipped)::integer AS skipped, sum(same)::integer AS same,
           sum(with_problems)::integer AS with_problems
      FROM (
        SELECT object.harvest_job_id AS job_id, count(*) AS skipped,
               count(*) FILTER (WHERE record.same_as IS NOT NULL OR record.origin_guid <> '')
                   AS same,
               0 AS with_problems
          FROM harvest_object AS object
          JOIN ukharvest_record AS record
            ON record.source_id = object.harvest_source_id AND record.guid = object.guid
         WHERE object.harvest_job_id = ANY (CAST(:job_ids AS text[]))
           AND object.report_status = 'not modified' AND record.outcome = 'skipped'
         GROUP BY object.harvest_job_id
         UNION ALL
        SELECT problem.job_id, 0, 0, count(DISTINCT problem.record_id)
          FROM ukharvest_problem AS problem
         WHERE problem.job_id = ANY (CAST(:job_ids AS text[]))
           AND NOT problem.lost
         GROUP BY problem.job_id
      ) AS figures
     GROUP BY job_id
    """
)
_FAILURES = (
    sa.select(HarvestGatherError.harvest_job_id, sa.func.min(HarvestGatherError.message))
    .where(
        HarvestGatherError.harvest_job_id
        == sa.any_(sa.bindparam("job_ids", type_=sa.ARRAY(sa.Text)))
    )
    .group_by(HarvestGatherError.harvest_job_id)
)
