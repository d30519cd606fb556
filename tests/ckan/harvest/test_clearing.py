"""A source is not cleared during a run, and no run begins while it is cleared."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.logic import HarvestJobExists
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.harvest.run import prune
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures, one_by_one, work_off
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
SENTENCE = "A run of this source has not ended. Wait for it, or stop it."
Session = model.Session


@pytest.fixture
def source(portal: Portal, publisher: Publisher, ready_source: SourceMaker) -> str:
    source = ready_source(PATH, catalogue(3), name="parking")
    assert figures(portal.job(ready_source.job_id)) == {"added": 3}
    publisher.serve(PATH, catalogue([dataset(n, title=f"Changed {n}") for n in range(3)]))
    return source


def is_whole(source: str, jobs: int = 2) -> bool:
    Session.remove()
    counts = [
        Session.query(entity).filter_by(source_id=source).count() for entity in (Record, HarvestJob)
    ]
    return (
        counts == [3, jobs] and Session.query(model.Package).filter_by(type="dataset").count() == 3
    )


def refused(action: str, **fields: Any) -> str:
    with pytest.raises(tk.ValidationError) as caught:
        act(action, **fields)
    Session.rollback()
    return str(caught.value.error_dict["id"][0])


@one_by_one
def test_clearing_is_refused_until_the_run_is_stopped(portal: Portal, source: str) -> None:
    job_id = portal.create_job(source)
    assert refused("harvest_source_clear", id=source).startswith(SENTENCE)  # no consumer has it yet
    portal.gather(job_id)
    first, *_ = portal.waiting(job_id)
    assert refused("harvest_source_clear", id="parking").startswith(SENTENCE)
    assert is_whole(source)
    portal.deliver(first)
    act("ukharvest_run_stop", id=job_id)
    assert act("harvest_source_clear", id=source)["deleted"] == 3


def test_the_history_is_cleared_of_ended_runs_and_a_run_goes_on(
    portal: Portal, source: str
) -> None:
    """No need to refuse it: what a run works on stays."""
    job_id = portal.create_job(source)
    portal.gather(job_id)
    act("harvest_source_job_history_clear", id=source)
    act("harvest_sources_job_history_clear")
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 3}


def test_pages_and_the_command_say_so(
    portal: Portal,
    source: str,
    app: CKANTestApp,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    portal.create_job(source)
    sysadmin = {"Authorization": factories.SysadminWithToken()["token"]}
    sent = {"name": "parking", "count": "3"}
    for route in ("/harvest/clear/parking", "/harvest/delete/parking?clear=1"):
        assert SENTENCE in app.post(route, data=sent, headers=sysadmin).body, route
    assert Session.get(model.Package, source).state == "active"
    result = ckan("harvester", "source", "clear", "parking", check=False)
    assert result.returncode != 0
    assert SENTENCE in result.stderr
    assert is_whole(source)


def test_no_run_begins_while_a_source_is_cleared(
    portal: Portal, source: str, app: CKANTestApp, monkeypatch: Any
) -> None:
    sysadmin = {"Authorization": factories.SysadminWithToken()["token"]}
    began, go_on = threading.Event(), threading.Event()
    purge = prune.purge_datasets

    def slowly(ids: Any) -> None:
        began.set()
        assert go_on.wait(60)
        purge(ids)

    monkeypatch.setattr(prune, "purge_datasets", slowly)
    failures: list[BaseException] = []

    def clear() -> None:
        try:
            act("harvest_source_clear", id=source)
        except BaseException as exc:  # noqa: BLE001 - told below
            failures.append(exc)

    clearing = threading.Thread(target=clear)
    clearing.start()
    try:
        assert began.wait(60)
        with pytest.raises(HarvestJobExists, match="being cleared"):  # cron skips such a source
            portal.create_job(source)
        Session.rollback()
        with pytest.raises(tk.ValidationError, match="being cleared"):
            act("ukharvest_run_create", source_id=source)
        Session.rollback()
        page = app.post("/harvest/refresh/parking", headers=sysadmin).body
        assert "being cleared" in page
        assert "being cleared" in refused("harvest_source_clear", id=source)
        Session.remove()
    finally:
        go_on.set()
        clearing.join(60)
    assert not failures
    Session.remove()
    assert Session.query(HarvestJob).filter_by(source_id=source).count() == 0
    assert figures(portal.run(source)) == {"added": 3}


def test_a_run_that_is_being_made_at_that_moment_comes_first(portal: Portal, source: str) -> None:
    """Its job is in an open transaction, so it is not visible yet."""
    with model.meta.engine.connect() as other, other.begin():
        other.execute(database.SHARED, {"key": database.CLEARING, "of": source})
        assert "being started" in refused("harvest_source_clear", id=source)
    assert is_whole(source, jobs=1)
    assert act("harvest_source_clear", id=source)["deleted"] == 3


def test_approved_deletions_count_as_a_run(portal: Portal, source: str) -> None:
    Session.add(HarvestJob(source_id=source, status="Running"))
    Session.flush()
    job = Session.query(HarvestJob).filter_by(source_id=source, status="Running").one()
    Session.add(JobReport(job_id=job.id, source_id=source, mode=RunMode.APPROVAL))
    Session.commit()
    assert refused("harvest_source_clear", id=source).startswith(SENTENCE)
    assert Session.query(HarvestObject).filter_by(current=True).count() == 3
    work_off()
