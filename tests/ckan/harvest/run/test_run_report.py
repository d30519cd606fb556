"""The row of a run: which problems are fixed since the last time, and which are new."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.model import Record, RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.logins import member
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.engine]

PATH = "/data.json"
FINE: tuple[dict[str, Any], ...] = ({}, {}, {}, {})


def serve(publisher: Publisher, *fields: dict[str, Any]) -> None:
    datasets = [dataset(number, **each) for number, each in enumerate(fields)]
    publisher.serve(PATH, catalogue(datasets))


def test_a_run_counts_problems_that_are_fixed_and_new(
    portal: Portal, publisher: Publisher, organization: dict[str, str], app: CKANTestApp
) -> None:
    editor = member(organization, "editor")
    faults = {"modified": "soon"}, {"issued": "late"}, {"title": ""}

    def progress() -> dict[str, int]:
        job_id = portal.run(source)["id"]
        run = act("ukharvest_run_show", id=job_id)
        return {key: number for key, number in run["progress"].items() if number}

    serve(publisher, *faults, {})
    source = portal.source(publisher.url(PATH), name="somewhere")
    assert progress() == {}, "nothing was here before"
    serve(publisher, {}, {"issued": "late", "modified": "soon"}, {"title": ""}, {})
    assert progress() == {"fixed": 1, "new": 1}
    page = app.get("/harvest/somewhere", headers=editor).body
    assert "Since last time: 1 problem fixed, 1 new problem" in page
    assert progress() == {}
    serve(publisher, *FINE[:3], {"title": ""})
    assert progress() == {"fixed": 3, "new": 1}, "a record that failed is fixed, another failed"
    page = app.get("/harvest/somewhere/job/last", headers=editor).body
    assert "Since last time: 3 problems fixed, 1 new problem" in page
    serve(publisher, *FINE[:3], {"title": ""}, {"issued": "late"}, {"title": ""})
    assert progress() == {"new": 2}, "of records that are new"
    good = dataset(0)["distribution"][0]
    bad = {**good, "downloadURL": "table.csv"}
    serve(publisher, {"distribution": [bad, bad]})
    assert progress()["new"] == 2
    serve(publisher, {"distribution": [good, bad, bad]})
    assert progress() == {}, "a file came before others"


def test_what_other_rules_find_is_counted_apart(portal: Portal, publisher: Publisher) -> None:
    serve(publisher, *FINE)
    source = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source)
    rows = model.Session.query(Record)
    rows.update({"fingerprint": "older", "import_rules_hash": "older"})
    model.Session.add(RecordProblem(record_id=rows.first().id, code="bad-date", message="soon"))
    model.Session.commit()
    run = act("ukharvest_run_show", id=portal.run(source)["id"])
    assert run["progress"] == {"fixed_by_rules": 1, "new_by_rules": 0}
    assert "Because rules changed: 1 problem fixed" in run["text"]
