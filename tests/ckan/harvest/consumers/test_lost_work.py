"""Work of processes that died, in every state of harvest objects and jobs: nothing stays open."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import doctor
from ckanext.ukharvest.harvest.model import Claim, JobReport, Record, Worker, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue
from tests.ckan.harvest.sweeping import PATH, Move, gathered, on_queue, state
from tests.ckan.harvesting import Consumers, Portal, act, figures, one_by_one, tick, work_off
from tests.ckan.processes import Process
from tests.publisher import Publisher

Session = model.Session
pytestmark = pytest.mark.in_process

# Those of ckanext-harvest and ours, and what no release of either writes.
STATES = ("GATHERED", "WAITING", "FETCH", "IMPORT", "NEW", "ERROR", "COMPLETE", "", None)
ENDED = ("ERROR", "COMPLETE", None)  # ckanext-harvest closes jobs of such objects
DIED = ("gather", "fetch", "fetch with claim", "command", "nobody")
STATUSES = ("Finished", "Aborted", "Aborting")
OPEN = tuple(each for each in STATES if each not in ENDED)
CHECKS = ("jobs", "claims", "leftovers")


def crossed(states: Sequence[str | None], others: Sequence[str]) -> list[Any]:
    """Return all pairs; bin/test has each state and each other once, bin/test --all the rest."""
    return [
        pytest.param(
            in_state, other, marks=() if number % len(others) == place else pytest.mark.giant
        )
        for number, in_state in enumerate(states)
        for place, other in enumerate(others)
    ]


def leave(object_id: str, in_state: str | None) -> None:
    """Leave an object in a state, as a process does that is killed now."""
    obj = HarvestObject.get(object_id)
    obj.state = in_state
    if in_state in ("FETCH", "IMPORT"):
        obj.fetch_started = obj.gathered
    Session.commit()


def begin(kind: str, busy_with: str, claimed: str = "") -> None:
    """Let a process of this kind live, and work."""
    if kind != "nobody":
        Session.add(Worker(id="w", kind=kind, busy_with=busy_with, busy_since=utcnow()))
    if claimed:
        Session.add(Claim(harvest_object_id=claimed, worker_id="w"))
    Session.commit()


def beat(seconds: float) -> None:
    """Let the process have a heartbeat that many seconds from now."""
    then = utcnow() + dt.timedelta(seconds=seconds)
    Session.query(Worker).update({"heartbeat": then, "busy_since": then})
    Session.commit()


def complaints() -> set[str]:
    Session.remove()
    return {each.code for each in doctor.examine(CHECKS) if each.level in ("warning", "error")}


def sweep_until_closed(job_id: str, move: Move) -> None:
    for _ in range(5):
        tick()
        if HarvestJob.get(job_id).status == "Finished":
            return
        work_off()
        move(61)
    pytest.fail("the run has not ended")


def assert_nothing_is_left(portal: Portal, source: str, job_id: str) -> None:
    """The run has ended, nothing is missing, and the next run has each record once."""
    states = {row[0] for row in Session.query(HarvestObject.state).distinct()}
    assert states <= {"COMPLETE", "ERROR", None}
    assert complaints() == set()
    again = figures(portal.run(source))
    assert not {"missing", "deleted", "errored"} & set(again)
    assert len(portal.datasets()) == 3
    assert {row.missed_runs for row in Session.query(Record)} == {0}


@one_by_one
@pytest.mark.parametrize(("in_state", "died"), crossed(STATES, DIED))
def test_a_run_ends_whoever_died_in_whatever_state(
    portal: Portal, source: str, move: Move, in_state: str | None, died: str
) -> None:
    job_id, (first, *_others) = gathered(portal, source)
    leave(first, in_state)
    is_fetch = died.startswith("fetch")
    begin(died.split()[0], first if is_fetch else job_id, first if "claim" in died else "")
    if died != "nobody":
        move(61)
        beat(60)
        sweeper.sweep()  # whoever lives keeps his work
        if in_state not in (*ENDED, "WAITING", "GATHERED") or not is_fetch:
            assert state(first)[0] in (in_state, "ERROR")
    queue.purge_queues()
    move(300)
    if in_state not in ENDED:
        assert "jobs" in complaints()
    sweep_until_closed(job_id, move)
    assert_nothing_is_left(portal, source, job_id)


@one_by_one
@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("died", ["gather", "command", "nobody"])
def test_a_gather_that_died_is_done_again(
    portal: Portal, source: str, move: Move, died: str, is_marked: bool
) -> None:
    """Also if ckanext-harvest has noted its end, as a second gather of the job makes it do."""
    job_id, (first, *_others) = gathered(portal, source)
    Session.query(JobReport).update({"outcome": "", "finished": None})
    Session.query(HarvestObject).update({"state": "GATHERED"})
    if not is_marked:
        HarvestJob.get(job_id).gather_finished = None
    begin(died, job_id)
    if died != "nobody":
        move(61)
        beat(60)
        sweeper.sweep()
        assert (state(first)[0], on_queue("gather")) == ("GATHERED", [])
    move(300)
    assert "jobs" in complaints()
    sweep_until_closed(job_id, move)
    assert figures(portal.job(job_id)) == {"added": 3}
    assert_nothing_is_left(portal, source, job_id)


@one_by_one
@pytest.mark.parametrize(("in_state", "status"), crossed(OPEN, STATUSES))
def test_an_ended_run_leaves_no_object_open(
    portal: Portal, source: str, move: Move, in_state: str, status: str
) -> None:
    job_id, (first, *_others) = gathered(portal, source)
    leave(first, in_state)
    HarvestJob.get(job_id).status = status
    Session.commit()
    move(61)
    assert "leftovers" in complaints()
    tick()
    queue.purge_queues()
    assert_nothing_is_left(portal, source, job_id)


@one_by_one
@pytest.mark.parametrize("in_state", STATES)
def test_stop_ends_a_run_in_whatever_state(
    portal: Portal, source: str, move: Move, in_state: str | None
) -> None:
    job_id, (first, *_others) = gathered(portal, source)
    HarvestObject.get(first).gathered -= dt.timedelta(seconds=61)
    leave(first, in_state)
    move(61)
    assert act("harvest_job_abort", id=job_id)["status"] == "Finished"
    assert Session.query(JobReport).one().outcome == "stopped"
    tick()
    assert_nothing_is_left(portal, source, job_id)


@one_by_one
def test_a_run_is_read_by_one_process_at_a_time(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    """A message that is delivered twice, or to a job that a command runs."""
    job_id = act("ukharvest_run_create", source_id=source)["id"]
    begin("command", job_id)
    work_off()
    assert publisher.requests == []
    assert HarvestJob.get(job_id).gather_finished is None
    Session.query(Worker).delete()
    Session.commit()
    act("harvest_send_job_to_gather_queue", id=job_id)
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 3}


def test_run_test_beside_live_consumers_ends(
    portal: Portal, publisher: Publisher, source: str, ini: str
) -> None:
    publisher.serve(PATH, catalogue(60))
    with Consumers(ini) as consumers:
        process = Process(["-c", ini, "harvester", "run-test", "source-1"])
        assert process.wait(120) == 0
        (job,) = Session.query(HarvestJob).all()
        consumers.wait(job.id, 60)
    job_id = job.id
    assert figures(portal.finish(job_id)) == {"added": 60}
    assert portal.job(job_id)["status"] == "Finished"
    assert Session.query(HarvestObject).count() == 60
    assert len(portal.datasets()) == 60
    assert complaints() == set()
