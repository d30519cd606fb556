"""The row of a run: create it, its heartbeat, and whether somebody asked to stop it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import JobReport, utcnow

Session = model.Session

LOST_GATHERS = (
    "lost_gathers"  # in JobReport.counts: number of the run's gathers that ended without a result
)


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
