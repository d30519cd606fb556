"""The benchmark's process inside CKAN: python inside.py INI, with commands on standard input.

A command is a line of JSON, {"do": name, …}; the answer is a line of JSON on standard output.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import ckan.plugins.toolkit as tk
import counters
import flask
from ckan import logic, model
from ckan.cli import load_config
from ckan.config.middleware import make_app
from ckan.lib import search
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

POLL = 0.02
SECONDS_TO_END = 5.0  # for a run that ends itself, after its last item
ROUNDS = 3  # requests for a page
UNFINISHED = ("WAITING", "FETCH", "IMPORT")
# What package_create sets itself.
OWN_FIELDS = ("id", "name", "metadata_created", "metadata_modified", "organization", "revision_id")

_ends_itself: bool | None = None  # None: no run has shown it


def _context(**more: Any) -> dict[str, Any]:
    user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    return {"ignore_auth": True, "user": user, "model": model, "session": model.Session, **more}


def source(name: str, url: str, kind: str, config: str = "") -> dict[str, Any]:
    """Make a harvest source, and at the first call its organisation."""
    _make_organisation()
    wanted = {"name": name, "title": name, "url": url, "source_type": kind, "owner_org": "bench"}
    wanted["config"] = config
    return {"id": tk.get_action("harvest_source_create")(_context(), wanted)["id"]}


def _make_organisation() -> None:
    if model.Group.get("bench") is None:
        tk.get_action("organization_create")(_context(), {"name": "bench", "title": "Bench"})


def harvest(source_id: str, limit: float, gather_only: bool = False) -> dict[str, Any]:
    """Run a source through the queue, and wait for its end, or for the end of its gather.

    Args:
        limit: seconds.
    """
    started = time.monotonic()
    job = tk.get_action("harvest_job_create")(_context(), {"source_id": source_id, "run": True})
    while not _is_done(job["id"], gather_only):
        if time.monotonic() - started > limit:
            return {"error": f"not done in {limit} s", "figures": _figures(job["id"])}
        time.sleep(POLL)
    if not gather_only:
        _await_end(job["id"])
    return {"seconds": time.monotonic() - started, "figures": _figures(job["id"])}


def _await_end(job_id: str) -> None:
    """Wait until a run is over: it ends itself, or the tick ends it; the first run shows which."""
    global _ends_itself
    deadline = time.monotonic() + SECONDS_TO_END
    while _ends_itself is not False and not _is_over(job_id):
        if time.monotonic() > deadline:
            _ends_itself = False
        time.sleep(POLL)
    if _ends_itself is None:
        _ends_itself = True
    if not _ends_itself:
        tk.get_action("harvest_jobs_run")(_context(), {})


def _is_over(job_id: str) -> bool:
    model.Session.rollback()
    return bool(HarvestJob.get(job_id).status == "Finished")


def _is_done(job_id: str, gather_only: bool) -> bool:
    model.Session.rollback()
    if HarvestJob.get(job_id).gather_finished is None:
        return False
    waiting = model.Session.query(HarvestObject.id).filter(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.in_(UNFINISHED)
    )
    return gather_only or waiting.first() is None


def _figures(job_id: str) -> dict[str, int]:
    statuses = model.Session.query(HarvestObject.report_status).filter_by(harvest_job_id=job_id)
    return dict(Counter(str(row[0]) for row in statuses))


def inline(source_id: str) -> dict[str, Any]:
    """Run a source in this process, as ``ckan harvester run-test`` does: without queues."""
    counters.counts.clear()
    started = time.monotonic()
    made = tk.get_action("harvest_job_create")(_context(), {"source_id": source_id, "run": False})
    job = HarvestJob.get(made["id"])
    job.status = "Running"
    job.save()
    harvester = queue.get_harvester(job.source.type)
    for object_id in queue.gather_stage(harvester, job) or ():
        queue.fetch_and_import_stages(harvester, HarvestObject.get(object_id))
        model.Session.remove()
    seconds = time.monotonic() - started
    tk.get_action("harvest_jobs_run")(_context(), {})
    figures = _figures(made["id"])
    return {"seconds": seconds, "figures": figures, "counts": counters.read()}


def dry_run(source_id: str, form: bool) -> dict[str, Any]:
    """Read a source without saving anything, with or without the portal's form."""
    dry_runs: Any = importlib.import_module("ckanext.ukharvest.harvest.gather.dry_run")
    stock = dry_runs.open_trial
    if not form:
        dry_runs.open_trial = lambda *_args: contextlib.nullcontext()
    counters.counts.clear()
    started, used = time.monotonic(), counters.read()["Python ms"]
    try:
        source = HarvestSource.get(source_id)
        result = queue.get_harvester(source.type).dry_run(source, lambda *_: True)
    finally:
        dry_runs.open_trial = stock
    seconds, counts = time.monotonic() - started, counters.read()
    counts["Python ms"] -= used
    return {"seconds": seconds, "figures": result["changes"], "counts": counts}


