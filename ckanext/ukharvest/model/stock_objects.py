"""Harvest objects that another harvester gathered before the source became ours.

A portal may change its harvesters while a stock run is running, or has been stuck for months. The
objects of such a run have another harvester's content and no link to our records: imported, each
would make a second dataset. So they end as "stopped", without a record row, and the next run reads
the records again.
"""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.model import open_work, stopping, utcnow
from ckanext.ukharvest.model.statements import execute

Session = model.Session

REASON = "another harvester began this run; the next run reads its records again"


def end_stock_object(obj: HarvestObject) -> None:
    """End an object of another harvester that is delivered to ours, and log it; commits."""
    if not obj.report_status:  # else ``ckan harvester import`` of an imported object
        report = stopping.open_report(obj.harvest_job_id, obj.harvest_source_id)
        if not report.outcome:
            report.outcome, report.reason = stopping.STOPPED, REASON
            report.finished = utcnow()
        stopping.end_object(obj)


def discard_stock_objects(job_id: str) -> None:
    """Delete the objects of another harvester's gather of this job; the caller commits."""
    statement = sa.delete(HarvestObject).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.notin_(open_work.ENDED)
    )
    execute(statement)
