"""Two consumers of each kind that meet at one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.catalogues import catalogue
from tests.ckan.chaos.evidence import Evidence, in_index
from tests.ckan.harvesting import Consumers, Portal, figures, tick, until, write_ini
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.giant]

PATH = "/data.json"
MANY = 24
PATIENCE = 180.0  # seconds


@pytest.fixture
def evidence() -> Iterator[Evidence]:
    found = Evidence()
    with found.collecting():
        yield found


@pytest.fixture(scope="module")
def four(ini: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Consumers]:
    """Two gather and two fetch consumers, with small batches."""
    path = tmp_path_factory.mktemp("four") / "small.ini"
    small = write_ini(ini, {"ckanext.ukharvest.batch_size": "2"}, path)
    with Consumers(small, fetchers=2) as first, Consumers(small, fetchers=0) as second:
        first.processes += second.processes
        second.processes = []
        yield first


def all_finished() -> bool:
    tick()
    return not model.Session.query(HarvestJob).filter(HarvestJob.status != "Finished").count()


def test_two_jobs_of_one_source(
    portal: Portal, publisher: Publisher, four: Consumers, evidence: Evidence
) -> None:
    """Nothing in ckanext-harvest keeps two requests at once from creating a job each."""
    publisher.serve(PATH, catalogue(MANY))
    source = portal.source(publisher.url(PATH))
    jobs = []
    for _ in range(2):
        job = HarvestJob(source_id=source, status="Running", created=utcnow())
        model.Session.add(job)
        model.Session.commit()
        jobs.append(job.id)
    for job_id in jobs:
        queue.get_gather_publisher().send({"harvest_job_id": job_id})
    until(all_finished)
    assert four.are_alive
    assert evidence.log("created") == Counter({f"Dataset {n:05}": 1 for n in range(MANY)})
    assert set(evidence.log("resource").values()) == {1}
    assert not evidence.log("deleted")
    assert evidence.unfinished() == {}
    assert len(evidence.in_database()) == MANY
    assert in_index() == evidence.ids_and_titles()
    assert figures(portal.run(source)) == {"not modified": MANY}
