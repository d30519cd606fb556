"""Drive a portal's harvesting: in this process for most tests, by real consumers for some."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject


class Channel:
    """What the callbacks of ckanext.harvest.queue want of a message queue."""

    def basic_ack(self, _tag: str) -> None:
        """Nothing to acknowledge: the test is the queue."""


class Portal:
    """Makes sources and runs them; reads results back through the API's actions."""

    def __init__(self, organization_id: str) -> None:
        self.organization_id = organization_id
        self.number = 0

    def source(self, url: str, type_: str = "data_json", **fields: Any) -> str:
        """Create a harvest source and return its id."""
        self.number += 1
        config = fields.pop("config", {})
        user = factories.Sysadmin()
        source = call_action(
            "harvest_source_create",
            {"user": user["name"], "ignore_auth": True},
            name=fields.pop("name", f"source-{self.number}"),
            title=f"Source {self.number}",
            url=url,
            source_type=type_,
            owner_org=fields.pop("owner_org", self.organization_id),
            config=json.dumps(config) if config else "",
            **fields,
        )
        return str(source["id"])

    def run(self, source_id: str, *, twice: bool = False, force: bool = False) -> dict[str, Any]:
        """Run a source through the queue's own callbacks; return harvest_job_show.

        Args:
            twice: deliver each object's message two times.
        """
        job_id = self.create_job(source_id)
        self.gather(job_id, force=force)
        ids = self.waiting(job_id)
        for object_id in ids:
            self.deliver(object_id)
        if twice:
            for object_id in ids:
                self.deliver(object_id)
        return self.finish(job_id)

    def create_job(self, source_id: str) -> str:
        context = {"ignore_auth": True, "session": model.Session, "model": model}
        job = call_action("harvest_job_create", context, source_id=source_id, run=False)
        return str(job["id"])

    def gather(self, job_id: str, *, force: bool = False) -> list[str]:
        job = HarvestJob.get(job_id)
        job.status = "Running"
        job.save()
        if force:
            job.force_import = True
        harvester = queue.get_harvester(job.source.type)
        ids = queue.gather_stage(harvester, job)
        assert isinstance(ids, list)
        return ids

    def waiting(self, job_id: str) -> list[str]:
        query = model.Session.query(HarvestObject.id).filter_by(
            harvest_job_id=job_id, state="WAITING"
        )
        return [row[0] for row in query.order_by(HarvestObject.gathered)]

    def deliver(self, object_id: str) -> None:
        method = queue.FakeMethod(object_id)
        body = json.dumps({"harvest_object_id": object_id})
        queue.fetch_callback(Channel(), method, None, body)

    def send(self, ids: list[str]) -> None:
        """Put messages on the fetch queue, for real consumers."""
        publisher = queue.get_fetch_publisher()
        for object_id in ids:
            publisher.send({"harvest_object_id": object_id})

    def finish(self, job_id: str) -> dict[str, Any]:
        """Do what ``ckan harvester run`` does in cron, and show the job."""
        context = {
            "ignore_auth": True,
            "session": model.Session,
            "model": model,
            "user": factories.Sysadmin()["name"],
        }
        tk.get_action("harvest_jobs_run")(context, {})
        model.Session.remove()
        return self.job(job_id)

    def job(self, job_id: str) -> dict[str, Any]:
        context = {"ignore_auth": True, "session": model.Session, "model": model}
        return dict(call_action("harvest_job_show", context, id=job_id))

    def datasets(self) -> list[dict[str, Any]]:
        """All active datasets as package_show gives them, by title."""
        model.Session.remove()
        query = model.Session.query(model.Package.id).filter_by(type="dataset", state="active")
        context = {"ignore_auth": True, "use_cache": False}
        shown = [tk.get_action("package_show")(dict(context), {"id": row[0]}) for row in query]
        return sorted(shown, key=lambda dataset: dataset["title"])

    def found(self) -> list[str]:
        """Names of all datasets that a search finds."""
        result = call_action("package_search", q="*:*", rows=1000)
        return sorted(dataset["name"] for dataset in result["results"])


FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")


def figures(job: dict[str, Any]) -> dict[str, int]:
    """The figures of a job without the zeros."""
    found = {key: job["stats"].get(key, 0) for key in FIGURES}
    return {key: number for key, number in found.items() if number}


def extras(dataset: dict[str, Any]) -> dict[str, str]:
    return {extra["key"]: extra["value"] for extra in dataset["extras"]}


class Consumers:
    """``ckan harvester gather-consumer`` and ``fetch-consumer`` as processes.

    Args:
        fetchers: number of fetch consumers.
    """

    def __init__(self, ini: str, fetchers: int = 1) -> None:
        self._ini = ini
        self._names = ["gather-consumer"] + ["fetch-consumer"] * fetchers
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Consumers:
        command = str(Path(sys.executable).with_name("ckan"))
        for name in self._names:
            self.processes.append(
                subprocess.Popen(
                    [command, "-c", self._ini, "harvester", name],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        return self

    def __exit__(self, *_exc: object) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)

    @property
    def are_alive(self) -> bool:
        return all(process.poll() is None for process in self.processes)

    def run(self, source_id: str, timeout: float = 300) -> dict[str, Any]:
        """Start a job through the real queue, wait until all is worked off, return the job."""
        context = {"ignore_auth": True, "session": model.Session, "model": model}
        job_id = call_action("harvest_job_create", context, source_id=source_id, run=True)["id"]
        self.wait(job_id, timeout)
        return Portal("").finish(job_id)

    def wait(self, job_id: str, timeout: float = 300) -> None:
        """Wait until all of a job is worked off."""
        deadline = time.monotonic() + timeout
        while not self._is_worked_off(job_id):
            assert self.are_alive, "a consumer has ended"
            assert time.monotonic() < deadline, f"job not worked off in {timeout} s"
            time.sleep(0.1)

    def wait_for_messages(self, ids: list[str], timeout: float = 300) -> None:
        """Wait until the consumers have taken and acknowledged every message of these objects."""
        consumer = queue.get_fetch_consumer()
        # A key stands for each message under way; killed consumers of other tests leave theirs.
        keys = [f"{consumer.routing_key}:{object_id}" for object_id in ids]
        deadline = time.monotonic() + timeout
        while consumer.redis.llen(consumer.routing_key) or consumer.redis.exists(*keys):
            assert self.are_alive, "a consumer has ended"
            assert time.monotonic() < deadline, f"messages left after {timeout} s"
            time.sleep(0.2)

    def _is_worked_off(self, job_id: str) -> bool:
        model.Session.remove()
        job = HarvestJob.get(job_id)
        if not job.gather_finished:
            return False
        unfinished = model.Session.query(HarvestObject.id).filter(
            HarvestObject.harvest_job_id == job_id,
            HarvestObject.state.notin_(("COMPLETE", "ERROR")),
        )
        return unfinished.first() is None
