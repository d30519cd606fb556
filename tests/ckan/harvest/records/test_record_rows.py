"""A record that failed for its content is not imported again until it or a rule changes."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvest.model import Outcome, Record
from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


def records(*last: dict[str, Any], **fields: Any) -> Any:
    """Return a catalogue of two good records and one whose title is missing, or another."""
    return catalogue([dataset(0), dataset(1), *(last or [dataset(2, title="", **fields)])])


def objects() -> int:
    model.Session.remove()
    return int(model.Session.query(HarvestObject).count())


@pytest.fixture
def failing(portal: Portal, publisher: Publisher) -> str:
    """A source that was harvested: one of its three records has no title."""
    publisher.serve(PATH, records())
    source_id = portal.source(publisher.url(PATH))
    assert figures(portal.run(source_id)) == {"added": 2, "errored": 1}
    return source_id


def listed(**of: str) -> list[tuple[str, str]]:
    """Return outcome and first message of the failed records of a run or source."""
    answer = call_action("ukharvest_record_list", outcome="lost", **of)
    return [(row["outcome"], row["problems"][0]["message"]) for row in answer["results"]]


def test_second_night_counts_a_failed_record_without_import(portal: Portal, failing: str) -> None:
    before = objects(), model.Session.query(Outcome).count()
    [(_lost, message)] = listed(source_id=failing)
    for _night in range(2):
        job = portal.run(failing)
        assert figures(job) == {"not modified": 2, "errored": 1}
        assert job["ukharvest"]["outcome"] == "errors"
        assert (objects(), model.Session.query(Outcome).count()) == before
        assert listed(job_id=job["id"]) == listed(source_id=failing) == [("lost", message)]
        shown = call_action("ukharvest_record_list", job_id=job["id"])
        assert shown["listed"] == {"lost": 1, "unchanged": 2}
        groups = call_action("ukharvest_problem_group_list", job_id=job["id"])
        assert [group["records"] for group in groups] == [1]
    row = model.Session.query(Record).filter_by(outcome="errored").one()
    shown = call_action("ukharvest_record_show", id=row.id)
    assert shown["error"]["message"] == message
    assert "stamp" not in shown["error"]
    assert call_action("ukharvest_source_show", source_id=failing)["badge"]["value"] == "errors"


def test_changed_record_is_imported_after_it_failed(
    portal: Portal, publisher: Publisher, failing: str
) -> None:
    portal.run(failing)
    publisher.serve(PATH, records(description="Still without a title."))
    before = objects()
    assert figures(portal.run(failing)) == {"not modified": 2, "errored": 1}
    assert objects() == before + 1
    publisher.serve(PATH, records(dataset(2)))
    assert figures(portal.run(failing)) == {"not modified": 2, "added": 1}
    assert listed(source_id=failing) == []


def test_record_that_is_good_again_writes_no_dataset(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, records(dataset(2)))
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    [good] = [found for found in portal.datasets() if found["title"] == "Dataset 00002"]
    publisher.serve(PATH, records())
    for _night in range(2):
        assert figures(portal.run(source_id)) == {"not modified": 2, "errored": 1}
    publisher.serve(PATH, records(dataset(2)))
    assert figures(portal.run(source_id)) == {"not modified": 3}
    assert good in portal.datasets()
    row = model.Session.query(Record).filter_by(package_id=good["id"]).one()
    assert row.error is None
    assert figures(portal.run(source_id)) == {"not modified": 3}


@pytest.mark.parametrize("by", ["force", "rules", "record", "url"])
def test_failed_record_is_tried_again(
    by: str, portal: Portal, publisher: Publisher, failing: str
) -> None:
    portal.run(failing)
    before = objects()
    if by == "force":
        portal.run(failing, force=True)
    elif by == "rules":
        act("harvest_source_patch", id=failing, config='{"default_tags": ["new"]}')
        portal.run(failing)
    elif by == "url":
        publisher.serve("/new.json", records())
        act("harvest_source_patch", id=failing, url=publisher.url("/new.json"))
        portal.run(failing)
    else:
        row = model.Session.query(Record).filter_by(outcome="errored").one()
        job_id = act("ukharvest_run_create", record_id=row.id)["id"]
        portal.gather(job_id)
        for object_id in portal.waiting(job_id):
            portal.deliver(object_id)
        assert figures(portal.finish(job_id))["errored"] == 1
    assert objects() > before
    kinds = model.Session.query(HarvestObject.report_status).filter_by(report_status="errored")
    assert kinds.count() == 2


def test_failure_of_a_hook_is_tried_again(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Any, _context: Any, _pkg_dict: dict[str, Any]) -> None:
        raise tk.ValidationError({"title": ["not this one"]})

    publisher.serve(PATH, catalogue(1))
    source_id = portal.source(publisher.url(PATH))
    with monkeypatch.context() as patch:
        patch.setattr(UkharvestPlugin, "after_dataset_create", refuse)
        for number in (1, 2):
            assert figures(portal.run(source_id)) == {"errored": 1}
            assert objects() == number
    assert figures(portal.run(source_id)) == {"added": 1}
