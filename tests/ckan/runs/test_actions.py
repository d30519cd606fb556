"""One run and its records, by the actions."""

from __future__ import annotations

from typing import Any

import pytest
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.faulty_runs import faulty
from tests.ckan.harvesting import Portal
from tests.ckan.logins import sysadmin
from tests.ckan.runs.faulty_run import PATH, codes, lines
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def untitled(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return groups or problems without titles of records: one can have got its title since."""
    without = {"record_title": None, "dataset_name": None}
    return [
        {**each, **without, "examples": [{**one, "title": ""} for one in each.get("examples", ())]}
        for each in found
    ]


def problems_by_record(records: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(each["guid"], each["outcome"]): each["problems"] for each in records["results"]}


def test_a_run_in_figures(run: str) -> None:
    shown = call_action("ukharvest_run_show", id=run)
    counts = {key: number for key, number in shown["counts"].items() if number}
    assert counts == {"added": 4, "lost": 2, "with_problems": 2}
    assert shown["outcome"] == "errors"
    assert (shown["seen"], shown["complete"], shown["is_last"]) == (6, True, True)
    assert shown["seconds"] >= 0


def test_run_keeps_what_it_saw_after_a_mend(portal: Portal, publisher: Publisher, run: str) -> None:
    source = HarvestJob.get(run).source_id
    asked = ("ukharvest_problem_group_list", "ukharvest_problem_list", "ukharvest_record_list")
    before = [call_action(action, job_id=run) for action in asked]
    counts = call_action("ukharvest_run_show", id=run)["counts"]
    mended = [dataset(number) for number in range(4)]
    publisher.serve(PATH, catalogue([*mended, faulty()[4]]))
    second = portal.run(source)["id"]
    assert codes(call_action("ukharvest_problem_group_list", source_id=source)) == {
        "bad-email": ("problem", 1),
        "bad-date": ("problem", 1),
    }
    assert call_action("ukharvest_problem_group_list", job_id=second) == []
    groups, problems, records = [call_action(action, job_id=run) for action in asked]
    assert untitled(groups) == untitled(before[0])
    assert untitled(problems["results"]) == untitled(before[1]["results"])
    assert problems_by_record(records) == problems_by_record(before[2])
    shown = call_action("ukharvest_run_show", id=run)
    assert (shown["is_last"], shown["counts"]) == (False, counts)


def test_a_run_keeps_what_it_rejected_records_for(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue([dataset(0, title="")]))
    source = portal.source(publisher.url(PATH))
    first = portal.run(source)["id"]
    publisher.serve(PATH, catalogue([dataset(0, modified="last year", title="")]))
    second = portal.run(source)["id"]
    publisher.serve(PATH, catalogue([dataset(0)]))
    portal.run(source)
    for run in (first, second):
        [group] = call_action("ukharvest_problem_group_list", job_id=run)
        assert (group["code"], group["severity"], group["records"]) == ("missing-title", "lost", 1)
        assert group["tip"]


def test_records_of_a_run(portal: Portal, publisher: Publisher, run: str) -> None:
    source = HarvestJob.get(run).source_id
    listed = call_action("ukharvest_record_list", job_id=run)
    assert listed["listed"] == {"lost": 2, "added": 4, "problems": 2}
    assert [each["outcome"] for each in listed["results"]] == ["lost"] * 2 + ["added"] * 4
    lost = listed["results"][0]
    assert lost["problems"][0]["severity"] == "lost"
    assert lost["dataset_name"] is None or lost["guid"].endswith("00004")

    def titles(**asked: Any) -> list[str]:
        found = call_action("ukharvest_record_list", job_id=run, **asked)
        return [each["title"] for each in found["results"]]

    assert titles(outcome="problems") == ["Dataset 00003", "Dataset 00004"]
    assert titles(code="bad-date") == ["Dataset 00004"]
    assert titles(q="00001") == ["Dataset 00001"]
    assert titles(q="100%") == []
    assert titles(outcome="added", limit=2, offset=1) == ["Dataset 00001", "Dataset 00003"]
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="New"), dataset(2)]))
    second = portal.run(source)["id"]
    again = call_action("ukharvest_record_list", job_id=second)
    assert again["listed"] == {"added": 1, "updated": 1, "unchanged": 1, "missing": 2}
    counts = call_action("ukharvest_run_show", id=second)["counts"]
    assert {key: counts[key] for key in again["listed"]} == again["listed"]
    # The records that the first run was the last to see count as imported, whatever came later.
    assert call_action("ukharvest_record_list", job_id=run)["listed"]["added"] == 4
    of_source = call_action("ukharvest_record_list", source_id=source)
    assert of_source["listed"] == {"added": 1, "updated": 1, "unchanged": 1, "missing": 2}


def test_a_run_that_failed(portal: Portal, publisher: Publisher, source: str, app: Any) -> None:
    publisher.serve(PATH, "<html><body>Down</body></html>")
    failed = portal.run(source)["id"]
    (group,) = call_action("ukharvest_problem_group_list", job_id=failed)
    assert (group["severity"], group["code"], group["records"]) == ("stop", "html-page", 0)
    assert group["tip"]
    assert call_action("ukharvest_problem_group_list", source_id=source)[0] == group
    body = app.get(f"/harvest/somewhere/job/{failed}", headers=sysadmin()).body
    assert group["examples"][0]["message"].splitlines()[0] in body
    assert "Nothing was imported, and nothing was deleted." in body
    rows = lines(app.get("/harvest/somewhere/problems.csv", headers=sysadmin()).body)
    assert rows[0]["outcome"] == "stop"
