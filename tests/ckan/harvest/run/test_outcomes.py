"""What runs did with records is stored, and every action and page reads the same."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectError

from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.run import outcomes
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, tick, work_off
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Session = model.Session


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH))


def listed(**scope: str) -> dict[str, str]:
    """Return the end of the identifier of each record → its outcome in a list of records."""
    found = call_action("ukharvest_record_list", **scope)
    assert sum(found["listed"].values()) - found["listed"].get("problems", 0) == found["count"]
    return {each["guid"][-1]: each["outcome"] for each in found["results"]}


def shown(source_id: str, number: int) -> dict[str, Any]:
    found = call_action("ukharvest_record_list", source_id=source_id, q=f"/{number:05}")
    return dict(call_action("ukharvest_record_show", id=found["results"][0]["record_id"]))


def test_failed_and_then_missing_record_is_missing_everywhere(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    datasets = [dataset(number) for number in range(4)]
    publisher.serve(PATH, catalogue([*datasets[:3], {**datasets[3], "title": " "}]))
    failed = portal.run(source)["id"]
    assert listed(source_id=source)["3"] == shown(source, 3)["outcome"] == "lost"
    publisher.serve(PATH, catalogue(3))
    last = portal.run(source)["id"]
    assert listed(source_id=source)["3"] == shown(source, 3)["outcome"] == "missing"
    assert listed(job_id=last)["3"] == "missing"
    assert listed(job_id=failed)["3"] == "lost"
    assert call_action("ukharvest_problem_group_list", source_id=source) == []
    assert call_action("ukharvest_problem_list", source_id=source)["count"] == 0
    name = call_action("package_show", id=shown(source, 3)["dataset"]["id"])["name"]
    assert call_action("ukharvest_dataset_show", id=name)["state"] == "missing"
    assert call_action("ukharvest_run_show", id=failed)["counts"]["lost"] == 1
    assert call_action("ukharvest_run_show", id=last)["counts"]["missing"] == 1


_OBJECTS = sa.text(
    """
    SELECT count(*) FILTER (WHERE report_status = 'added') AS added,
           count(*) FILTER (WHERE report_status = 'updated') AS updated,
           count(*) FILTER (WHERE report_status = 'deleted') AS deleted,
           count(*) FILTER (WHERE report_status = 'errored') AS lost
      FROM harvest_object WHERE harvest_job_id = :job_id
    """
)
_UNSTORED = sa.text(
    "SELECT count(*) FROM harvest_object AS object LEFT JOIN ukharvest_outcome AS row"
    " ON row.object_id = object.id WHERE row.id IS NULL"
)


def assert_stored(job_id: str) -> dict[str, int]:
    """Check that a run's stored figures are those of its harvest objects; return them."""
    Session.remove()
    (figures,) = Session.execute(sa.select(JobReport.figures).filter_by(job_id=job_id)).one()
    objects = dict(Session.execute(_OBJECTS, {"job_id": job_id}).mappings().one())
    assert {key: figures[key] for key in objects} == objects
    assert Session.scalar(_UNSTORED) == 0
    shown = call_action("ukharvest_run_show", id=job_id)["counts"]
    assert shown.items() <= figures.items()
    return {key: number for key, number in figures.items() if number}


@pytest.mark.parametrize("consumers", ["one by one", "in batches"])
def test_figures_are_stored_when_a_run_ends(
    portal: Portal, publisher: Publisher, source: str, consumers: str
) -> None:
    def run() -> str:
        if consumers == "one by one":
            return str(portal.run(source)["id"])
        job_id = str(act("ukharvest_run_create", source_id=source)["id"])
        work_off()
        tick()
        return job_id

    datasets = [dataset(number) for number in range(6)]
    publisher.serve(PATH, catalogue([*datasets[:5], {**datasets[5], "title": ""}, datasets[0]]))
    first = run()
    lost = {"lost": 2, "errored": 2}
    assert assert_stored(first) == {"added": 5, **lost}
    publisher.serve(PATH, catalogue([{**datasets[0], "description": "New"}, *datasets[1:4]]))
    assert assert_stored(run()) == {"updated": 1, "unchanged": 3, "missing": 1}
    last = run()
    assert assert_stored(last) == {"unchanged": 4, "deleted": 1}
    assert listed(job_id=first) == dict(zip("01234", ["added"] * 5, strict=True)) | {"5": "lost"}
    assert listed(job_id=last)["4"] == "deleted"
    Session.execute(sa.update(JobReport).values(figures=sa.null()))
    Session.commit()
    assert outcomes.store_left() == 3
    Session.commit()
    assert assert_stored(first) == {"added": 5, **lost}


def test_later_import_changes_the_figures_of_an_ended_run(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    job_id = portal.run(source)["id"]
    (object_id, *_others) = portal.objects(job_id)
    import_stage.fail_object(object_id, RecordError("It is too large"), "Import")
    assert assert_stored(job_id) == {"added": 3, "lost": 1, "errored": 1}
    assert call_action("harvest_job_show", id=job_id)["ukharvest"]["outcome"] == "errors"


def test_run_of_another_harvester_is_stored_when_it_ends(portal: Portal, source: str) -> None:
    job = HarvestJob(source_id=source, status="Running")
    Session.add(job)
    Session.flush()
    for status in ("added", "errored"):
        obj = HarvestObject(guid=f"guid-{status}", job=job, source=job.source, state="COMPLETE")
        obj.report_status = status
        Session.add(obj)
        for text in ("No title", "No date"):
            Session.add(HarvestObjectError(object=obj, message=f"{text}: {status}"))
    Session.commit()
    job_id = job.id
    assert call_action("ukharvest_run_show", id=job_id)["counts"]["lost"] == 1
    before = call_action("ukharvest_problem_list", job_id=job_id)
    assert before["count"] == 4
    HarvestJob.get(job_id).status = "Finished"
    Session.commit()
    assert assert_stored(job_id) == {"added": 1, "lost": 1, "errored": 2}
    assert call_action("ukharvest_problem_list", job_id=job_id) == before
    assert call_action("ukharvest_run_show", id=job_id)["outcome"] == "errors"
