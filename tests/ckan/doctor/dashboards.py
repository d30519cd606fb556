""""""

from __future__ import annotations

import datetime as dt
from typing import Any

from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.doctor import dashboard as snapshot
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

PAGE = "/ckan-admin/ukharvest"
PATH = "/data.json"


def headers(user: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": factories.APIToken(user=user["name"])["token"]}


def dashboard(**more: Any) -> dict[str, Any]:
    model.Session.remove()
    http_client.delete_from_redis(snapshot.SNAPSHOT)
    return dict(call_action("ukharvest_dashboard_show", **more))


def stuck_run(portal: Portal, publisher: Publisher) -> str:
    """A run that has been gathering for an hour without a heartbeat."""
    job_id = portal.create_job(portal.source(publisher.url(PATH), name="stuck"))
    job = HarvestJob.get(job_id)
    job.status = "Running"
    job.created = job.gather_started = utcnow() - dt.timedelta(hours=1)
    model.Session.commit()
    return job_id
