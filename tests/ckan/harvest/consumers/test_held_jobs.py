"""Background jobs that plugins queue while datasets are written."""

from __future__ import annotations

import pickle
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import redis
from ckan import model
from ckan.lib import jobs

from ckanext.ukharvest.harvest.consumers import held_jobs
from ckanext.ukharvest.harvest.model import HeldJob, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan.harvest.batch.batches import deliver_one, gather, source
from tests.ckan.harvesting import (
    Portal,
    figures,
)
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]


def test_plugin_jobs_are_enqueued_after_the_commit(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    real = UkharvestPlugin.after_dataset_create

    def enqueue(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        tk.enqueue_job(print, [pkg_dict["title"]], title=pkg_dict["title"])
        seen.append((pkg_dict["title"], len(jobs.get_queue().job_ids)))
        if pkg_dict["title"] == "Dataset 00002":
            raise tk.ValidationError({"title": ["not this one"]})

    jobs.get_queue().empty()
    id_ = source(portal, publisher, 4)
    job_id = gather(portal, id_)
    monkeypatch.setattr(UkharvestPlugin, "after_dataset_create", enqueue)
    deliver_one(portal.waiting(job_id)[0])
    assert [number for _title, number in seen] == [0, 0, 0, 0]
    titles = [each.meta["title"] for each in jobs.get_queue().jobs]
    assert titles == ["Dataset 00000", "Dataset 00001", "Dataset 00003"]
    jobs.get_queue().empty()


def queued() -> list[str]:
    return [each.meta["title"] for each in jobs.get_queue().jobs]


def test_plugin_jobs_wait_for_a_queue_that_fails(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call of many fails: 2 of 6 jobs were queued, and the others lost for ever."""
    real, ids = UkharvestPlugin.after_dataset_create, list[str]()

    def enqueue(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        job = tk.enqueue_job(print, [pkg_dict["title"]], title=pkg_dict["title"])
        ids.append(job.id)  # as xloader stores it

    push, calls = type(jobs.get_queue()).enqueue_call, [0]

    def fail_once(self: Any, *args: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] == 3:
            raise redis.ConnectionError("gone")
        return push(self, *args, **more)

    jobs.get_queue().empty()
    job_id = gather(portal, source(portal, publisher, 6))
    monkeypatch.setattr(UkharvestPlugin, "after_dataset_create", enqueue)
    with monkeypatch.context() as patch:
        patch.setattr(type(jobs.get_queue()), "enqueue_call", fail_once)
        deliver_one(portal.waiting(job_id)[0])
    assert figures(portal.job(job_id)) == {"added": 6}
    assert len(queued()) == 2
    assert held_jobs.send_left_jobs in sweeper.STEPS
    assert held_jobs.send_left_jobs() == [], "the process that stored them may be sending them"
    model.Session.query(HeldJob).update({"created": utcnow().replace(year=2020)})
    model.Session.commit()
    assert held_jobs.send_left_jobs() == ["queued 4 background jobs of plugins"]
    assert sorted(queued()) == [f"Dataset {n:05}" for n in range(6)]
    assert jobs.get_queue().job_ids == ids
    assert not model.Session.query(HeldJob).count()
    jobs.get_queue().empty()


def test_job_of_a_plugin_that_is_gone_holds_up_no_other(clean: None) -> None:
    long_ago = {"queue": "default", "created": utcnow().replace(year=2020)}
    for job_id, call in (
        ("gone", b"cno_such_module\nf\n."),
        ("good", pickle.dumps((print, (), {}, {}))),
    ):
        model.Session.add(HeldJob(job_id=job_id, call=call, title=job_id, **long_ago))
    model.Session.commit()
    jobs.get_queue().empty()
    assert held_jobs.send_left_jobs() == ["queued 1 background job of plugins"]
    assert queued() == ["good"]
    assert not model.Session.query(HeldJob).count()
    jobs.get_queue().empty()
