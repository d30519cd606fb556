"""Work of consumers that died."""

from __future__ import annotations

from datetime import datetime

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.harvesting import Portal


def set_state(object_id: str, state: str) -> None:
    """Leave an object as a consumer does that is killed now."""
    obj = HarvestObject.get(object_id)
    obj.state = state
    obj.fetch_started = datetime.utcnow()  # noqa: DTZ003 - as ckanext-harvest does
    if state == "IMPORT":
        obj.import_started = obj.fetch_started
    obj.retry_times += 1
    obj.save()
    model.Session.remove()


def killed_gather(portal: Portal, source: str) -> str:
    """Leave a job as a gather does that is killed after it staged some objects."""
    job_id = portal.create_job(source)
    job = HarvestJob.get(job_id)
    job.status = "Running"
    job.gather_started = datetime.utcnow()  # noqa: DTZ003 - as ckanext-harvest does
    model.Session.add(JobReport(job_id=job_id, source_id=source, heartbeat=job.gather_started))
    model.Session.commit()
    objects.add_staged([objects.StagedObject("half", "new", "{}")], job_id, source)
    model.Session.commit()
    model.Session.remove()
    return job_id
