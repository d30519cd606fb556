"""Runs of stock harvesters whose sources are taken over."""

from __future__ import annotations

import re
from typing import Any

from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.harvesting import Portal


def fill(harvester: Any, source_id: str) -> int:
    """Let a stock harvester run a source; return how many datasets it wrote."""
    if not model.User.get("harvest"):  # the user that it writes as
        factories.Sysadmin(name="harvest")
    job = HarvestJob(source_id=source_id, status="Running", gather_started=utcnow())
    job.save()
    ids = harvester.gather_stage(HarvestJob.get(job.id))
    for object_id in ids:
        obj = HarvestObject.get(object_id)
        assert harvester.fetch_stage(obj) is True
        assert harvester.import_stage(obj) is True
        obj.state, obj.report_status, obj.import_finished = "COMPLETE", "added", utcnow()
        obj.save()
    job = HarvestJob.get(job.id)
    job.status, job.gather_finished, job.finished = "Finished", utcnow(), utcnow()
    job.save()
    model.Session.remove()
    return len(ids)


def ids(portal: Portal) -> dict[str, tuple[str, list[str]]]:
    """Return id of each dataset → its name and resource ids."""
    return {
        each["id"]: (each["name"], [r["id"] for r in each["resources"]])
        for each in portal.datasets()
    }


def is_easy(element: str) -> bool:
    """Tell whether their readers take an element: no prefix but gmd, no partial or zoned date."""
    return bool(
        re.match(r"<gmd:.*<gmd:dateStamp>(<[^>]*>)?\d+-\d+-\d+(T[\d:]+)?<", element, re.DOTALL)
    )
