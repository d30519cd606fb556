"""The night after an upgrade: records that come out as before need no harvest object."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ckan import model

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.harvest.gather import gather_stage
from ckanext.ukharvest.harvest.model import Record, RecordProblem
from ckanext.ukharvest.readers.rdf.graph import RdfGraph
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import SOURCES, Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
TREES = SOURCES.parent / "parsers" / "dcat" / "documents" / "dcat_ap_3.ttl"


@pytest.fixture
def source_id(portal: Portal, ready_source: SourceMaker) -> str:
    """A source whose five datasets were harvested."""
    id_ = ready_source(PATH, catalogue(5))
    assert figures(portal.job(ready_source.job_id)) == {"added": 5}
    return id_


class Upgrade:
    """A new version of the parser, which may read datasets differently.

    Attributes:
        changed: title → attributes of the record that come out differently.
        failing: titles of datasets that it cannot read.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.changed: dict[str, dict[str, Any]] = {}
        self.failing: set[str] = set()
        self._real = DATA_JSON.parser.parse
        patch.setattr(DATA_JSON.parser, "parse", self._parse)
        patch.setattr(DATA_JSON.parser, "VERSION", 999)

    def _parse(self, raw: Any, options: Any) -> Any:
        record = self._real(raw, options)
        if record.title in self.failing:
            raise ParseError("title: this version does not like it")
        return dataclasses.replace(record, **self.changed.get(record.title, {}))


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch, source_id: str) -> Upgrade:
    assert source_id
    return Upgrade(monkeypatch)


def rows() -> list[Record]:
    model.Session.remove()
    return list(model.Session.query(Record).order_by(Record.guid))


@pytest.mark.parametrize("size", [500, 2])
def test_records_that_come_out_as_before_need_no_harvest_object(
    size: int, portal: Portal, source_id: str, upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert upgrade
    monkeypatch.setattr(gather_stage, "BATCH", size)
    before = portal.datasets()
    stamps = [(row.fingerprint, row.import_rules_hash) for row in rows()]
    job = portal.run(source_id)
    assert figures(job) == {"not modified": 5}
    assert portal.objects(job["id"]) == []
    assert portal.datasets() == before
    after = rows()
    assert not {(row.fingerprint, row.import_rules_hash) for row in after} & set(stamps)
    assert {row.last_seen_job_id for row in after} == {job["id"]}
    assert figures(portal.run(source_id)) == {"not modified": 5}


def test_only_those_that_come_out_differently_are_imported(
    portal: Portal, publisher: Publisher, source_id: str, upgrade: Upgrade
) -> None:
    upgrade.changed["Dataset 00001"] = {"notes": "A better description"}
    renamed = [dataset(2, title="Renamed"), *(dataset(number) for number in (0, 1, 3, 4))]
    publisher.serve(PATH, catalogue(renamed))
    job = portal.run(source_id)
    assert figures(job) == {"updated": 2, "not modified": 3}
    assert len(portal.objects(job["id"])) == 2
    notes = {each["title"]: each["notes"] for each in portal.datasets()}
    assert notes["Dataset 00001"] == "A better description"
    assert "Renamed" in notes


def test_the_problems_that_the_new_version_finds_are_stored(
    portal: Portal, source_id: str, upgrade: Upgrade
) -> None:
    found = Problem("odd", "title", "title: it could be better")
    upgrade.changed["Dataset 00003"] = {"problems": (found,)}
    job = portal.run(source_id)
    assert portal.objects(job["id"]) == []
    [stored] = model.Session.query(RecordProblem).filter_by(current=True, code="odd")
    assert stored.message == "title: it could be better"
    assert stored.job_id == job["id"]


def test_a_persons_edit_stays(portal: Portal, source_id: str, upgrade: Upgrade) -> None:
    assert upgrade
    edited = portal.datasets()[0]
    act("package_patch", id=edited["id"], notes="A person wrote this")
    assert figures(portal.run(source_id)) == {"not modified": 5}
    assert portal.datasets()[0]["notes"] == "A person wrote this"


def test_record_unreadable_by_new_rules_keeps_its_dataset(
    portal: Portal, source_id: str, upgrade: Upgrade
) -> None:
    upgrade.failing.add("Dataset 00000")
    job = portal.run(source_id)
    assert figures(job) == {"errored": 1, "not modified": 4}
    assert "does not like it" in job["object_error_summary"][0]["message"]
    assert len(portal.datasets()) == 5


def test_a_full_run_imports_all(portal: Portal, source_id: str, upgrade: Upgrade) -> None:
    assert upgrade
    assert figures(portal.run(source_id, force=True)) == {"updated": 5}


def test_record_without_package_hash_is_imported(
    portal: Portal, source_id: str, upgrade: Upgrade
) -> None:
    assert upgrade
    model.Session.query(Record).update({"package_hash": "", "written": None})
    model.Session.commit()
    assert figures(portal.run(source_id)) == {"not modified": 5}, "it says the same"
    assert model.Session.query(Record).filter(Record.written.isnot(None)).count() == 5


def names(datasets: dict[str, Any]) -> dict[str, str]:
    return {id_: each["name"] for id_, each in datasets.items()}


def urls_of_files(datasets: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {
        id_: {file["id"]: file["url"] for file in each["resources"]}
        for id_, each in datasets.items()
    }


@pytest.mark.usefixtures("with_request_context")
def test_services_that_join_a_record_change_no_identity(
    portal: Portal, publisher: Publisher, mail_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Before, what names a dataset was no part of its record: services, and members of a series.
    publisher.serve("/trees.ttl", TREES.read_text(encoding="utf-8"))
    with monkeypatch.context() as older:
        older.setattr(RdfGraph, "_inverse", lambda *_: [])
        source_id = portal.source(publisher.url("/trees.ttl"), "dcat_rdf")
        portal.run(source_id)
    events = ["failed", "recovered", "held"]
    act(
        "ukharvest_mail_update", source_id=source_id, addresses=["a@anytown.example"], events=events
    )
    before = {each["id"]: each for each in portal.datasets()}
    mail_server.clear_smtp_messages()
    assert figures(portal.run(source_id)) == {"updated": 2, "not modified": 1}
    after = {each["id"]: each for each in portal.datasets()}
    assert names(after) == names(before)
    for id_, urls in urls_of_files(before).items():
        assert urls.items() <= urls_of_files(after)[id_].items()
    added = [len(each["resources"]) - len(before[id_]["resources"]) for id_, each in after.items()]
    assert sorted(added) == [0, 0, 1]
    assert mail_server.get_smtp_messages() == []
    assert figures(portal.run(source_id)) == {"not modified": 3}
