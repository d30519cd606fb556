"""Records with documents of their own are read again only if their document changed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections.abc import Callable

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.records import Copy, RawRecord, Source
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.gather import gather_stage
from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.patches import polling
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.ckan.harvest.folders import FOLDER, Folder, Killed, address, guid
from tests.ckan.harvesting import Portal, act, figures

pytestmark = pytest.mark.in_process


@pytest.fixture
def source(portal: Portal, folder: Folder) -> str:
    source_id = portal.source(FOLDER)
    assert figures(portal.run(source_id)) == {"added": 5}
    return source_id


def copied(folder: Folder) -> list[int]:
    """Return the numbers of the files that the last read did not have to read."""
    copies = folder.told[-1].copies
    return sorted(int(url.rpartition("/")[2]) for url, copy in copies.items() if copy.etag)


def knows_them(folder: Folder) -> bool:
    """Tell whether the last read got each file's record, and no stamps."""
    return folder.told[-1].copies == {address(n): Copy(guid(n)) for n in range(5)}


def row(number: int) -> Record:
    model.Session.remove()
    return model.Session.query(Record).filter_by(guid=guid(number)).one()


def test_only_changed_files_are_read(portal: Portal, folder: Folder, source: str) -> None:
    assert folder.told[0].copies == {}
    assert folder.read == [0, 1, 2, 3, 4]
    for _ in range(2):
        assert figures(portal.run(source)) == {"not modified": 5}
        assert folder.read == [], "unchanged files are not read"
        assert folder.told[-1].copies == {
            address(number): Copy(guid(number), etag="1") for number in range(5)
        }
    folder.files[1] = ("2", {"title": "Renamed"})
    folder.files[2] = ("2", {})
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 4}
    assert folder.read == [1, 2]
    # Only the import writes stamps: a file with a new date and old content keeps the old one.
    assert (row(1).etag, row(2).etag) == ("2", "1")
    assert figures(portal.run(source)) == {"not modified": 5}
    assert folder.read == [2]


def test_a_file_that_is_gone_goes_as_ever(portal: Portal, folder: Folder, source: str) -> None:
    del folder.files[4]
    assert figures(portal.run(source)) == {"not modified": 4, "missing": 1}
    assert figures(portal.run(source)) == {"not modified": 4, "deleted": 1}
    folder.files[4] = ("1", {})
    assert figures(portal.run(source)) == {"not modified": 4, "updated": 1}
    assert folder.read == [4]


def test_forced_runs_and_other_options_read_all_files(
    portal: Portal, folder: Folder, source: str
) -> None:
    assert figures(portal.run(source, force=True)) == {"updated": 5}
    assert folder.read == [0, 1, 2, 3, 4]
    assert knows_them(folder), "a forced run"
    act("harvest_source_patch", id=source, config=json.dumps({"default_tags": ["open"]}))
    assert figures(portal.run(source)) == {"updated": 5}
    assert knows_them(folder), "other options"
    elsewhere = factories.Organization()["id"]
    act("harvest_source_patch", id=source, owner_org=elsewhere)
    assert figures(portal.run(source)) == {"updated": 5}
    assert {each["owner_org"] for each in portal.datasets()} == {elsewhere}
    assert figures(portal.run(source)) == {"not modified": 5}
    assert folder.read == []


def test_run_of_one_record_gets_no_stamps(portal: Portal, folder: Folder, source: str) -> None:
    job_id = portal.create_job(source)
    job = HarvestJob.get(job_id)
    job.status, job.only_guid = "Running", guid(3)
    job.save()
    [object_id] = queue.get_harvester("data_json").gather_stage(job)
    portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 1}
    assert knows_them(folder)


def test_records_without_their_dataset_are_read_again(
    portal: Portal, folder: Folder, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.files[2] = ("2", {"title": ""})
    for read in ([2], []):  # what failed for its content is read once
        assert figures(portal.run(source)) == {"not modified": 4, "errored": 1}
        assert folder.read == read
    assert copied(folder) == [0, 1, 2, 3, 4]
    folder.files[2] = ("1", {})
    portal.run(source, force=True)

    def refuse(ids: list[str], _values: object) -> dict[str, str]:
        return dict.fromkeys(ids, "a field is too long")

    folder.files[3] = ("2", {"title": "Renamed"})
    with monkeypatch.context() as patch:
        patch.setattr(compat, "index_packages", refuse)
        assert figures(portal.run(source)) == {"not modified": 4, "errored": 1}
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 4}, "Solr had refused it"
    act("dataset_purge", id=row(4).package_id)
    assert figures(portal.run(source)) == {"added": 1, "not modified": 4}
    assert folder.read == [4], "its dataset was purged"


def test_records_without_a_dataset_on_purpose_are_not_read(
    portal: Portal, folder: Folder, source: str
) -> None:
    act("package_delete", id=row(2).package_id)
    assert figures(portal.run(source)) == {"not modified": 5}
    assert folder.read == [], "a person deleted it"
    folder.files[5] = ("1", {"accessLevel": "non-public"})
    assert figures(portal.run(source)) == {"not modified": 6}
    assert figures(portal.run(source)) == {"not modified": 6}
    assert folder.read == [], "it was skipped"


def test_a_file_of_two_records_is_always_read(portal: Portal, folder: Folder, source: str) -> None:
    folder.files[4], folder.second = ("2", {}), {4: 7}
    assert figures(portal.run(source)) == {"added": 1, "not modified": 5}
    for _ in range(2):
        assert figures(portal.run(source)) == {"not modified": 6}
        assert folder.read == [4]


