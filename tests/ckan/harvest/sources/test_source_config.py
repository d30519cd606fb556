"""Sync state between runs: interface, changes only, and where a killed gather resumes."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Generator, Mapping
from typing import Any

import pytest
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.errors import RecordError, Unreachable
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.harvest.gather import gather_stage, objects
from ckanext.ukharvest.harvest.model import JobReport, Record, SourceState
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.harvest.sources import source_config
from ckanext.ukharvest.harvesters import plugins
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal, act, figures

pytestmark = pytest.mark.in_process

FULL_CHECK = Option("full_check_days", "integer", 7, "Days between full reads.")


class Killed(BaseException):
    """Stands for the end of the process."""


class Played:
    """A reader whose publisher is a dict of numbers → fields, and which can read changes.

    Attributes:
        told: the source that each read got.
        changed: numbers that a read of changes returns.
        mark: what the next read starts from; "" if changes cannot be read.
        breaks: number before which the read ends with this.
    """

    def __init__(self, count: int) -> None:
        self.records_: dict[int, Mapping[str, Any]] = {n: {} for n in range(count)}
        self.told: list[Source] = []
        self.changed: list[int] = []
        self.mark = "mark 1"
        self.interface = "second"
        self.breaks: dict[int, BaseException] = {}
        self.lost: set[int] = set()
        self.deleted: set[int] = set()
        self.complete = True

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        self.told.append(source)
        wanted = self.changed if source.since else list(self.records_)
        behind = int(source.resume) if source.resume else -1
        for number in wanted:
            if number <= behind:
                continue
            if number in self.breaks:
                raise self.breaks.pop(number)
            yield self._record(number)
        return Ending(
            complete=self.complete,
            interface=self.interface,
            changes_only=bool(source.since),
            mark=self.mark,
        )

    def _record(self, number: int) -> RawRecord:
        if number in self.lost:
            return RawRecord("", error=RecordError(f"record {number} is lost"))
        if number in self.deleted:
            return RawRecord(dataset(number)["identifier"], deleted=True)
        data = dataset(number, **self.records_[number])
        url = self.told[-1].url
        return RawRecord(data["identifier"], json.dumps(data), url=url, resume=str(number))

    def fetch(self, _source: Source, raw: RawRecord) -> RawRecord:
        return raw


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    reader = Played(6)
    kind = dataclasses.replace(DATA_JSON, reader=reader, options=(*DATA_JSON.options, FULL_CHECK))
    monkeypatch.setattr(plugins.ukharvest_data_json, "source_type", kind)
    return reader


@pytest.fixture
def source(portal: Portal, played: Played) -> str:
    return portal.source("http://played.example/api")


def age_full_read(source_id: str, days: int) -> None:
    """Make the last full read so many days older."""
    state = model.Session.get(SourceState, source_id)
    kept = dict(state.sync_state)
    earlier = dt.datetime.fromisoformat(kept["full_read"]) - dt.timedelta(days=days)
    state.sync_state = {**kept, "full_read": earlier.isoformat()}
    model.Session.commit()


def missed_runs(source_id: str) -> list[int]:
    query = model.Session.query(Record.missed_runs).filter_by(source_id=source_id)
    return [row[0] for row in query.order_by(Record.guid)]


def test_last_working_api_is_passed_to_the_next_run(
    portal: Portal, played: Played, source: str
) -> None:
    portal.run(source)
    assert played.told[0].interface == ""
    played.interface = "third"
    played.breaks[0] = Unreachable("gone")
    age_full_read(source, 8)
    portal.run(source)
    portal.run(source)
    assert [each.interface for each in played.told[1:]] == ["second", "second"]
    portal.run(source)
    assert played.told[-1].interface == "third"


def test_second_run_reads_changes_only(portal: Portal, played: Played, source: str) -> None:
    assert figures(portal.run(source)) == {"added": 6}
    played.records_[2] = {"title": "Renamed"}
    played.records_[6] = {}
    played.changed = [2, 3, 6]
    played.mark = "mark 2"
    job = portal.run(source)
    assert played.told[-1].since == "mark 1"
    assert figures(job) == {"added": 1, "updated": 1, "not modified": 1}
    report = job["ukharvest"]
    assert (report["outcome"], report["complete"]) == ("finished", False)
    assert "only what changed since mark 1 was asked for: 4 other datasets" in report["reason"]
    assert report["counts"]["not_asked"] == 4
    assert len(portal.datasets()) == 7
    portal.run(source)
    assert played.told[-1].since == "mark 2"


@pytest.mark.parametrize("is_said", [True, False])
def test_failed_record_that_is_gone_does_not_fail_again(
    portal: Portal, played: Played, source: str, *, is_said: bool
) -> None:
    """The source says that it deleted it, or does not list it any more."""
    played.records_[2] = {"title": ""}
    assert figures(portal.run(source)) == {"added": 5, "errored": 1}
    for numbers in ({"not modified": 5}, {}):  # after a failure all is read
        assert figures(portal.run(source)) == {"errored": 1, **numbers}
    if is_said:
        played.changed, played.deleted = [2], {2}
    else:
        age_full_read(source, 8)
        del played.records_[2]
    for _ in range(2):
        assert "errored" not in figures(portal.run(source))
    played.changed, played.deleted, played.records_[2] = [2], set(), {}
    assert figures(portal.run(source)) == {"added": 1}


def test_incremental_run_leaves_missing_records(
    portal: Portal, played: Played, source: str
) -> None:
    portal.run(source)
    del played.records_[5]
    age_full_read(source, 8)
    assert figures(portal.run(source)) == {"not modified": 5, "missing": 1}
    for _ in range(3):
        assert figures(portal.run(source)) == {}
        assert missed_runs(source) == [0, 0, 0, 0, 0, 1]
    age_full_read(source, 8)
    assert figures(portal.run(source)) == {"not modified": 5, "deleted": 1}


def test_all_is_read_again_after_so_many_days(portal: Portal, played: Played, source: str) -> None:
    portal.run(source)
    for days, since in ((6, "mark 1"), (1, ""), (8, "")):
        age_full_read(source, days)  # a run of changes does not put the full read off
        portal.run(source)
        assert played.told[-1].since == since, days


def test_a_type_without_the_option_asks_for_changes_for_ever(
    portal: Portal, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = dataclasses.replace(DATA_JSON, reader=played)
    monkeypatch.setattr(plugins.ukharvest_data_json, "source_type", kind)
    source = portal.source("http://played.example/api")
    portal.run(source)
    age_full_read(source, 1000)
    portal.run(source)
    assert played.told[-1].since == "mark 1"


def test_changed_sources_and_forced_runs_read_all(
    portal: Portal, played: Played, source: str
) -> None:
    def told_in_next_run() -> tuple[str, str]:
        portal.run(source)
        return played.told[-1].interface, played.told[-1].since

    portal.run(source)
    assert told_in_next_run() == ("second", "mark 1")
    act("harvest_source_patch", id=source, url="http://played.example/other")
    assert told_in_next_run() == ("", ""), "another URL is probed anew"
    act("harvest_source_patch", id=source, config=json.dumps({"default_tags": ["open"]}))
    assert told_in_next_run()[1] == "", "other options"
    assert figures(portal.run(source, force=True)) == {"updated": 6}
    assert played.told[-1].since == "", "a forced run"
    act("dataset_purge", id=portal.datasets()[0]["id"])
    assert figures(portal.run(source)) == {"added": 1, "not modified": 5}, "a purged dataset"
    act("harvest_source_patch", id=source, config=json.dumps({"full_check_days": 0}))
    assert [told_in_next_run()[1] for _ in range(2)] == ["", ""], "0 days"


@pytest.mark.parametrize("fault", ["nameless", "errored"])
def test_failed_record_is_requested_again(
    portal: Portal, played: Played, source: str, fault: str
) -> None:
    if fault == "nameless":
        played.lost.add(3)
    else:
        played.records_[3] = {"title": ""}
    assert figures(portal.run(source)) == {"added": 5, "errored": 1}
    played.records_[3] = {}
    played.lost.clear()
    assert figures(portal.run(source)) == {"added": 1, "not modified": 5}
    assert played.told[-1].since == ""
    portal.run(source)
    assert played.told[-1].since == "mark 1"


def test_failure_in_incremental_run_is_requested_again(
    portal: Portal, played: Played, source: str
) -> None:
    portal.run(source)
    played.records_[3], played.changed, played.mark = {"title": ""}, [3], "mark 2"
    assert figures(portal.run(source)) == {"errored": 1}
    played.records_[3] = {"title": "Mended"}
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 5}
    assert [each.since for each in played.told] == ["", "mark 1", ""]


def test_failed_and_incomplete_reads_move_no_mark(
    portal: Portal, played: Played, source: str
) -> None:
    played.complete = False
    portal.run(source)
    played.complete = True
    portal.run(source)
    played.changed, played.mark, played.breaks[1] = [1], "mark 2", Unreachable("gone")
    assert portal.run(source)["ukharvest"]["outcome"] == "failed"
    portal.run(source)
    assert [each.since for each in played.told] == ["", "", "mark 1", "mark 1"]


def killed(portal: Portal, source: str, played: Played, at: int) -> str:
    """Return a job whose gather was killed before a record, as the sweeper finds it."""
    job_id = portal.create_job(source)
    played.breaks[at] = Killed()
    with pytest.raises(Killed):
        portal.gather(job_id)
    model.Session.remove()
    job = HarvestJob.get(job_id)
    sweeper._recover(job, model.Session.query(JobReport).filter_by(job_id=job_id).one())
    model.Session.remove()
    return job_id


def go_on(portal: Portal, job_id: str) -> dict[str, Any]:
    ids = portal.gather(job_id)
    assert sorted(ids) == sorted(portal.waiting(job_id))
    for object_id in ids:
        portal.deliver(object_id)
    return portal.finish(job_id)


@pytest.fixture
def batches_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather_stage, "BATCH", 2)


@pytest.mark.usefixtures("batches_of_two")
def test_a_killed_gather_goes_on_behind_its_last_batch(
    portal: Portal, played: Played, source: str
) -> None:
    job_id = killed(portal, source, played, at=5)
    staged = model.Session.query(HarvestObject).filter_by(harvest_job_id=job_id)
    kept = {each.id for each in staged}
    assert len(kept) == 4
    assert figures(go_on(portal, job_id)) == {"added": 6}
    assert played.told[-1].resume == "3"
    assert kept < {each.id for each in staged}
    assert model.Session.get(SourceState, source).resume is None


@pytest.mark.usefixtures("batches_of_two")
def test_record_read_before_a_break_is_not_missing(
    portal: Portal, played: Played, source: str
) -> None:
    portal.run(source)
    age_full_read(source, 8)
    played.records_[1] = {"title": "Renamed"}
    del played.records_[5]
    job_id = killed(portal, source, played, at=4)
    assert figures(go_on(portal, job_id)) == {"updated": 1, "not modified": 4, "missing": 1}
    assert played.told[-1].resume == "3"
    assert missed_runs(source) == [0, 0, 0, 0, 0, 1]


@pytest.mark.usefixtures("batches_of_two")
def test_a_read_of_changes_goes_on_as_one(portal: Portal, played: Played, source: str) -> None:
    portal.run(source)
    for number in (0, 1, 2, 3):
        played.records_[number] = {"title": f"Renamed {number}"}
    played.changed = [0, 1, 2, 3]
    job_id = killed(portal, source, played, at=3)
    age_full_read(source, 8)
    assert figures(go_on(portal, job_id)) == {"updated": 4}
    assert (played.told[-1].since, played.told[-1].resume) == ("mark 1", "1")


@pytest.mark.usefixtures("batches_of_two")
def test_restarted_reader_stages_nothing_twice(
    portal: Portal, played: Played, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = killed(portal, source, played, at=5)
    recall = source_config.load_resume_point
    monkeypatch.setattr(
        source_config,
        "load_resume_point",
        lambda *args: dataclasses.replace(recall(*args), resume=""),
    )
    assert figures(go_on(portal, job_id)) == {"added": 6}


@pytest.mark.usefixtures("batches_of_two")
def test_record_failed_before_a_break_keeps_deletions_off(
    portal: Portal, played: Played, source: str
) -> None:
    portal.run(source)
    age_full_read(source, 8)
    played.lost.add(0)
    job_id = killed(portal, source, played, at=4)
    job = go_on(portal, job_id)
    assert figures(job) == {"not modified": 5, "errored": 1}
    assert not job["ukharvest"]["complete"]


@pytest.mark.usefixtures("batches_of_two")
def test_changed_options_start_the_read_again(portal: Portal, played: Played, source: str) -> None:
    job_id = killed(portal, source, played, at=5)
    act("harvest_source_patch", id=source, config=json.dumps({"default_tags": ["open"]}))
    assert figures(go_on(portal, job_id)) == {"added": 6}
    assert played.told[-1].resume == ""


@pytest.mark.usefixtures("batches_of_two")
def test_a_run_that_fails_leaves_nothing_staged_and_no_point(
    portal: Portal, played: Played, source: str
) -> None:
    played.breaks[5] = Unreachable("gone")
    job = portal.run(source)
    assert job["ukharvest"]["outcome"] == "failed"
    assert objects.list_staged(job["id"]) == []
    assert model.Session.get(SourceState, source).resume is None


def test_without_a_point_a_killed_gather_starts_again(
    portal: Portal, played: Played, source: str
) -> None:
    job_id = killed(portal, source, played, at=5)
    assert figures(go_on(portal, job_id)) == {"added": 6}
    assert played.told[-1].resume == ""
