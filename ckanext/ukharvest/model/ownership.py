"""Find and remove the datasets of a source: for clearing a source and its history.

The record rows name a source's datasets; for a source that only another harvester has run, its
current harvest objects do.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject
from sqlalchemy.orm import aliased

from ckanext.ukharvest.model import JobReport, Record, SourceState, open_work
from ckanext.ukharvest.model.statements import execute

Session = model.Session


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


def purge(package_ids: Sequence[str]) -> None:
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


def forget(source_id: str) -> None:
    """Remove all jobs, objects, records and reports of a source; the caller commits.

    What a person set stays: schedule, mail settings and confirmed options.
    """
    _delete(HarvestObject, HarvestObject.harvest_source_id == source_id)
    _delete(HarvestJob, HarvestJob.source_id == source_id)
    _delete(Record, Record.source_id == source_id)
    _delete(JobReport, JobReport.source_id == source_id)
    state = Session.get(SourceState, source_id)
    if state is not None:
        state.interface = ""
        state.sync_state = state.resume = state.held = sa.null()
        state.changed_identifiers = None
    Session.flush()
    Session.expire_all()


def forget_history(source_id: str, *, keep_current: bool) -> None:
    """Remove ended jobs and their objects, but never a current object; the caller commits.

    Args:
        keep_current: also keep the other objects, and the errors, of jobs with a current one.
    """
    ended = sa.select(HarvestJob.id).where(
        HarvestJob.source_id == source_id, HarvestJob.status.notin_(open_work.UNENDED)
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
        _delete(HarvestGatherError, HarvestGatherError.harvest_job_id.in_(ended))
    _delete(HarvestObject, *conditions)
    left = sa.exists().where(holder.harvest_job_id == HarvestJob.id)
    _delete(HarvestJob, HarvestJob.id.in_(ended), ~left)
    Session.expire_all()


def _delete(entity: type, *conditions: sa.ColumnElement[bool]) -> None:
    execute(sa.delete(entity).where(*conditions))