def export(source_id: str) -> dict[str, Any]:
    """Return the package dicts of a source's datasets, without ids."""
    query = model.Session.query(HarvestObject.package_id).filter_by(
        harvest_source_id=source_id, current=True
    )
    return {"packages": [_package(package_id) for (package_id,) in query]}


def _package(package_id: str) -> dict[str, Any]:
    package = tk.get_action("package_show")(_context(), {"id": package_id})
    resources = [
        {key: value for key, value in each.items() if key not in ("id", "package_id")}
        for each in package["resources"]
    ]
    extras = [e for e in package.get("extras", ()) if not e["key"].startswith("harvest_")]
    tags = [{"name": tag["name"]} for tag in package["tags"]]
    package = {key: value for key, value in package.items() if key not in OWN_FIELDS}
    return {**package, "resources": resources, "extras": extras, "tags": tags}


def floor(packages: list[dict[str, Any]], name: str, batch: int) -> dict[str, Any]:
    """Create datasets with package_create alone; a commit and an index request for each batch."""
    _make_organisation()
    create = tk.get_action("package_create")
    context = _context(defer_commit=True, return_id_only=True)
    counters.counts.clear()
    started = time.monotonic()
    for begin in range(0, len(packages), batch):
        ids = []
        for number, package in enumerate(packages[begin : begin + batch], begin):
            own = {"name": f"{name}-{number}", "title": f"{package['title']} {name}-{number}"}
            ids.append(create({**context}, {**package, **own, "owner_org": "bench"}))
        model.Session.commit()
        _index(ids)
    return {"seconds": time.monotonic() - started, "counts": counters.read()}


def _index(ids: list[str]) -> None:
    """Index datasets in one request."""
    documents: list[dict[str, Any]] = []

    class Collector:
        def add(self, docs: list[dict[str, Any]], **_more: Any) -> None:
            documents.extend(docs)

    stock = search.index.make_connection
    search.index.make_connection = lambda *_args, **_more: Collector()
    try:
        for id_ in ids:
            both = logic.package_show_default_and_custom_schemas({"ignore_auth": True}, id_)
            logic.index_update_package_dicts(both, defer_commit=True)
    finally:
        search.index.make_connection = stock
    commit = tk.asbool(tk.config.get("ckan.search.solr_commit", True))
    search.common.make_connection().add(docs=documents, commit=commit)


def pages(paths: dict[str, str]) -> dict[str, Any]:
    """Return the seconds of each page for a sysadmin, by its name: of the slowest request.

    Raises:
        AssertionError: a page did not answer 200.
    """
    context = _context(name="bench")
    token = tk.get_action("api_token_create")(context, {"user": context["user"], "name": "bench"})
    client = flask.current_app.test_client()

    def seconds(path: str) -> float:
        started = time.monotonic()
        answer = client.get(path, headers={"Authorization": token["token"]})
        assert answer.status_code == 200, (path, answer.status, answer.data[:500])
        model.Session.remove()
        return time.monotonic() - started

    # In this thread, Flask would give each request the user of the request that is going on.
    with ThreadPoolExecutor(1) as pool:
        # The first request compiles the templates.
        return {
            name: max([*pool.map(seconds, [path] * (1 + ROUNDS))][1:])
            for name, path in paths.items()
        }


def export_catalogue() -> dict[str, Any]:
    """Export all datasets in the formats of the setting; return what this process needed."""
    exporting = importlib.import_module("ckanext.ukharvest.export.files")
    config = importlib.import_module("ckanext.ukharvest.config")
    began = time.process_time()
    with tempfile.TemporaryDirectory(dir=tk.config["ckan.storage_path"]) as folder:
        made = exporting.export_catalogue(Path(folder), config.export_formats(), lambda *_: None)
    used = {"cpu seconds": time.process_time() - began, **counters.read()}
    return {"datasets": made["datasets"], **used}


COMMANDS = {
    each.__name__: each
    for each in (source, harvest, inline, dry_run, export, floor, pages, export_catalogue)
}


def main() -> None:
    # Whatever CKAN prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    app = make_app(load_config(sys.argv[1]))
    counters.start()
    with app._wsgi_app.test_request_context():
        for line in sys.stdin:
            words = json.loads(line)
            answer = COMMANDS[words.pop("do")](**words)
            model.Session.remove()  # an open transaction would keep others from the tables
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
