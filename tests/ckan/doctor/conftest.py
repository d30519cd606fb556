"""Portals on which the doctor finds nothing, or a source."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rq
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import Worker, utcnow
from ckanext.ukharvest.notifications import mails
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.dashboards import headers
from tests.ckan.doctor.findings import PATH, swept
from tests.ckan.portal_copies import SourceMaker


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source whose three datasets were harvested."""
    return ready_source(PATH, catalogue(3), name="parking")


@pytest.fixture
def jobs_worker(clean: None) -> Iterator[None]:
    """A jobs worker that is alive, and has nothing to do."""
    call_action("job_clear")
    worker = rq.Worker([jobs.get_queue()])
    worker.register_birth()
    yield
    worker.register_death()


@pytest.fixture
def healthy(jobs_worker: None) -> None:
    """Consumers, jobs worker, cron and mail in working order."""
    for kind in ("gather", "fetch"):
        model.Session.add(Worker(id=f"test-{kind}", kind=kind))
    model.Session.commit()
    http_client.delete_from_redis(mails._FAILURE)
    swept(utcnow())


@pytest.fixture
def sysadmin() -> dict[str, str]:
    return headers(factories.Sysadmin())
