"""Fetch consumers take batches: a refused record costs itself, and nothing is lost or doubled."""

from __future__ import annotations

from collections import Counter
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import redis
import sqlalchemy as sa
from ckan import model
from ckan.lib.search.index import PackageSearchIndex
from ckan.model.modification import DomainObjectModificationExtension
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestObject, HarvestObjectError
from pika.exceptions import AMQPConnectionError

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.batch import batch_transaction, import_stage, store
from ckanext.ukharvest.harvest.consumers import claims
from ckanext.ukharvest.harvest.consumers.workers import FETCH, GATHER, Heart
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.model import Claim, Record, Retry, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.patches import polling
from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.batch.batches import PATH, deliver_one, gather, source
from tests.ckan.harvest.consuming import consume_twice, together
from tests.ckan.harvesting import (
    Portal,
    act,
    commits,
    figures,
    statements,
    to_import,
    work_off,
)
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]


def messages() -> int:
    consumer = queue.get_fetch_consumer()
    return int(consumer.redis.llen(consumer.routing_key))


def errors(job: dict[str, Any]) -> str:
    return " ".join(each["message"] for each in job["object_error_summary"])


def records() -> list[Record]:
    model.Session.remove()
    return list(model.Session.query(Record))


def claimed() -> int:
    model.Session.remove()
    return int(model.Session.query(Claim).count())


