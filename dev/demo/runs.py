"""Make the harvest sources, run them through the queue, and read the results from the API."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stack.console import StackError, step

from .api import Api, NotFound
from .processes import PublisherServer, Worker
from .publishers import Publisher, described

# Seconds without any progress, after which a run has failed.
STALLED_SECONDS = 180
POLL_SECONDS = 2
ENDED = ("Finished", "Aborted")
FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")
# Of the table that bin/demo prints on standard output; figures follow the left-aligned columns.
HEADINGS: tuple[str, ...] = ("source", "type", "run", *FIGURES[:-1], "errors", "records/s")
WORDS = 3


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


@dataclass(frozen=True)
class Row:
    """The result of one run of a source, from the API."""

    source: Source
    label: str
    figures: dict[str, int]
    rate: float | None
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
    moved, last = time.monotonic(), ""
    with step(": ".join(filter(None, ("Harvest", label)))):
        while True:
            shown = {source: api("harvest_job_show", id=job) for source, job in jobs.items()}
            busy = [source.kind for source, job in shown.items() if job["status"] not in ENDED]
            if not busy:
                return [_row(source, label, job) for source, job in shown.items()]
            progress = repr([_progress(job) for job in shown.values()])
            if progress != last:
                moved, last = time.monotonic(), progress
            elif time.monotonic() - moved > STALLED_SECONDS:
                raise StackError(
                    f"nothing has moved for {STALLED_SECONDS} s ({', '.join(busy)});"
                    " look at the logs: bin/stack logs demo-<version>-gather-1, -fetch, -cron"
                )
            for worker in workers:
                worker.check()
            time.sleep(POLL_SECONDS)
            # Finishes runs as cron does, which comes only now and then.
            api("harvest_jobs_run")


def _progress(job: dict[str, Any]) -> tuple[Any, ...]:
    counts = (job.get("ukharvest") or {}).get("counts", {})
    return job["status"], job["gather_started"], job["gather_finished"], job["stats"], counts


def _start(api: Api, source: Source) -> str:
    # A source has one job at a time: wait for a job that was started on the site's page.
    for job in api("harvest_job_list", source_id=source.id):
        if job["status"] in ("New", "Running"):
            return str(job["id"])
    return str(api("harvest_job_create", source_id=source.id, run=True)["id"])


def _row(source: Source, label: str, job: dict[str, Any]) -> Row:
    errors = [*job["gather_error_summary"], *job["object_error_summary"]]
    return Row(
        source,
        label,
        {name: job["stats"].get(name, 0) for name in FIGURES},
        _rate(job),
        tuple(error["message"] for error in errors),
    )


def _rate(job: dict[str, Any]) -> float | None:
    seen = (job.get("ukharvest") or {}).get("counts", {}).get("seen")
    if not seen or not job["finished"] or not job["gather_started"]:
        return None
    begin, end = (datetime.fromisoformat(job[key]) for key in ("gather_started", "finished"))
    return int(seen) / max((end - begin).total_seconds(), 0.001)


def table(rows: Sequence[Row]) -> str:
    """Return one line per run, and below them why a run or a record failed."""
    cells = [HEADINGS]
    for row in rows:
        rate = "" if row.rate is None else f"{row.rate:,.0f}"
        figures = (str(row.figures[name]) for name in FIGURES)
        cells.append((row.source.title, row.source.kind, row.label, *figures, rate))
    columns = []
    for number, column in enumerate(zip(*cells, strict=True)):
        width, is_figure = max(map(len, column)), number >= WORDS
        columns.append([cell.rjust(width) if is_figure else cell.ljust(width) for cell in column])
    lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    lines += [
        f"  {', '.join(filter(None, (row.source.kind, row.label)))}: {text}"
        for row in rows
        for text in row.messages
    ]
    return "\n".join(lines)
