"""An editor stops a run of real consumers with the button on its page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal, tick
from tests.ckan.people import Person
from tests.publisher import Publisher, Response

PATH = "/data.json"
MANY = 120
DATASETS = [dataset(number) for number in range(MANY)]
Session = model.Session


def _document(may_end: threading.Event) -> Iterator[bytes]:
    """A document that does not end before it may."""
    yield json.dumps({"dataset": DATASETS}).encode()
    while not may_end.wait(0.05):
        yield b" "


def _wait_until(is_so: Callable[[], bool], seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            pytest.fail(f"not so within {seconds} s")
        Session.remove()
        time.sleep(0.1)


def test_an_editor_stops_what_consumers_work_on(
    app: CKANTestApp, portal: Portal, publisher: Publisher, editor: Person
) -> None:
    headers = editor["headers"]
    is_stopped = threading.Event()
    publisher.routes[PATH] = lambda _request: Response(_document(is_stopped))
    source = portal.source(publisher.url(PATH), name="parking")
    app.post("/harvest/refresh/parking", headers=headers)
    job_id = str(Session.query(HarvestJob).filter_by(source_id=source).one().id)
    _wait_until(lambda: bool(publisher.requests))

    page = app.post(f"/harvest/parking/job/{job_id}/abort", headers=headers, status=200).body

    assert "Stopping" in page
    is_stopped.set()

    def is_over() -> bool:
        tick()
        return str(HarvestJob.get(job_id).status) == "Finished"

    _wait_until(is_over)
    report = Session.query(JobReport).filter_by(job_id=job_id).one()
    assert (report.outcome, report.stopped_by) == ("stopped", editor["name"])
    assert portal.datasets() == []

    publisher.serve(PATH, {"dataset": DATASETS})
    portal.run(source)
    assert len(portal.datasets()) == MANY