def test_batch_needs_few_statements_and_one_index_request(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = source(portal, publisher, 20)
    job_id = gather(portal, id_)
    waiting = portal.waiting(job_id)
    requests = []
    real = batch_transaction.index_written
    monkeypatch.setattr(
        batch_transaction, "index_written", lambda given: requests.append(given) or real(given)
    )
    with statements("ukharvest_") as ours, statements("COMMIT"):
        deliver_one(waiting[-1])
    assert [len(each) for each in requests] == [20]
    assert len(ours) < 20 * 6
    assert portal.waiting(job_id) == []
    assert claimed() == 0
    assert figures(portal.finish(job_id)) == {"added": 20}
    assert len(portal.search_names()) == 20


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1")
def test_record_alone_needs_few_statements_and_one_commit(
    portal: Portal, publisher: Publisher
) -> None:
    job_id = gather(portal, source(portal, publisher, 4))
    first, *others, last = portal.waiting(job_id)
    deliver_one(first)  # fills the process's caches
    for _object_id in others:
        with statements() as sent, commits() as written:
            assert polling.look(FETCH)
        # CKAN 2.11 keeps extras in a table of their own.
        assert len(sent) <= (59 if compat.INDEXES_IN_ACTIONS else 64), "\n".join(sent)
        assert len(written) == 1
    deliver_one(last)  # ends the run
    assert figures(portal.job(job_id)) == {"added": 4}


def test_resource_ids_of_new_datasets_are_stored(portal: Portal, publisher: Publisher) -> None:
    files = [{"downloadURL": f"https://data.example/{name}.csv"} for name in ("b", "a", "c")]
    id_ = source(portal, publisher, [dataset(0, distribution=files), dataset(1)])
    deliver_one(portal.waiting(gather(portal, id_))[0])
    shown = {each["id"]: [file["id"] for file in each["resources"]] for each in portal.datasets()}
    stored = {row.package_id: [id_ for id_, _key in row.resources] for row in records()}
    assert stored == shown


@pytest.mark.parametrize("refused", [[0], [3], [5], [0, 1, 2, 5]])
@pytest.mark.parametrize("by", ["validation", "hook", "database", "bug"])
def test_a_refused_record_is_taken_out_and_the_rest_is_imported(
    refused: list[int],
    by: str,
    portal: Portal,
    publisher: Publisher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles = {f"Dataset {number:05}" for number in refused}
    real = UkharvestPlugin.after_dataset_create

    def refuse(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        if pkg_dict["title"] not in titles:
            return
        if by == "validation":
            model.Session.rollback()  # as CKAN's actions do
            raise tk.ValidationError({"title": ["not this one"]})
        if by == "database":
            model.Session.execute(sa.text("INSERT INTO tag (id) VALUES (NULL)"))
        if by == "hook":
            raise tk.ValidationError({"title": ["not this one"]})
        raise ZeroDivisionError("a bug of a plugin")

    id_ = source(portal, publisher, 6)
    job_id = gather(portal, id_)
    with monkeypatch.context() as patch:
        patch.setattr(UkharvestPlugin, "after_dataset_create", refuse)
        deliver_one(portal.waiting(job_id)[0])
    job = portal.finish(job_id)
    assert figures(job) == {"added": 6 - len(refused), "errored": len(refused)}
    wanted = {"validation": "not this one", "hook": "not this one", "database": "database refused"}
    assert wanted.get(by, "Internal error") in errors(job)
    assert not titles & {each["title"] for each in portal.datasets()}
    assert len(portal.search_names()) == 6 - len(refused)
    assert figures(portal.run(id_)) == {"added": len(refused), "not modified": 6 - len(refused)}


@pytest.mark.parametrize("by", ["hook", "database"])
def test_refused_update_leaves_its_dataset_as_it_was(
    by: str, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CKAN 2.12's package_update leaves a savepoint of its own open when something raises."""
    real = UkharvestPlugin.after_dataset_update

    def refuse(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        if pkg_dict["title"] != "New 1":
            return
        if by == "database":
            model.Session.add(model.Tag(name=None))
            model.Session.flush()
        raise ValueError("a bug of a plugin")

    id_ = source(portal, publisher, 3)
    portal.run(id_)
    publisher.serve(PATH, catalogue([dataset(n, title=f"New {n}") for n in range(3)]))
    job_id = gather(portal, id_)
    with monkeypatch.context() as patch:
        patch.setattr(UkharvestPlugin, "after_dataset_update", refuse)
        deliver_one(portal.waiting(job_id)[0])
    assert figures(portal.finish(job_id)) == {"updated": 2, "errored": 1}
    titles = sorted(each["title"] for each in portal.datasets())
    assert titles == ["Dataset 00001", "New 0", "New 2"]


def test_listeners_hear_each_dataset_once(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    real = DomainObjectModificationExtension.notify

    def notify(self: Any, entity: Any, operation: Any) -> None:
        if getattr(entity, "title", "").startswith("Dataset"):
            told.append((entity.title, operation))
            if entity.title == "Dataset 00003":
                raise ZeroDivisionError("a bug of a plugin")
        real(self, entity, operation)

    id_ = source(portal, publisher, 8)
    job_id = gather(portal, id_)
    with monkeypatch.context() as patch:
        patch.setattr(DomainObjectModificationExtension, "notify", notify)
        deliver_one(portal.waiting(job_id)[0])
    job = portal.finish(job_id)
    assert figures(job) == {"added": 7, "errored": 1}
    assert "Internal error" in errors(job)
    new = Counter(title for title, operation in told if operation == "new")
    assert new == {f"Dataset {number:05}": 1 for number in range(8)}
    assert len(portal.search_names()) == 7


def test_document_refused_by_solr_fails_alone(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PackageSearchIndex.index_package

    def spoil(self: Any, pkg_dict: dict[str, Any], *args: Any, **more: Any) -> None:
        if pkg_dict["title"] == "Dataset 00003":
            pkg_dict = {**pkg_dict, "metadata_created": "no date", "id": pkg_dict["id"]}
        real(self, pkg_dict, *args, **more)

    id_ = source(portal, publisher, 8)
    job_id = gather(portal, id_)
    with monkeypatch.context() as patch:
        patch.setattr(PackageSearchIndex, "index_package", spoil)
        deliver_one(portal.waiting(job_id)[0])
    job = portal.finish(job_id)
    assert figures(job) == {"added": 7, "errored": 1}
    assert "the search index does not accept it" in errors(job)


def test_same_titles_and_new_tags_at_the_same_time(portal: Portal, publisher: Publisher) -> None:
    tags = [f"new tag {number}" for number in range(20)]
    records = [dataset(number, title="The same", keyword=tags) for number in range(40)]
    id_ = source(portal, publisher, records)
    job_id = gather(portal, id_)
    consume_twice()
    assert figures(portal.finish(job_id)) == {"added": 40}
    names = [each["name"] for each in portal.datasets()]
    assert len(set(names)) == 40
    assert set(names) == {"the-same", *(f"the-same-{number}" for number in range(2, 41))}
    query = model.Session.query(model.Tag.name).filter(model.Tag.name.in_(tags))
    assert sorted(row[0] for row in query) == sorted(tags)


def test_record_of_two_sources_at_once_has_one_dataset(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks for the datasets of others waits until another one who looked has committed."""
    jobs_ = []
    for title in ("Bees", "Wasps"):  # other names, whose own lock would keep the two apart
        path = f"/{title}.json"
        publisher.serve(path, catalogue([dataset(n, title=f"{title} {n}") for n in range(3)]))
        jobs_.append(gather(portal, portal.source(publisher.url(path))))
    monkeypatch.setattr(routes, "lock_and_find", together(routes.lock_and_find))
    consume_twice()
    done = sum((Counter(figures(portal.finish(job_id))) for job_id in jobs_), Counter[str]())
    assert done == {"added": 3, "errored": 3}
    assert len(portal.datasets()) == 3


def test_sources_take_turns_and_a_gather_sends_one_message(
    portal: Portal, publisher: Publisher, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.batch_size", "5")
    jobs_ = []
    for number in (1, 2):
        path = f"/{number}.json"
        records = [dataset(100 * number + each) for each in range(20)]
        publisher.serve(path, catalogue(records))
        source_id = portal.source(publisher.url(path))
        jobs_.append(act("ukharvest_run_create", source_id=source_id)["id"])
    with Heart("gather") as heart, polling.use_heart(heart):
        while polling.look(GATHER):
            pass
    assert messages() == 2  # of 40 records of two sources
    turns = []
    while found := claims.claim_batch(f"consumer {len(turns)}", ["data_json"], 5):
        turns.append(found.job_id)
    assert len(turns) == 8
    assert all(first != second for first, second in zip(turns, turns[1:], strict=False))


def test_batches_of_a_killed_consumer_are_taken_one_by_one(
    portal: Portal, publisher: Publisher
) -> None:
    id_ = source(portal, publisher, 6)
    job_id = gather(portal, id_)
    found = claims.claim_batch("somebody", ["data_json"], 4)
    assert found is not None
    assert len(found.object_ids) == 4
    long_ago = utcnow().replace(year=2020)
    model.Session.query(HarvestObject).filter(HarvestObject.id.in_(found.object_ids)).update(
        {"fetch_started": long_ago}
    )
    model.Session.commit()
    sweeper.sweep()
    assert len(portal.waiting(job_id)) == 6
    assert claimed() == 0
    sizes = []
    while taken := claims.claim_batch(f"consumer {len(sizes)}", ["data_json"], 4):
        sizes.append(len(taken.object_ids))
    assert sizes == [2, 1, 1, 1, 1]


def test_live_claims_stay_and_those_of_idle_consumers_are_given_back(
    portal: Portal, publisher: Publisher, consumer: Heart
) -> None:
    id_ = source(portal, publisher, 6)
    job_id = gather(portal, id_)
    queue.get_fetch_consumer().queue_purge()
    found = claims.claim_batch(consumer.id, ["data_json"], 4)
    assert found is not None
    model.Session.query(HarvestObject).filter(HarvestObject.id.in_(found.object_ids)).update(
        {"fetch_started": utcnow().replace(year=2020)}
    )
    model.Session.commit()
    consumer.work_on(found.object_ids[0])
    with Heart("fetch"):
        sweeper.sweep()
    assert claimed() == 4
    assert len(to_import()) == 2
    consumer.work_on("")  # as after a batch whose end could not be stored
    sweeper.sweep()
    assert claimed() == 0
    work_off()
    assert len(portal.waiting(job_id)) == 0


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "2")
@pytest.mark.parametrize("error", [redis.ConnectionError("gone"), AMQPConnectionError("gone")])
def test_a_queue_that_fails_after_a_batch_fails_no_record(
    portal: Portal,
    publisher: Publisher,
    consumer: Heart,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    """The record that the message named waits; nobody has worked on it."""
    job_id = gather(portal, source(portal, publisher, 4))
    queue.purge_queues()
    *_others, last = portal.waiting(job_id)

    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(queue.RedisPublisher, "send", fails)
        deliver_one(last)
    assert len(portal.waiting(job_id)) == 2
    assert not model.Session.query(HarvestObjectError).count()
    assert not model.Session.query(Retry).count()
    consumer.work_on("")  # as its next beat says
    act("harvest_jobs_run")
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 4}


def test_rest_of_a_claimed_batch_waits_again(
    portal: Portal, publisher: Publisher, consumer: Heart
) -> None:
    id_ = source(portal, publisher, 6)
    job_id = gather(portal, id_)
    assert claims.claim_batch(consumer.id, ["data_json"], 4)
    deliver_one(portal.waiting(job_id)[0])
    assert claimed() == 0
    assert figures(portal.finish(job_id)) == {"added": 6}


@pytest.mark.parametrize("culprit", [0, 2])
def test_database_error_fails_its_record_alone(
    culprit: int, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = UkharvestPlugin.after_dataset_create

    def time_out(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        if pkg_dict["title"] == f"Dataset {culprit:05}":
            model.Session.execute(sa.text("SET LOCAL statement_timeout = 50"))
            model.Session.execute(sa.text("SELECT pg_sleep(60)"))

    monkeypatch.setattr(UkharvestPlugin, "after_dataset_create", time_out)
    id_ = source(portal, publisher, 4)
    job_id = gather(portal, id_)
    first, *_others = portal.waiting(job_id)
    for _attempt in range(20):
        deliver_one(first)
        model.Session.query(Retry).update({"due": utcnow()})
        model.Session.commit()
    job = portal.finish(job_id)
    assert figures(job) == {"added": 3, "errored": 1}
    assert "statement timeout" in errors(job)


def test_run_stopped_during_a_batch_keeps_its_imports(portal: Portal, publisher: Publisher) -> None:
    id_ = source(portal, publisher, 6)
    job_id = gather(portal, id_)
    found = claims.claim_batch("me", ["data_json"], 3)
    assert found is not None
    act("ukharvest_run_stop", id=job_id)
    kind = queue.get_harvester("data_json").source_type
    import_stage.import_batch(kind, found.object_ids, lambda _id: None)
    model.Session.remove()
    job = portal.finish(job_id)
    assert figures(job) == {}
    assert claimed() == 0
    assert figures(portal.run(id_)) == {"added": 6}


def cost(portal: Portal, source_id: str) -> tuple[int, int]:
    """Return how many statements and commits the next run's one batch takes."""
    waiting = portal.waiting(gather(portal, source_id))
    with statements() as sent, commits() as written:
        deliver_one(waiting[0])
    assert claimed() == 0
    return len(sent), len(written)


def assert_batched(few: tuple[int, int], many: tuple[int, int], most: float) -> None:
    """Fail unless 20 records more take at most so many statements each, and no commit."""
    assert many[0] - few[0] <= 20 * most, (few, many)
    assert many[1] == few[1] <= 2, (few, many)


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "100")
def test_records_that_fail_are_stored_together(portal: Portal, publisher: Publisher) -> None:
    costs = []
    for number in (5, 25):
        bad = [dataset(n, title="") for n in range(number)]
        id_ = source(portal, publisher, bad, path=f"/bad{number}.json")
        costs.append(cost(portal, id_))
    assert_batched(*costs, most=0.5)
    outcomes = model.Session.query(HarvestObject.report_status, HarvestObject.state)
    assert set(outcomes) == {("errored", "ERROR")}
    assert model.Session.query(HarvestObjectError).count() == 30


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "100")
@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
@pytest.mark.ckan_config("ckanext.ukharvest.delete.max_share", "1")
def test_datasets_are_deleted_together(portal: Portal, publisher: Publisher) -> None:
    costs = []
    for number in (5, 25):
        path = f"/few{number}.json"
        id_ = source(portal, publisher, [dataset(n + 100 * number) for n in range(50)], path=path)
        deliver_one(portal.waiting(job_id := gather(portal, id_))[0])
        portal.finish(job_id)
        kept = [dataset(n + 100 * number) for n in range(50 - number)]
        publisher.serve(path, catalogue(kept))
        costs.append(cost(portal, id_))
    assert_batched(*costs, most=11)
    assert len(portal.datasets()) == len(portal.search_names()) == 70


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1")
def test_record_fails_although_storing_it_fails(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_items: Any) -> None:
        raise ZeroDivisionError

    job_id = gather(portal, source(portal, publisher, 2))
    first, second = portal.waiting(job_id)
    with monkeypatch.context() as patch:
        patch.setattr(batch_transaction, "store_items", fail)
        patch.setattr(store, "store_items", fail)
        deliver_one(first)
    deliver_one(second)
    assert claimed() == 0
    job = portal.finish(job_id)
    assert figures(job) == {"added": 1, "errored": 1}
    assert "Internal error" in errors(job)
    assert job["ukharvest"]["outcome"] == "errors"
