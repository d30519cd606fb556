"""What a person watches begins within seconds, with one jobs worker and much background work."""

from __future__ import annotations

import datetime as dt
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import rq
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.data_checks import model as data_check_model
from ckanext.ukharvest.data_checks.model import DataCheck
from ckanext.ukharvest.doctor import runs
from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.background import LINKS, PERSON, WITHIN
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import Link
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.stars import jobs as star_jobs
from tests.ckan.harvesting import until
from tests.ckan.people import Person, member
from tests.ckan.previews.previewing import as_
from tests.ckan.processes import Process
from tests.publisher import Publisher, Request, Response
from tests.reading.full_datasets import FULL, datasets

pytestmark = pytest.mark.in_process

PATH = "/data.json"
HOSTS, DATASETS, EACH = 50, 500, 20
BEGINS = 5.0  # seconds
ATTEMPTS = 3  # one may meet a busy machine
Session = model.Session


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    call_action("job_clear")
    with Publisher() as serving:
        serving.serve(PATH, datasets(25, **FULL))
        yield serving
    call_action("job_clear")


@pytest.fixture
def silent(clean: None) -> Iterator[Publisher]:
    """A server on all addresses of the loopback that takes requests and never answers."""
    with Publisher(host="0.0.0.0") as serving:  # noqa: S104 - see above

        def wait(request: Request) -> Response:
            serving.requests.append(request)
            serving.closing.wait(60)
            return Response(b"")

        serving.respond = wait  # type: ignore[method-assign]
        yield serving


@pytest.fixture
def worker(ini: str, publisher: Publisher) -> Iterator[Callable[[], None]]:
    """Start the portal's one jobs worker."""
    started: list[Process] = []
    yield lambda: started.append(Process(["-c", ini, "jobs", "worker"]))
    for process in started:
        process.terminate()
        queue_person()  # the worker stops after its job, and that ends for a person
        process.wait(30)


@pytest.fixture
def editor(organization: dict[str, str]) -> Person:
    return member(organization, "admin")


def add_links(port: int, datasets: int = DATASETS) -> None:
    """Add resources, by default 10,000, on fifty hosts, without CKAN's index."""
    owner = factories.Organization()["id"]
    ids = [str(uuid.uuid4()) for _ in range(datasets)]
    packages = [
        {"id": id_, "name": f"d{n}", "title": f"D {n}", "owner_org": owner}
        for n, id_ in enumerate(ids)
    ]
    rows = [
        {
            "package_id": id_,
            "url": f"http://127.0.1.{dataset % HOSTS + 1}:{port}/{dataset}/{n}.csv",
            "format": "CSV",
            "position": n,
        }
        for dataset, id_ in enumerate(ids)
        for n in range(EACH)
    ]
    Session.bulk_insert_mappings(model.Package, packages)
    Session.bulk_insert_mappings(model.Resource, rows)
    Session.commit()


def seconds_until_begun(id_: str) -> float:
    """Return how long a test waited to begin, by what is stored."""
    seen: list[SourcePreview] = []

    def has_begun() -> bool:
        row = Session.get(SourcePreview, id_, populate_existing=True)
        seen[:] = [row] if row and row.heartbeat else []
        return bool(seen)

    until(has_begun, 200)
    return (tables.utcnow() - seen[0].created).total_seconds()


def start(user: dict[str, Any], publisher: Publisher) -> dict[str, Any]:
    given = {"source_type": "data_json", "url": publisher.url(PATH)}
    return as_(user, "ukharvest_source_preview_create", **given)


def is_done(id_: str) -> bool:
    row = Session.get(SourcePreview, id_, populate_existing=True)
    return row is not None and row.state == "done"


def waits_least(begin: Callable[[], float]) -> float:
    """Return the shortest wait of some attempts; one that is short enough is the last."""
    waits: list[float] = []
    while len(waits) < ATTEMPTS and (not waits or min(waits) >= BEGINS):
        waits.append(begin())
    return min(waits)


def test_a_test_begins_within_5_s_beside_10_000_due_links(
    editor: dict[str, Any],
    publisher: Publisher,
    silent: Publisher,
    worker: Callable[[], None],
    app: CKANTestApp,
) -> None:
    add_links(silent.port)
    background.enqueue_background()
    worker()

    def begin() -> float:
        held = len(silent.requests)
        until(lambda: len(silent.requests) >= held + link_jobs.AT_ONCE)
        begun = start(editor, publisher)
        assert begun["text"] == ["Waiting for a background worker. It starts within 5 s."]
        waited = seconds_until_begun(begun["id"])
        until(lambda: is_done(begun["id"]))
        return waited

    assert waits_least(begin) < BEGINS
    # What was dropped is neither a failure nor a link that was checked, but cost its requests.
    spent = background.spent_today()
    failed = Session.query(Link).filter(Link.tried.isnot(None)).count()
    assert (spent.links, failed) == (0, 0)
    assert link_results.count_due_links() == DATASETS * EACH
    assert link_jobs.AT_ONCE <= spent.requests <= len(silent.requests)
    # The check goes on behind the test.
    held = len(silent.requests)
    until(lambda: len(silent.requests) > held)


