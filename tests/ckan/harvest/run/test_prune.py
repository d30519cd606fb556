"""Pruning: tables become small, without effect on the portal and its next runs."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import (
    HarvestGatherError,
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
    HarvestObjectExtra,
)

from ckanext.ukharvest import config
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.consumers import lost_work
from ckanext.ukharvest.harvest.model import JobReport, RecordProblem, SourceState
from ckanext.ukharvest.harvest.run import prune, sweeper
from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH))


@pytest.fixture
def harvested(ready_source: SourceMaker) -> str:
    """A source with four datasets, after one run."""
    return ready_source(PATH, catalogue(4))


def prune_all(keep_runs: int = 1, **kwargs: Any) -> prune.Pruned:
    pruned = prune.prune_all(config.our_type_names(), keep_runs=keep_runs, **kwargs)
    model.Session.remove()
    return pruned


def count(table: Any, **conditions: Any) -> int:
    return int(model.Session.query(table).filter_by(**conditions).count())


def change_all(portal: Portal, publisher: Publisher, source: str, text: str) -> dict[str, Any]:
    datasets = [dataset(number, description=text) for number in range(4)]
    publisher.serve(PATH, catalogue(datasets))
    return portal.run(source)


def addresses(portal: Portal) -> list[tuple[str, str, list[str]]]:
    return [
        (each["id"], each["name"], [resource["id"] for resource in each["resources"]])
        for each in portal.datasets()
    ]


def test_only_current_objects_and_the_last_runs_stay(
    portal: Portal, publisher: Publisher, harvested: str, ready_source: SourceMaker
) -> None:
    first = ready_source.job_id
    second = change_all(portal, publisher, harvested, "Two.")["id"]
    third = change_all(portal, publisher, harvested, "Three.")["id"]
    assert prune_all(keep_runs=2) == prune.Pruned(objects=4, gather_errors=0, jobs=1)
    assert count(HarvestObject) == count(HarvestObject, current=True) + 4 == 8
    assert {job.id for job in model.Session.query(HarvestJob)} == {second, third}
    assert {row.job_id for row in model.Session.query(JobReport)} == {second, third}
    assert count(HarvestObjectExtra, key="status") == 8
    assert first not in {row.harvest_job_id for row in model.Session.query(HarvestObject)}


def test_after_pruning_the_next_runs_do_the_same(
    portal: Portal, publisher: Publisher, harvested: str
) -> None:
    change_all(portal, publisher, harvested, "Two.")
    before = addresses(portal)
    prune_all()
    assert figures(change_all(portal, publisher, harvested, "Two.")) == {"not modified": 4}
    prune_all()
    assert figures(change_all(portal, publisher, harvested, "Three.")) == {"updated": 4}
    prune_all()
    assert addresses(portal) == before
    publisher.serve(PATH, catalogue([dataset(n, description="Three.") for n in range(3)]))
    assert figures(portal.run(harvested)) == {"not modified": 3, "missing": 1}
    prune_all()
    assert figures(portal.run(harvested)) == {"not modified": 3, "deleted": 1}
    prune_all()
    assert figures(portal.run(harvested)) == {"not modified": 3}
    prune_all()
    change_all(portal, publisher, harvested, "Three.")  # the fourth comes back
    assert addresses(portal) == before
    assert count(HarvestObject, current=True) == 4


def test_a_run_keeps_its_figures_when_its_objects_are_gone(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    datasets = [dataset(number) for number in range(4)]
    datasets[3]["title"] = ""
    publisher.serve(PATH, catalogue(datasets))
    job = portal.run(source)
    expected = {"added": 3, "errored": 1}
    assert figures(job) == expected
    # One dataset stays the same, so that the first run keeps a current object.
    datasets[1]["description"] = datasets[2]["description"] = "Changed."
    publisher.serve(PATH, catalogue(datasets))
    portal.run(source)
    prune_all()
    assert count(HarvestObject, harvest_job_id=job["id"]) == 1
    after = portal.job(job["id"])
    assert figures(after) == expected
    assert "frozen" not in after["ukharvest"]["counts"]
    prune_all()  # and again: saved figures are not counted twice
    assert figures(portal.job(job["id"])) == expected
    listed = call_action("harvest_job_list", source_id=source)
    assert [figures(each) for each in listed if each["id"] == job["id"]] == [expected]


def test_the_errors_of_the_last_runs_stay_and_older_ones_go(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, b"<html>", headers={"Content-Type": "text/html"})
    portal.run(source)
    publisher.serve(PATH, catalogue([dataset(1, title=""), dataset(2)]))
    failed = portal.run(source)["id"]
    assert count(HarvestGatherError) == 1
    assert prune_all() == prune.Pruned(objects=0, gather_errors=1, jobs=1)
    assert count(HarvestGatherError) == 0
    assert count(HarvestObjectError) == 1
    assert figures(portal.job(failed)) == {"added": 1, "errored": 1}

    # Since when it fails, and the last good run, are not forgotten.
    publisher.serve(PATH, b"<html>", headers={"Content-Type": "text/html"})
    runs = [portal.run(source)["id"] for _ in range(3)]
    before = source_status.load_statuses([source])[source]
    assert prune_all() == prune.Pruned(objects=0, gather_errors=1, jobs=1)
    assert {job.id for job in model.Session.query(HarvestJob)} == {failed, runs[0], runs[2]}
    after = source_status.load_statuses([source])[source]
    assert (after.since, after.good_id) == (before.since, before.good_id)


def test_the_last_run_that_found_records_stays(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(2))
    good = portal.run(source)["id"]
    publisher.serve(PATH, catalogue(0))
    for _ in range(3):
        portal.run(source)
    prune_all()
    assert source_status.load_statuses([source])[source].good_id == good


def test_a_runs_own_problems_go_with_it(portal: Portal, publisher: Publisher, source: str) -> None:
    for text in ("one", "two", "three"):
        faulty = [dataset(number, description=text, modified="soon") for number in range(4)]
        publisher.serve(PATH, catalogue(faulty))
        last = portal.run(source)["id"]
    assert count(RecordProblem) == 12
    prune_all(keep_runs=2)
    assert (count(RecordProblem), count(RecordProblem, current=True)) == (8, 4)
    prune_all(keep_runs=1)
    assert count(RecordProblem) == count(RecordProblem, current=True, job_id=last) == 4
    runs = call_action("ukharvest_run_list", source=source)["results"]
    assert [run["counts"]["with_problems"] for run in runs] == [4] * len(runs)


def test_prune_keeps_unfinished_runs(portal: Portal, publisher: Publisher, source: str) -> None:
    waiting = portal.create_job(source)
    portal.gather(waiting)
    old = HarvestJob.get(waiting)
    old.status = "Finished"  # an ended job with waiting objects, which the sweeper handles
    model.Session.commit()
    portal.run(source)
    running = portal.create_job(source)
    portal.gather(running)
    prune_all()
    assert count(HarvestObject, harvest_job_id=waiting, state="WAITING") == 4
    assert HarvestJob.get(running).status == "Running"


def test_the_run_that_a_documents_validator_rests_on_stays(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(4), etag='"one"')
    first = portal.run(source)["id"]
    portal.run(source)
    last = portal.run(source)["id"]
    state = model.Session.get(SourceState, source)
    assert state.sync_state["job_id"] == first
    assert prune_all() == prune.Pruned(jobs=1)
    assert {job.id for job in model.Session.query(HarvestJob)} == {first, last}


def test_other_types_and_other_sources_are_left_alone(
    portal: Portal, publisher: Publisher, harvested: str
) -> None:
    change_all(portal, publisher, harvested, "Two.")
    other = portal.source(publisher.url("/other.json"))
    assert prune_all(source_id=other) == prune.Pruned()
    assert prune.prune_all({"gemini-csw"}, keep_runs=1) == prune.Pruned()
    assert count(HarvestObject) == 8


def test_a_tick_takes_only_so_much_and_goes_in_batches(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "BATCH", 3)
    monkeypatch.setattr(prune, "JOBS", 1)
    for number in range(4):
        change_all(portal, publisher, source, f"Number {number}.")
    assert prune_all(max_objects=4).objects == 4
    assert count(HarvestObject) == 12
    assert prune_all().objects == 8
    assert count(HarvestObject) == count(HarvestObject, current=True) == 4


def test_tick_prunes_hourly_and_continues_a_long_prune(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        change_all(portal, publisher, source, f"Number {number}.")
    assert sweeper.prune_old_runs in sweeper.STEPS
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.PRUNE_NOTE).delete()
    model.Session.commit()
    monkeypatch.setattr(config, "prune_keep_runs", lambda: 1)
    monkeypatch.setattr(prune, "OBJECTS_A_TICK", 8)
    monkeypatch.setattr(prune, "JOBS", 1)
    words = "harvest objects, 0 gather errors and"
    assert sweeper.prune_old_runs() == [f"Pruned 8 {words} 2 jobs of older runs"]
    assert sweeper.prune_old_runs() == [f"Pruned 4 {words} 1 jobs of older runs"]
    monkeypatch.setattr(config, "prune_keep_runs", lambda: 20)
    change_all(portal, publisher, source, "Within the hour.")
    monkeypatch.setattr(config, "prune_keep_runs", lambda: 1)
    assert sweeper.prune_old_runs() == []
    monkeypatch.setattr(lost_work, "PAUSE", datetime.timedelta(0))
    assert sweeper.prune_old_runs() == [f"Pruned 4 {words} 1 jobs of older runs"]


def test_the_command_says_what_would_go_and_what_went(
    portal: Portal, publisher: Publisher, harvested: str, cli: Any
) -> None:
    change_all(portal, publisher, harvested, "Two.")
    words = ["prune", "--keep-runs", "1", "--source", "source-1"]
    would = cli.invoke(ukharvest, [*words, "--dry-run"])
    assert would.output.startswith("Would remove 4 harvest objects, 0 gather errors and 1 job;")
    assert count(HarvestObject) == 8
    done = cli.invoke(ukharvest, words)
    assert done.output.startswith("Removed 4 harvest objects, 0 gather errors and 1 job;")
    wrong = cli.invoke(ukharvest, ["prune", "--source", "nobody"])
    assert wrong.exit_code == 2
    assert "ckan ukharvest sources" in wrong.output


def test_the_command_as_a_process(ckan: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    assert "Removed 0 harvest objects" in ckan("ukharvest", "prune").stdout
