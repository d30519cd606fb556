"""Delete what is no longer needed: old objects, jobs and problems; datasets of a cleared source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import (
    DatasetBefore,
    JobReport,
    Outcome,
    Pending,
    Record,
    RecordProblem,
    SourceState,
)
from ckanext.ukharvest.harvest.run import outcomes, run_report

Session = model.Session

BATCH = 1000  # rows a commit
JOBS = 200  # jobs whose figures are saved at once
# A tick of cron has other work too: a history of years takes several.
OBJECTS_A_TICK = 50_000

ENDED_JOB = ("Finished", "Aborted")


@dataclass(slots=True)
class Pruned:
    """Numbers of rows that were deleted, or would be."""

    objects: int = 0
    gather_errors: int = 0
    jobs: int = 0


def count_prunable(
    types: Collection[str], *, keep_runs: int, source_id: str | None = None
) -> Pruned:
    """Return what ``prune_all`` would delete; changes nothing."""
    old = _old_jobs(types, keep_runs, source_id)
    doomed = _objects_of(old)
    objects = _count(sa.select(HarvestObject.id).where(doomed))
    errors = _count(
        sa.select(HarvestGatherError.id).where(HarvestGatherError.harvest_job_id.in_(old))
    )
    jobs = _count(sa.select(HarvestJob.id).where(HarvestJob.id.in_(old), ~_has_object(~doomed)))
    return Pruned(objects, errors, jobs)


def prune_all(
    types: Collection[str],
    *,
    keep_runs: int,
    source_id: str | None = None,
    max_objects: int | None = None,
) -> Pruned:
    """Delete what older runs left, with a commit for each batch.

    Args:
        types: names of the source types that are ours.
        keep_runs: number of ended runs of each source that are kept whole; at least 1.
        source_id: only of this source.
        max_objects: stop near this number of harvest objects; the next call continues.
    """
    pruned = Pruned()
    ids = list(Session.scalars(_old_jobs(types, keep_runs, source_id)))
    for start in range(0, len(ids), JOBS):
        if max_objects is not None and pruned.objects >= max_objects:
            break
        jobs = ids[start : start + JOBS]
        outcomes.store_run_results(_not_stored(jobs))
        outcomes.keep_figures(jobs)
        Session.commit()
        pruned.objects += delete_rows(HarvestObject, _objects_of(jobs))
        pruned.gather_errors += delete_rows(
            HarvestGatherError, HarvestGatherError.harvest_job_id.in_(jobs)
        )
        delete_rows(RecordProblem, sa.and_(~RecordProblem.current, RecordProblem.job_id.in_(jobs)))
        delete_rows(Outcome, _are_pruned(JobReport.job_id.in_(jobs)))
        pruned.jobs += _delete_jobs(jobs)
    # ckanext-harvest, too, deletes jobs.
    delete_rows(RecordProblem, sa.and_(~RecordProblem.current, RecordProblem.job_id.is_(None)))
    delete_rows(Outcome, _are_pruned(JobReport.job_id.is_(None)))
    return pruned


def _old_jobs(types: Collection[str], keep_runs: int, source_id: str | None) -> sa.Select[Any]:
    """Select ids of ended jobs that are older than the last runs and not referred to."""
    newest_first = sa.func.row_number().over(
        partition_by=HarvestJob.source_id,
        order_by=(HarvestJob.created.desc(), HarvestJob.id),
    )
    ranked = (
        sa.select(HarvestJob.id, newest_first.label("rank"))
        .join(HarvestSource, HarvestSource.id == HarvestJob.source_id)
        .where(HarvestJob.status.in_(ENDED_JOB), HarvestSource.type.in_(list(types)))
    )
    if source_id is not None:
        ranked = ranked.where(HarvestJob.source_id == source_id)
    table = ranked.subquery()
    query = sa.select(table.c.id).where(table.c.rank > max(1, keep_runs))
    # Document validators are valid only with that job's objects, and what waits names its run.
    waits = sa.select(Pending.job_id).where(Pending.job_id.isnot(None))
    query = query.where(table.c.id.notin_(waits))
    for column in (SourceState.sync_state, SourceState.resume):
        named = sa.select(column["job_id"].astext).where(column["job_id"].astext.isnot(None))
        query = query.where(table.c.id.notin_(named))
    of_health = sa.text(_HEALTH).bindparams(types=list(types)).columns(sa.column("id")).subquery()
    return query.where(table.c.id.notin_(sa.select(of_health.c.id)))


# "Failing since", "last good run": if a source fails for weeks, these are not recent runs.
_HEALTH = """
    WITH run AS (
        SELECT job.id, job.source_id, job.created, report.outcome
          FROM harvest_job AS job
          JOIN harvest_source AS source
            ON source.id = job.source_id AND source.type = ANY (CAST(:types AS text[]))
          JOIN ukharvest_job AS report ON report.job_id = job.id AND report.figures IS NOT NULL
         WHERE report.mode <> 'approval'
    ), good AS (
        SELECT DISTINCT ON (source_id) id, source_id, created
          FROM run WHERE outcome NOT IN ('failed', 'stopped', 'empty')
         ORDER BY source_id, created DESC, id
    ), failed AS (
        SELECT DISTINCT ON (run.source_id) run.id
          FROM run LEFT JOIN good ON good.source_id = run.source_id
         WHERE run.outcome = 'failed' AND run.created > COALESCE(good.created, '-infinity')
         ORDER BY run.source_id, run.created, run.id
    )
    SELECT id FROM good UNION ALL SELECT id FROM failed
