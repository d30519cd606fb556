"""A consumer that is killed at any statement leaves each record as before, or wholly done."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.killed_consumers import gather_run, give_back, killed_at
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.giant,
    pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1"),
]

PATH = "/data.json"
Session = model.Session
STABLE = 8
FACTS = {
    "datasets": "SELECT id, title, state FROM package WHERE type = 'dataset'",
    "objects": """
        SELECT id, guid, state, report_status, package_id, current FROM harvest_object
         WHERE harvest_job_id = :job""",
    "records": """
        SELECT guid, package_id, fingerprint, outcome, error, missed_runs, last_seen_job_id
          FROM ukharvest_record""",
    "outcomes": """
        SELECT outcome.guid, outcome.state, outcome.message
          FROM ukharvest_outcome AS outcome JOIN ukharvest_job AS run ON run.id = outcome.run_id
         WHERE run.job_id = :job""",
    "errors": "SELECT harvest_object_id, message FROM harvest_object_error",
    "problems": "SELECT record_id, code, current FROM ukharvest_problem",
    "changes": "SELECT record_id, job_id, kind FROM ukharvest_change",
    "versions": "SELECT record_id, job_id FROM ukharvest_version",
}


def version(number: int) -> dict[str, Any]:
    """Return a catalogue in which one record is new, changed, failed and gone."""
    stable = [dataset(each) for each in range(STABLE)]
    changed = dataset(STABLE, title=f"Version {number}")
    failed = {**dataset(STABLE + 1), "title": " ", "description": f"Version {number}"}
    return catalogue([*stable, changed, failed, dataset(100 + number)])


def facts(job_id: str) -> dict[str, list[Any]]:
    Session.remove()
    found = {
        name: sorted(map(str, Session.execute(sa.text(query), {"job": job_id})))
        for name, query in FACTS.items()
    }
    Session.remove()
    return found


@pytest.fixture
def versions(portal: Portal, publisher: Publisher) -> Callable[[], tuple[str, int]]:
    """Return a function that makes the next run's objects wait."""
    publisher.serve(PATH, version(0))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    numbers = itertools.count(1)

    def gather() -> tuple[str, int]:
        number = next(numbers)
        publisher.serve(PATH, version(number))
        return gather_run(portal, source, 4), number

    return gather


@pytest.mark.timeout(1800)
def test_killed_at_any_statement_records_are_as_before_or_done(
    portal: Portal, versions: Any
) -> None:
    job_id, number = versions()
    before = facts(job_id)
    seen = {"before": 0, "done": 0}
    for statement in itertools.count(1):
        is_killed = killed_at(statement)
        now = facts(job_id)
        claimed = {
            **before,
            "objects": [row.replace("WAITING", "FETCH") for row in before["objects"]],
        }
        if now in (before, claimed):
            seen["before"] += 1
            give_back()
            assert facts(job_id) == before
        else:
            seen["done"] += 1
            _assert_done(portal, now, number)
            _finish(portal, job_id, number)
            job_id, number = versions()
            before = facts(job_id)
        if not is_killed:
            break
    assert seen["before"] > 30
    assert seen["done"] > 5


def _assert_done(portal: Portal, now: dict[str, list[Any]], number: int) -> None:
    assert len(now["objects"]) == len(now["outcomes"]) == 4
    assert not [row for row in now["objects"] if "'WAITING'" in row or "'FETCH'" in row]
    states = sorted(row.split("', '")[1].split("'")[0] for row in now["outcomes"])
    assert states == ["added", "deleted", "lost", "updated"]
    titles = {each["title"] for each in portal.datasets()}
    assert {f"Version {number}", f"Dataset {100 + number:05}"} <= titles
    assert f"Dataset {99 + number:05}" not in titles
    # Stored with the datasets, so that whoever comes next completes the index.
    pending = set(Session.scalars(sa.text("SELECT package_id FROM ukharvest_index_pending")))
    indexed = set(portal.search_names())
    active = {each["id"]: each["name"] for each in portal.datasets()}
    assert {id_ for id_, name in active.items() if name not in indexed} <= pending


def _finish(portal: Portal, job_id: str, number: int) -> None:
    give_back()
    sweeper.sweep()
    assert portal.job(job_id)["status"] == "Finished"
    assert set(portal.search_names()) == {each["name"] for each in portal.datasets()}