def test_a_running_data_check_ends_for_a_test(
    editor: dict[str, Any], publisher: Publisher, worker: Callable[[], None]
) -> None:
    """Its process is at a pattern that takes longer than anybody waits."""
    slow = {"fields": [{"name": "id", "constraints": {"pattern": "(a|a|aa)+$"}}]}
    publisher.serve("/schema.json", slow)
    table = "id,b\n" + "a" * 60 + "!,1\n"
    publisher.serve("/slow.csv", table, headers={"Content-Type": "text/csv"})
    resource = {"url": publisher.url("/slow.csv"), "name": "Parks", "format": "CSV"}
    factories.Dataset(resources=[{**resource, "schema_url": publisher.url("/schema.json")}])
    background.enqueue_background()
    worker()

    def begin() -> float:
        asked = publisher.paths.count("/slow.csv")
        until(lambda: publisher.paths.count("/slow.csv") >= asked + (2 if not asked else 1))
        time.sleep(1)  # the process has started
        begun = start(editor, publisher)
        waited = seconds_until_begun(begun["id"])
        until(lambda: is_done(begun["id"]))
        return waited

    assert waits_least(begin) < BEGINS
    assert Session.query(DataCheck).filter(DataCheck.checked.isnot(None)).count() == 0
    assert data_check_model.count_due() == 1
    assert background.spent_today().links == 1


def queue_person() -> None:
    """Queue a job as that of a person."""
    id_ = f"{PERSON}{uuid.uuid4()}"
    tk.enqueue_job(print, [], rq_kwargs={"job_id": id_, "at_front": True})


def queued() -> list[str]:
    """Return the prefixes of the queued jobs, in order."""
    return [PERSON if id_.startswith(PERSON) else LINKS for id_ in jobs.get_queue().job_ids]


def test_background_work_does_not_begin_before_a_test(
    publisher: Publisher, silent: Publisher
) -> None:
    add_links(silent.port)
    queue_person()
    background.work_for_minutes()
    assert silent.requests == []
    assert queued() == [PERSON, LINKS]


def test_stars_that_are_calculated_again_end_for_a_test(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = link_results.PAGE // EACH * 3
    add_links(1, few)
    links = sa.select(
        sa.func.sha256(sa.func.convert_to(model.Resource.url, "UTF8")),
        model.Resource.url,
        sa.literal(True),
        sa.literal(tables.utcnow() + dt.timedelta(days=9)),
        sa.literal(tables.utcnow()),
    )
    columns = ["url_digest", "url", "rescore", "due", "covered"]
    Session.execute(sa.insert(Link).from_select(columns, links))
    Session.commit()
    queued_at: list[float] = []
    score = star_jobs.score_locked

    def slow(package_ids: list[str]) -> Any:
        if not queued_at:
            queue_person()
            queued_at.append(time.monotonic())
            time.sleep(1)
        return score(package_ids)

    monkeypatch.setattr(star_jobs, "score_locked", slow)
    background.work_for_minutes()
    assert time.monotonic() - queued_at[0] < WITHIN
    left = Session.query(Link).filter(Link.rescore).count()
    assert left >= few * EACH - link_results.PAGE
    assert queued() == [PERSON, LINKS]
    call_action("job_clear")
    background.work_for_minutes()
    assert Session.query(Link).filter(Link.rescore).count() == 0
    assert queued() == []


def test_a_slow_search_for_due_links_ends_for_a_test(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a large portal it takes many seconds."""

    def slow(*_: Any) -> list[Any]:
        queue_person()
        Session.execute(sa.text("SELECT pg_sleep(60)"))
        return []

    monkeypatch.setattr(link_results, "due_links", slow)
    began = time.monotonic()
    background.work_for_minutes()
    assert time.monotonic() - began < WITHIN
    assert queued() == [PERSON, LINKS]


def test_doctor_reports_a_missing_jobs_worker(
    publisher: Publisher, worker: Callable[[], None]
) -> None:
    for killed in rq.Worker.all(queue=jobs.get_queue()):  # by other tests, minutes ago
        killed.register_death()
    (finding,) = runs.jobs_workers()
    assert (finding.level, "ckan jobs worker" in finding.what_to_do) == ("warning", True)
    queue_person()
    (finding,) = runs.jobs_workers()
    assert finding.level == "error"
    assert "1 background job wait" in finding.message
    worker()
    until(lambda: not list(runs.jobs_workers()))