"""


def _objects_of(jobs: Any) -> sa.ColumnElement[bool]:
    return sa.and_(
        HarvestObject.harvest_job_id.in_(jobs),
        HarvestObject.current.isnot(True),
        HarvestObject.state.in_(objects.ENDED),
        # A move that is undone makes it the current one again.
        ~sa.exists().where(DatasetBefore.object_id == HarvestObject.id),
    )


def _has_object(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    return (
        sa.select(sa.literal(1))
        .where(HarvestObject.harvest_job_id == HarvestJob.id, *conditions)
        .correlate(HarvestJob)
        .exists()
    )


def _not_stored(job_ids: Collection[str]) -> list[str]:
    """Return the ids of jobs without stored figures, which are counted from their objects."""
    stored = sa.select(JobReport.job_id).where(JobReport.figures.isnot(None))
    query = sa.select(HarvestJob.id).where(HarvestJob.id.in_(job_ids))
    return list(Session.scalars(query.where(HarvestJob.id.notin_(stored))))


def _are_pruned(runs: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return the condition that outcomes of these runs have lost their harvest objects."""
    return sa.and_(
        Outcome.run_id.in_(sa.select(JobReport.id).where(runs)),
        ~sa.exists().where(HarvestObject.id == Outcome.object_id),
    )


def delete_rows(table: Any, condition: sa.ColumnElement[bool]) -> int:
    """Delete rows batch by batch (extras and errors go with them); commits each batch."""
    # Two processes share the work instead of waiting for each other.
    batch = sa.select(table.id).where(condition).limit(BATCH).with_for_update(skip_locked=True)
    statement = sa.delete(table).where(table.id.in_(batch.scalar_subquery()))
    number = 0
    while gone := int(execute(statement).rowcount):
        Session.commit()
        number += gone
    Session.commit()
    return number


def _delete_jobs(jobs: list[str]) -> int:
    """Delete the jobs without objects, and their reports."""
    empty = Session.scalars(
        sa.select(HarvestJob.id).where(HarvestJob.id.in_(jobs), ~_has_object())
    ).all()
    reports = sa.delete(JobReport).where(JobReport.job_id.in_(empty))
    source_ids = execute(reports.returning(JobReport.source_id)).scalars().all()
    execute(sa.delete(HarvestJob).where(HarvestJob.id.in_(empty)))
    run_report.store_runs(source_ids)
    Session.commit()
    return len(empty)


def _count(query: sa.Select[Any]) -> int:
    return int(Session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0)


def dataset_ids(source_id: str) -> list[str]:
    """Return the ids of the datasets, deleted ones too, that belong to this source alone."""
    package = model.Package
    has_row = sa.exists().where(Record.package_id == package.id)
    has_object = sa.exists().where(
        HarvestObject.package_id == package.id, HarvestObject.current.is_(True)
    )
    ours = has_row.where(Record.source_id == source_id)
    claimed = has_row.where(Record.source_id != source_id)
    harvested = has_object.where(HarvestObject.harvest_source_id == source_id)
    harvested_by_others = has_object.where(HarvestObject.harvest_source_id != source_id)
    query = Session.query(package.id).filter(
        package.type != "harvest",
        ~claimed,
        sa.or_(ours, sa.and_(harvested, ~harvested_by_others)),
    )
    return [row[0] for row in query.order_by(package.id)]


