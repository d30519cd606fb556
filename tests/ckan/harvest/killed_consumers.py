"""Processes that are killed: at a statement of a batch or of an action, or an hour ago."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest.consumers.workers import FETCH, Heart
from ckanext.ukharvest.harvest.model import Claim, Worker
from ckanext.ukharvest.patches import polling
from tests.ckan.harvesting import Portal, act

Session = model.Session


def start_run(source_id: str) -> str:
    """Return a run that waits for the consumers."""
    return str(act("ukharvest_run_create", source_id=source_id, mode="normal")["id"])


def gather_run(portal: Portal, source_id: str, number: int) -> str:
    """Return a run of which so many records wait for a fetch consumer."""
    job_id = portal.create_job(source_id)
    portal.gather(job_id)
    job = HarvestJob.get(job_id)
    job.gather_finished = job.gather_started
    job.save()
    assert len(portal.waiting(job_id)) == number
    return job_id


def consume() -> None:
    """Import what waits, as a fetch consumer does."""
    while polling.look(FETCH):
        pass


def killed_at(number: int, work: Callable[[], object] = consume) -> bool:
    """Work in a child that is killed before this statement; False if it has fewer."""
    Session.remove()
    model.meta.engine.dispose()
    child = os.fork()
    if not child:
        try:
            _work_until(number, work)
        finally:
            os._exit(0)
    _pid, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _work_until(number: int, work: Callable[[], object]) -> None:
    counted = itertools.count(1)

    def count(*_args: Any) -> None:
        if next(counted) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    with Heart("fetch", interval=3600) as heart, polling.use_heart(heart):
        sa.event.listen(model.meta.engine, "before_cursor_execute", count)
        sa.event.listen(model.meta.engine, "commit", count)
        work()


def give_back() -> None:
    """Do what the sweeper does a minute later."""
    Session.query(Claim).delete()
    Session.execute(sa.text("UPDATE harvest_object SET state = 'WAITING' WHERE state = 'FETCH'"))
    Session.execute(sa.text("DELETE FROM ukharvest_worker"))
    Session.commit()


def an_hour_later() -> None:
    """Make the work of consumers that are gone an hour old."""
    Session.query(Worker).delete()
    started = (HarvestObject.fetch_started, HarvestObject.import_started)
    earlier = {each: each - timedelta(hours=1) for each in started}
    Session.query(HarvestObject).update(earlier, synchronize_session=False)
    Session.commit()