def test_a_file_whose_identifier_changed(portal: Portal, folder: Folder, source: str) -> None:
    folder.files[4] = ("2", {"identifier": guid(9)})
    monkey = folder.fetch

    def fetch(source_: Source, raw: RawRecord) -> RawRecord:
        read = monkey(source_, raw)
        return dataclasses.replace(read, guid=json.loads(read.content or "")["identifier"])

    folder.fetch = fetch  # type: ignore[method-assign]
    assert figures(portal.run(source)) == {"added": 1, "not modified": 4, "missing": 1}
    assert figures(portal.run(source)) == {"not modified": 5, "deleted": 1}
    assert folder.read == [4]  # two rows have its address
    portal.run(source)
    assert copied(folder) == [0, 1, 2, 3, 4]
    assert folder.told[-1].copies[address(4)].guid == guid(9)


def test_a_record_called_unchanged_without_a_copy_is_fetched(
    portal: Portal, folder: Folder, source: str
) -> None:
    act("harvest_source_patch", id=source, config=json.dumps({"default_tags": ["open"]}))
    folder.believes_all = True
    assert figures(portal.run(source)) == {"updated": 5}
    assert folder.read == [0, 1, 2, 3, 4]
    assert row(2).etag == "1"


def test_a_killed_gather_goes_on_with_copies(
    portal: Portal, folder: Folder, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather_stage, "BATCH", 2)
    folder.files[1] = ("2", {"title": "Renamed"})
    folder.breaks = 3
    job_id = portal.create_job(source)
    with pytest.raises(Killed):
        portal.gather(job_id)
    model.Session.remove()
    report = model.Session.query(JobReport).filter_by(job_id=job_id).one()
    sweeper._recover(HarvestJob.get(job_id), report)
    model.Session.remove()
    for object_id in portal.gather(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 1, "not modified": 4}
    assert folder.told[-1].resume == "1"
    assert folder.read == [1] or folder.read == []
    assert len(folder.told[-1].copies) == 5


@pytest.fixture
def listed_source(portal: Portal, folder: Folder) -> str:
    folder.is_listing = True
    source_id = portal.source(FOLDER)
    assert figures(portal.run(source_id)) == {"added": 5}
    return source_id


def test_listed_records_are_fetched_when_their_stamp_changed(
    portal: Portal, folder: Folder, listed_source: str
) -> None:
    folder.files[1] = ("2", {"title": "Renamed"})
    assert figures(portal.run(listed_source)) == {"updated": 1, "not modified": 4}
    assert folder.read == [1]


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "100")
def test_records_of_a_batch_use_several_connections(
    portal: Portal, folder: Folder, listed_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, two = folder.fetch, threading.Barrier(2, timeout=300)

    def fetch(source: Source, raw: RawRecord) -> RawRecord:
        two.wait()
        return real(source, raw)

    for number in range(4):
        folder.files[number] = ("2", {"title": f"Renamed {number}"})
    job_id = portal.create_job(listed_source)
    first, *_others = portal.gather(job_id)
    monkeypatch.setattr(folder, "fetch", fetch)
    with Heart("fetch") as heart, polling.use_heart(heart):
        portal.deliver(first)
    assert figures(portal.finish(job_id)) == {"updated": 4, "not modified": 1}


def _other_options(_patch: pytest.MonkeyPatch, source_id: str) -> str:
    """Return how the records' imports end."""
    act("harvest_source_patch", id=source_id, config=json.dumps({"default_tags": ["open"]}))
    return "updated"


def _other_parser(patch: pytest.MonkeyPatch, _source_id: str) -> str:
    """Return how the records' imports end: this version reads them as the one before."""
    patch.setattr(DATA_JSON.parser, "VERSION", 999)
    return "not modified"


def _other_organisation(_patch: pytest.MonkeyPatch, source_id: str) -> str:
    """Return how the records' imports end."""
    act("harvest_source_patch", id=source_id, owner_org=factories.Organization()["id"])
    return "updated"


@pytest.mark.parametrize("change", [_other_options, _other_organisation, _other_parser])
def test_listed_records_are_fetched_when_the_rules_changed(
    portal: Portal,
    folder: Folder,
    listed_source: str,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[pytest.MonkeyPatch, str], str],
) -> None:
    outcome = change(monkeypatch, listed_source)
    assert figures(portal.run(listed_source)) == {outcome: 5}
    assert sorted(folder.read) == [0, 1, 2, 3, 4]
    assert figures(portal.run(listed_source)) == {"not modified": 5}
    assert folder.read == []


@pytest.mark.parametrize("in_batches", [False, True])
def test_change_after_listing_is_fetched_once(
    portal: Portal, folder: Folder, listed_source: str, *, in_batches: bool
) -> None:
    folder.files[1] = ("2", {"title": "Renamed"})
    job_id = portal.create_job(listed_source)
    [object_id] = portal.gather(job_id)
    folder.files[1] = ("3", {"title": "Renamed again"})
    with contextlib.ExitStack() as consumer:
        if in_batches:
            heart = consumer.enter_context(Heart("fetch"))
            consumer.enter_context(polling.use_heart(heart))
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 1, "not modified": 4}
    assert row(1).last_modified == "3"
    assert figures(portal.run(listed_source)) == {"not modified": 5}