def shared_ids(source_id: str) -> list[str]:
    """Return the ids of active datasets that have a current harvest object of this source."""
    query = (
        Session.query(model.Package.id)
        .join(HarvestObject, HarvestObject.package_id == model.Package.id)
        .filter(
            HarvestObject.harvest_source_id == source_id,
            HarvestObject.current.is_(True),
            model.Package.state == "active",
        )
    )
    return [row[0] for row in query.distinct()]


# Foreign keys to datasets and resources without ON DELETE. Read from the database and not from
# CKAN's model, which may lack existing tables (and did, in a process that had made the database) or
# have tables that were never created.
_KEYS = sa.text(
    """
    SELECT quote_ident(child.relname), quote_ident(part.attname), parent.relname
    FROM pg_constraint AS key
    JOIN pg_class AS child ON child.oid = key.conrelid
    JOIN pg_class AS parent ON parent.oid = key.confrelid
    JOIN pg_attribute AS part ON part.attrelid = key.conrelid AND part.attnum = key.conkey[1]
    WHERE key.contype = 'f' AND key.confdeltype IN ('a', 'r')
      AND key.confrelid IN ('resource'::regclass, 'package'::regclass)
    ORDER BY parent.relname = 'package'
    """
)
_MEANT = {
    "package": "IN :ids",
    "resource": "IN (SELECT id FROM resource WHERE package_id IN :ids)",
}


def purge_datasets(package_ids: Sequence[str]) -> None:
    """Remove datasets and all rows that refer to them from the database; the caller commits.

    Includes tables of one CKAN version only (package_extra), and those that ckanext-harvest leaves
    (package_member).
    """
    Session.flush()
    ids = sa.bindparam("ids", list(package_ids), expanding=True)
    for table, column, parent in Session.execute(_KEYS).all():
        # Names from the database's own catalogue, quoted by it.
        statement = f"DELETE FROM {table} WHERE {column} {_MEANT[parent]}"  # noqa: S608 - see above
        Session.execute(sa.text(statement).bindparams(ids))
    members, packages = model.Member.__table__, model.Package.__table__
    Session.execute(sa.delete(members).where(members.c.table_id.in_(package_ids)))
    Session.execute(sa.delete(packages).where(packages.c.id.in_(package_ids)))
    Session.expire_all()


def forget_source(source_id: str) -> None:
    """Remove all jobs, objects, records and reports of a source; the caller commits.

    What a person set stays: schedule, mail settings and confirmed options; and what of the source
    a sysadmin has not accepted.
    """
    _delete_where(HarvestObject, HarvestObject.harvest_source_id == source_id)
    _delete_where(HarvestJob, HarvestJob.source_id == source_id)
    _delete_where(Record, Record.source_id == source_id)
    _delete_where(JobReport, JobReport.source_id == source_id)
    _delete_where(Pending, Pending.source_id == source_id, Pending.kind != PendingKind.SOURCE)
    state = Session.get(SourceState, source_id)
    if state is not None:
        state.interface = ""
        state.sync_state = state.resume = sa.null()
    Session.flush()
    run_report.store_runs([source_id])
    Session.expire_all()


def forget_history(source_id: str, *, keep_current: bool) -> None:
    """Remove ended jobs and their objects, but never a current object; the caller commits.

    Args:
        keep_current: also keep the other objects, and the errors, of jobs with a current one.
    """
    ended = sa.select(HarvestJob.id).where(
        HarvestJob.source_id == source_id, HarvestJob.status.notin_(objects.UNENDED)
    )
    holder = aliased(HarvestObject)
    with_current = sa.select(holder.harvest_job_id).where(
        holder.harvest_source_id == source_id, holder.current.is_(True)
    )
    conditions = [
        HarvestObject.harvest_source_id == source_id,
        HarvestObject.current.isnot(True),
        HarvestObject.harvest_job_id.in_(ended),
    ]
    if keep_current:
        conditions.append(HarvestObject.harvest_job_id.notin_(with_current))
    else:
        _delete_where(HarvestGatherError, HarvestGatherError.harvest_job_id.in_(ended))
    _delete_where(HarvestObject, *conditions)
    left = sa.exists().where(holder.harvest_job_id == HarvestJob.id)
    _delete_where(HarvestJob, HarvestJob.id.in_(ended), ~left)
    run_report.store_runs([source_id])
    Session.expire_all()


def _delete_where(entity: type, *conditions: sa.ColumnElement[bool]) -> None:
    execute(sa.delete(entity).where(*conditions))
