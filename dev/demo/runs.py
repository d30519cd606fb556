"""Make the harvest sources, run them through the queue, and read the results from the API."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stack.console import StackError, say

from .api import Api, NotFound
from .processes import PublisherServer, Worker
from .publishers import Publisher, described

# Seconds without any progress, after which a run has failed.
STALLED_SECONDS = 180
POLL_SECONDS = 0.5
QUIET_SECONDS = 10
FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")


@dataclass(frozen=True)
class Source:
    """A harvest source of the site, and its publisher."""

    id: str
    name: str
    publisher: Publisher
    server: PublisherServer

    @property
    def kind(self) -> str:
        return self.publisher.kind

    @property
    def title(self) -> str:
        return self.publisher.title

    @property
    def url(self) -> str:
        return self.server.url + self.publisher.path


@dataclass(frozen=True)
class Row:
    """The result of one run of a source, from the API."""

    source: Source
    label: str
    figures: dict[str, int]
    rate: float | None
    outcome: str
    messages: tuple[str, ...]


def ensure_sources(api: Api, servers: Iterable[PublisherServer]) -> list[Source]:
    """Create or update the sources of the servers' publishers, and their organisations."""
    return [
        _ensure_source(api, publisher, server)
        for server in servers
        for publisher in described(server.control)
    ]


def _ensure_source(api: Api, publisher: Publisher, server: PublisherServer) -> Source:
    wanted = {
        "name": publisher.name,
        "title": publisher.title,
        "notes": publisher.notes,
        "url": server.url + publisher.path,
        "source_type": publisher.kind,
        "owner_org": _ensure_organisation(api, publisher.organisation),
        "frequency": "MANUAL",
        "config": json.dumps(publisher.config) if publisher.config else "",
    }
    try:
        found = api("harvest_source_show", id=publisher.name)
    except NotFound:
        found = api("harvest_source_create", **wanted)
    # A publisher's port can change; the source must point to its current address.
    if found["url"] != wanted["url"]:
        found = api("harvest_source_update", **{**wanted, "id": found["id"]})
    return Source(found["id"], publisher.name, publisher, server)


def _ensure_organisation(api: Api, title: str) -> str:
    """Return the id of the organisation of that title."""
    name = "-".join(title.lower().split())
    about = "A publisher that does not exist, for the demo."
    try:
        found = api("organization_show", id=name)
    except NotFound:
        found = api("organization_create", name=name, title=title, description=about)
    return str(found["id"])


def run(api: Api, sources: Sequence[Source], workers: Iterable[Worker], label: str) -> list[Row]:
    """Run all sources at once and wait for all of them."""
    jobs = {source: _start(api, source) for source in sources}
    progress = _Progress(label)
    while True:
        shown = {source: api("harvest_job_show", id=job) for source, job in jobs.items()}
        progress.show(shown.items())
        if all(job["status"] in ("Finished", "Aborted") for job in shown.values()):
            break
        for worker in workers:
            worker.check()
        progress.check()
        time.sleep(POLL_SECONDS)
    progress.end()
    return [_row(source, label, job) for source, job in shown.items()]


def _start(api: Api, source: Source) -> str:
    # A source has one job at a time: wait for a job that was started on the site's page.
    for job in api("harvest_job_list", source_id=source.id):
        if job["status"] in ("New", "Running"):
            return str(job["id"])
    return str(api("harvest_job_create", source_id=source.id, run=True)["id"])


def _row(source: Source, label: str, job: dict[str, Any]) -> Row:
    errors = [*job["gather_error_summary"], *job["object_error_summary"]]
    report = job.get("ukharvest") or {}
    return Row(
        source,
        label,
        {name: job["stats"].get(name, 0) for name in FIGURES},
        _rate(job),
        report.get("outcome", ""),
        tuple(error["message"] for error in errors),
    )


def _rate(job: dict[str, Any]) -> float | None:
    seen = (job.get("ukharvest") or {}).get("counts", {}).get("seen")
    if not seen or not job["finished"] or not job["gather_started"]:
        return None
    took = _time(job["finished"]) - _time(job["gather_started"])
    return int(seen) / max(took.total_seconds(), 0.001)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


class _Progress:
    """Progress, one line per source: updated on a terminal, printed now and then in a log."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.started = self.moved = self.said = time.monotonic()
        self.last: list[str] = []
        self.on_terminal = sys.stderr.isatty()

    def show(self, jobs: Iterable[tuple[Source, dict[str, Any]]]) -> None:
        lines = [f"{source.kind:<14} {_state(job)}" for source, job in jobs]
        now = time.monotonic()
        if lines != self.last:
            self.moved = now
        seconds = now - self.started
        if self.on_terminal:
            up = f"\033[{len(self.last)}F" if self.last else ""
            text = "\n".join(f"\033[2K  {line}  {seconds:.0f} s" for line in lines)
            print(f"{up}{text}", file=sys.stderr, flush=True)
        elif lines != self.last and (not self.last or now - self.said > QUIET_SECONDS):
            self.said = now
            say("\n".join(f"  {line}" for line in lines))
        self.last = lines

    def check(self) -> None:
        if time.monotonic() - self.moved > STALLED_SECONDS:
            raise StackError(
                f"nothing has moved for {STALLED_SECONDS} s ({'; '.join(self.last)});"
                " look at the logs: bin/stack logs demo-<version>-gather-1, -fetch, -cron"
            )

    def end(self) -> None:
        if self.on_terminal and self.last:
            print(f"\033[{len(self.last)}F\033[J", end="", file=sys.stderr, flush=True)
        title = ": ".join(filter(None, ("Harvest", self.label)))
        say(f"  {title:<60} {time.monotonic() - self.started:6.1f} s")


def _state(job: dict[str, Any]) -> str:
    if job["status"] in ("Finished", "Aborted"):
        return "done"
    if not job["gather_finished"]:
        return "being read" if job["gather_started"] else "waiting"
    stats = job["stats"]
    done = sum(stats.get(name, 0) for name in ("added", "updated", "deleted", "errored"))
    counts = (job.get("ukharvest") or {}).get("counts", {})
    silent = stats.get("not modified", 0)
    return f"gathered {counts.get('seen', 0)}, imported {done} of {counts.get('seen', 0) - silent}"
