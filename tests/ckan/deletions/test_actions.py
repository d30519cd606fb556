"""Pending deletions: listed, approved, or dropped because their records came back."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest.batch.dataset_writer import DatasetWriter
from ckanext.ukharvest.harvest.model import Pending
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.deletions.pending_lists import PATH, approve, pending_titles
from tests.ckan.harvesting import Portal, figures
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]

AT_ONCE = pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")


@AT_ONCE
def test_small_sources_are_guarded_too(portal: Portal, publisher: Publisher) -> None:
    """One source that shrinks; tests/core/test_deletions.py has the table of all sizes."""
    publisher.serve(PATH, catalogue(10))
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    before = 10
    for after, outcome in (
        (1, "held"),
        (10, "unchanged"),  # what is held stays held until it comes back
        (5, "finished"),
        (4, "finished"),
        (3, "finished"),
        (1, "held"),
        (3, "unchanged"),
        (2, "finished"),
        (1, "finished"),
        (0, "empty"),
    ):
        publisher.serve(PATH, catalogue(after))
        step = f"{before} datasets, {after} records"
        assert portal.run(source_id)["ukharvest"]["outcome"] == outcome, step
        waits = before - after if outcome == "held" else 0
        assert len(pending_titles(source_id)) == waits, step
        if after and not waits:
            before = after
        assert len(portal.datasets()) == before, step


@AT_ONCE
def test_a_fifth_of_a_source_goes_at_once_and_a_quarter_waits(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve(PATH, catalogue(60))
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    publisher.serve(PATH, catalogue(48))
    assert figures(portal.run(source_id)) == {"not modified": 48, "deleted": 12}
    publisher.serve(PATH, catalogue(36))
    assert figures(portal.run(source_id)) == {"not modified": 36, "missing": 12}
    assert len(pending_titles(source_id)) == 12


def test_held_deletions_wait_until_a_person_decides(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    """New records make them a smaller share; a full run does not decide either."""
    for size in (24, 30):
        publisher.serve(PATH, catalogue([dataset(n) for n in (*range(4), *range(10, size))]))
        job = portal.run(pending_source, force=size == 30)
        assert job["ukharvest"]["outcome"] == "held"
        assert len(pending_titles(pending_source)) == 6
        assert len(portal.datasets()) == size
    assert "6 deletions of an earlier run still to be approved" in job["ukharvest"]["reason"]
    # One that is due later goes at once.
    publisher.serve(PATH, catalogue([dataset(n) for n in (*range(4), *range(11, 30))]))
    portal.run(pending_source)
    assert figures(portal.run(pending_source))["deleted"] == 1
    assert approve(pending_source)["deleted"] == 6


def test_a_list_says_what_waits_why_and_since_when(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    answer = call_action("ukharvest_pending_list", source_id=pending_source)
    assert "6 of 10" in answer["reason"]
    first = answer["results"][0]
    assert first["title"] == "Dataset 00004"
    assert first["dataset_name"] == "dataset-00004"
    assert first["guid"] == "https://data.example/id/00004"
    assert model.Package.get(first["dataset_id"]).title == "Dataset 00004"
    assert first["missed_runs"] == 2
    assert first["last_seen"] <= answer["since"]  # both in whole seconds
    portal.run(pending_source)
    again = call_action("ukharvest_pending_list", source_id=pending_source)
    assert again["since"] == answer["since"]
    assert again["job_id"] != answer["job_id"]


def test_approved_deletions_are_made_once_as_listed(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    expected = pending_titles(pending_source)
    done = approve(pending_source)
    assert (done["deleted"], done["left"]) == (6, 0)
    assert expected == [f"Dataset {n:05}" for n in range(4, 10)]
    assert [each["title"] for each in portal.datasets()] == [f"Dataset {n:05}" for n in range(4)]
    assert len(portal.search_names()) == 4
    job = portal.job(done["job_id"])
    assert job["status"] == "Finished"
    assert figures(job) == {"deleted": 6}
    assert "approved 6 deletions" in job["ukharvest"]["reason"]
    zero = ("datasets", "deleted", "kept", "refused", "left")
    nothing = {**dict.fromkeys(zero, 0), "job_id": None}
    assert approve(pending_source) == nothing
    assert pending_titles(pending_source) == []
    status = call_action("harvest_source_show_status", id=pending_source)
    shown = status["total_datasets"], status["last_job"]["stats"]["deleted"]
    assert shown == (4, 6), "the source's page counts what is left"
    assert figures(portal.run(pending_source)) == {"not modified": 4}
    publisher.serve(PATH, catalogue(10))
    assert figures(portal.run(pending_source)) == {"not modified": 4, "updated": 6}


def test_the_list_vanishes_when_the_records_come_back(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    publisher.serve(PATH, catalogue(10))
    assert figures(portal.run(pending_source)) == {"not modified": 10}
    assert pending_titles(pending_source) == []
    assert not model.Session.query(Pending).count()
    assert approve(pending_source)["deleted"] == 0
    assert len(portal.datasets()) == 10


def test_returned_records_are_not_deleted_on_approval(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    # The run that sees two of them again is not complete: it proves nothing about the others.
    nameless = dataset(11)
    del nameless["identifier"]
    publisher.serve(PATH, catalogue([*(dataset(n) for n in range(6)), nameless]))
    assert not portal.run(pending_source)["ukharvest"]["complete"]
    assert pending_titles(pending_source) == [f"Dataset {n:05}" for n in range(6, 10)]
    done = approve(pending_source)
    assert (done["deleted"], done["left"]) == (4, 2)
    assert len(portal.datasets()) == 6


def test_dataset_deleted_by_a_person_leaves_the_list(portal: Portal, pending_source: str) -> None:
    call_action("package_delete", {"ignore_auth": True}, id="dataset-00009")
    assert len(pending_titles(pending_source)) == 5
    assert approve(pending_source)["deleted"] == 5


def test_a_failed_forced_or_smaller_run_deletes_nothing_held(
    portal: Portal, publisher: Publisher, pending_source: str
) -> None:
    publisher.fail(PATH, status=500, times=10)
    assert portal.run(pending_source)["ukharvest"]["outcome"] == "failed"
    assert len(pending_titles(pending_source)) == 6, "a failed run leaves the list"
    publisher.recover()
    job = portal.run(pending_source, force=True)
    assert job["ukharvest"]["outcome"] == "held", "a forced run does not override the guard"
    assert figures(job) == {"updated": 4, "missing": 6}
    assert len(portal.datasets()) == 10
    publisher.serve(PATH, catalogue(7))
    assert figures(portal.run(pending_source)) == {"not modified": 7, "missing": 3}
    assert len(pending_titles(pending_source)) == 3


def test_nothing_is_approved_while_the_source_is_being_read(
    portal: Portal, pending_source: str
) -> None:
    job = HarvestJob.get(portal.create_job(pending_source))
    job.status = "Running"
    job.save()
    with pytest.raises(tk.ValidationError, match="has not ended"):
        approve(pending_source)
    assert len(pending_titles(pending_source)) == 6


def test_killed_approval_is_finished_by_consumers(
    portal: Portal, pending_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock, calls = DatasetWriter.delete, []

    def dies(self: Any, package_id: str) -> None:
        calls.append(package_id)
        if len(calls) == 3:
            raise KeyboardInterrupt
        stock(self, package_id)

    monkeypatch.setattr(DatasetWriter, "delete", dies)
    with pytest.raises(KeyboardInterrupt):
        approve(pending_source)
    monkeypatch.undo()
    model.Session.rollback()
    query = model.Session.query(HarvestObject.harvest_job_id)
    job_id = query.filter_by(package_id=calls[-1], state="WAITING").scalar()
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"deleted": 6}
    assert len(portal.datasets()) == 4


@AT_ONCE
@pytest.mark.parametrize(("decision", "left"), [("approve", 3), ("keep", 4)])
def test_dataset_that_is_a_showcase_now_is_a_question(
    portal: Portal, publisher: Publisher, decision: str, left: int
) -> None:
    site = RemoteSite([package(number) for number in range(4)])
    publisher.routes = site  # type: ignore[assignment]
    source_id = portal.source(publisher.base, "ckan", config={"full_check_days": 0})
    assert figures(portal.run(source_id)) == {"added": 4}
    site.packages[1:] = [package(1, type="showcase"), *map(package, (2, 3))]
    new = package(9, type="showcase")
    for packages in (site.packages, [*site.packages, new], site.packages):
        site.packages = packages
        job = portal.run(source_id)
        assert job["ukharvest"]["outcome"] == "held"
        assert "1 record is of a type that is no dataset" in job["ukharvest"]["reason"]
        assert pending_titles(source_id) == ["Remote 1"]
        assert len(portal.datasets()) == 4
    approve(source_id, decision)
    assert len(portal.datasets()) == left
    portal.run(source_id)
    assert pending_titles(source_id) == []
    assert len(portal.datasets()) == left
