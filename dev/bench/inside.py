"""The benchmark's process inside CKAN: python inside.py INI, with commands on standard input.

A command is a line of JSON, {"do": name, …}; the answer is a line of JSON on standard output.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import ckan.plugins.toolkit as tk
import counters
import flask
import sqlalchemy as sa
from ckan import logic, model
from ckan.cli import load_config
from ckan.config.middleware import make_app
from ckan.lib import search
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject

POLL = 0.02
UNFINISHED = ("WAITING", "FETCH", "IMPORT")
ROUNDS = 3  # requests for a page whose templates are compiled

_OF_DATASETS = "IN (SELECT package_id FROM ukharvest_record WHERE source_id = :id)"
# Table → columns that get the copy's number, and the source's own rows.
_COPIED = (
    ("package", "id name", f"id {_OF_DATASETS} OR id = :id"),
    ("package_extra", "id package_id", f"package_id {_OF_DATASETS} OR package_id = :id"),
    ("package_tag", "id package_id", f"package_id {_OF_DATASETS}"),
    ("resource", "id package_id", f"package_id {_OF_DATASETS}"),
    ("harvest_source", "id", "id = :id"),
    ("harvest_job", "id source_id", "source_id = :id"),
    (
        "harvest_object",
        "id guid harvest_job_id harvest_source_id package_id",
        "harvest_source_id = :id",
    ),
    ("ukharvest_source", "source_id", "source_id = :id"),
    ("ukharvest_job", "job_id source_id", "source_id = :id"),
    (
        "ukharvest_record",
        "source_id guid package_id first_seen_job_id last_seen_job_id",
        "source_id = :id",
    ),
    ("ukharvest_assessment", "package_id", f"package_id {_OF_DATASETS}"),
)
_PROBLEMS = """
    INSERT INTO ukharvest_problem (record_id, code, field, message, job_id)
    SELECT copy.id, 'bad-date', 'modified', 'modified: ''last year'' is no date', last_seen_job_id
      FROM ukharvest_record AS copy WHERE copy.id % 3 = 0"""


def _context() -> dict[str, Any]:
    user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    return {"ignore_auth": True, "user": user, "model": model, "session": model.Session}


def source(name: str, url: str, kind: str) -> dict[str, Any]:
    """Make a harvest source, and at the first call its organisation."""
    _make_organisation()
    wanted = {"name": name, "title": name, "url": url, "source_type": kind, "owner_org": "bench"}
    return {"id": tk.get_action("harvest_source_create")(_context(), wanted)["id"]}


def _make_organisation() -> None:
    if model.Group.get("bench") is None:
        tk.get_action("organization_create")(_context(), {"name": "bench", "title": "Bench"})


def start(source_id: str) -> dict[str, Any]:
    """Send a source's run to the gather queue."""
    job = {"source_id": source_id, "run": True}
    return {"id": tk.get_action("harvest_job_create")(_context(), job)["id"]}


def harvest(source_id: str, limit: float) -> dict[str, Any]:
    """Run a source through the queue, and wait for its end.

    Args:
        limit: seconds.
    """
    started = time.monotonic()
    job_id = start(source_id)["id"]
    answer = wait(job_id, limit)
    seconds = time.monotonic() - started
    tk.get_action("harvest_jobs_run")(_context(), {})
    return {**answer, "seconds": seconds}


def wait(job_id: str, limit: float, gather_only: bool = False) -> dict[str, Any]:
    """Wait until a run has nothing left to do, or only until the end of its gather."""
    started = time.monotonic()
    while not _is_done(job_id, gather_only):
        if time.monotonic() - started > limit:
            return {"error": f"not done in {limit} s", "figures": _figures(job_id)}
        time.sleep(POLL)
    return {"seconds": time.monotonic() - started, "figures": _figures(job_id), "id": job_id}


def _is_done(job_id: str, gather_only: bool) -> bool:
    gathered = model.Session.query(HarvestJob.gather_finished).filter_by(id=job_id).scalar()
    if gather_only:
        model.Session.rollback()
        return gathered is not None
    left = model.Session.query(HarvestObject.id).filter(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.in_(UNFINISHED)
    )
    done = gathered is not None and left.first() is None
    model.Session.rollback()
    return done


def _figures(job_id: str) -> dict[str, int]:
    statuses = model.Session.query(HarvestObject.report_status).filter_by(harvest_job_id=job_id)
    return dict(Counter(str(row[0]) for row in statuses))


def inline(source_id: str) -> dict[str, Any]:
    """Run a source in this process, as ``ckan harvester run-test`` does: without queues."""
    before = counters.read()
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
    return {"seconds": seconds, "figures": _figures(made["id"]), "counts": _since(before)}


def export(source_id: str) -> dict[str, Any]:
    """Return the package dicts of a source's datasets, without ids."""
    query = model.Session.query(HarvestObject.package_id).filter_by(
        harvest_source_id=source_id, current=True
    )
    drop = ("id", "name", "metadata_created", "metadata_modified", "organization", "revision_id")
    packages = []
    for (package_id,) in query:
        package = tk.get_action("package_show")(_context(), {"id": package_id})
        for key in drop:
            package.pop(key, None)
        package["resources"] = [
            {key: value for key, value in each.items() if key not in ("id", "package_id")}
            for each in package["resources"]
        ]
        package["extras"] = [
            each for each in package.get("extras", ()) if not each["key"].startswith("harvest_")
        ]
        package["tags"] = [{"name": each["name"]} for each in package["tags"]]
        packages.append(package)
    return {"packages": packages}


def floor(packages: list[dict[str, Any]], name: str, batch: int) -> dict[str, Any]:
    """Create datasets with package_create alone; a commit and an index request for each batch."""
    _make_organisation()
    user = _context()["user"]
    before = counters.read()
    started = time.monotonic()
    for begin in range(0, len(packages), batch):
        some = packages[begin : begin + batch]
        ids = [_create(each, f"{name}-{begin + number}", user) for number, each in enumerate(some)]
        model.Session.commit()
        _index(ids)
    return {"seconds": time.monotonic() - started, "counts": _since(before)}


def _create(package: dict[str, Any], name: str, user: str) -> str:
    context = {"ignore_auth": True, "user": user, "defer_commit": True, "return_id_only": True}
    wanted = {**package, "name": name, "title": f"{package['title']} {name}", "owner_org": "bench"}
    return str(tk.get_action("package_create")(context, wanted))


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


def drop(source_id: str) -> dict[str, Any]:
    """End a source's runs, and delete its harvest objects that were not imported."""
    finished = "UPDATE harvest_job SET status = 'Finished' WHERE source_id = :id"
    left = "DELETE FROM harvest_object WHERE harvest_source_id = :id AND package_id IS NULL"
    for statement in (finished, left):
        model.Session.execute(sa.text(statement), {"id": source_id})
    model.Session.commit()
    return {}


def sql(statement: str) -> dict[str, Any]:
    """Execute a statement and commit."""
    result = model.Session.execute(sa.text(statement))
    rows = [list(map(str, row)) for row in result] if result.returns_rows else []
    model.Session.commit()
    return {"rows": rows}


def _since(before: dict[str, int]) -> dict[str, int]:
    now = counters.read()
    return {key: now[key] - (0 if key == "peak MB" else before.get(key, 0)) for key in now}


def copy(source_id: str, copies: int) -> dict[str, Any]:
    """Copy a source with its datasets, runs and records; a third of the records gets a problem."""
    tables = sa.inspect(model.meta.engine)
    for table, numbered, own in _COPIED:
        if not tables.has_table(table):  # package_extra, from CKAN 2.12 on
            continue
        columns = [
            each["name"]
            for each in tables.get_columns(table)
            if not _is_counted(each) and each["name"] != "_id"
        ]
        values = [f"{name} || '-' || n" if name in numbered.split() else name for name in columns]
        listed = ", ".join(f'"{name}"' for name in columns)
        statement = (
            f"INSERT INTO {table} ({listed}) SELECT {', '.join(values)}"
            f" FROM {table}, generate_series(1, :copies) AS n WHERE {own}"
        )
        model.Session.execute(sa.text(statement), {"id": source_id, "copies": copies})
    model.Session.execute(sa.text(_PROBLEMS))
    model.Session.commit()
    model.Session.execute(sa.text("ANALYZE"))
    model.Session.commit()
    _copy_documents(source_id, copies)
    return {}


def _is_counted(column: Mapping[str, Any]) -> bool:
    return "nextval" in str(column.get("default"))


def _copy_documents(source_id: str, copies: int) -> None:
    """Copy the search documents, which have every field that is searched or shown."""
    index = search.common.make_connection()
    own = f'+(harvest_source_id:"{source_id}" id:"{source_id}")'
    found = index.search(own, rows=10_000, fl="*").docs
    for number in range(1, copies + 1):
        documents = [_numbered(each, f"-{number}") for each in found]
        index.add(documents, commit=number == copies)


def _numbered(document: dict[str, Any], mark: str) -> dict[str, Any]:
    kept = {key: value for key, value in document.items() if key != "_version_"}
    for key, value in kept.items():
        if isinstance(value, datetime):
            kept[key] = value.strftime("%Y-%m-%dT%H:%M:%SZ")
    for key in ("id", "name", "index_id", "harvest_source_id", "extras_harvest_source_id"):
        if key in kept:
            kept[key] = f"{kept[key]}{mark}"
    return kept


def pages(paths: list[str]) -> dict[str, Any]:
    """Return the seconds of each page for a sysadmin, the slowest of some requests.

    Raises:
        AssertionError: a page did not answer 200.
    """
    context = {"ignore_auth": True}
    user = tk.get_action("get_site_user")(context, {})["name"]
    wanted = {"user": user, "name": "bench"}
    token = tk.get_action("api_token_create")({**context, "user": user}, wanted)["token"]
    client = flask.current_app.test_client()
    # In this thread, Flask would give each request the user of the request that is going on.
    with ThreadPoolExecutor(1) as pool:
        return {
            "seconds": {path: pool.submit(_ask, client, path, token).result() for path in paths}
        }


def _ask(client: Any, path: str, token: str) -> float:
    seconds = []
    for _round in range(ROUNDS + 1):
        started = time.monotonic()
        answer = client.get(path, headers={"Authorization": token})
        seconds.append(time.monotonic() - started)
        model.Session.remove()
        assert answer.status_code == 200, (path, answer.status, answer.data[:500])
    return max(seconds[1:])


def stars() -> dict[str, Any]:
    """Score all datasets with nothing stored, and again; return datasets a second."""
    all_datasets = import_module("ckanext.ukharvest.quality.stars.all_datasets")
    model.Session.execute(sa.text("DELETE FROM ukharvest_assessment"))
    model.Session.commit()
    found = {}
    for name in ("nothing stored", "nothing changed"):
        started = time.monotonic()
        done = sum(number for number, _changes in all_datasets.score_all())
        found[name] = done / (time.monotonic() - started)
    return {"rates": found}


def export_catalogue() -> dict[str, Any]:
    """Export all datasets in the formats of the setting.

    Returns:
        Datasets and seconds, and of this process the seconds of a core and the MB.
    """
    exporting = import_module("ckanext.ukharvest.operations.export")
    config = import_module("ckanext.ukharvest.config")
    started, cpu = time.monotonic(), time.process_time()
    with tempfile.TemporaryDirectory(dir=tk.config["ckan.storage_path"]) as folder:
        made = exporting.export_catalogue(Path(folder), config.export_formats(), lambda *_: None)
    return {
        "datasets": made["datasets"],
        "seconds": time.monotonic() - started,
        "cpu seconds": time.process_time() - cpu,
        "peak MB": counters.read()["peak MB"],
    }


def gemini(documents: list[str]) -> dict[str, Any]:
    """Parse GEMINI records without and with the standard's rules; return records a second."""
    raw = import_module("ckanext.ukharvest.core.records").RawRecord
    parser = import_module("ckanext.ukharvest.parsers.gemini.parser")
    records = [raw(str(number), text) for number, text in enumerate(documents)]
    found = {}
    for name, validation in (("without the rules", "off"), ("with the rules", "report")):
        options = {**{each.name: each.default for each in parser.OPTIONS}, "validation": validation}
        parser.parse(records[0], options)
        started = time.monotonic()
        for each in records:
            parser.parse(each, options)
        found[name] = len(records) / (time.monotonic() - started)
    return {"rates": found}


def prune() -> dict[str, Any]:
    """Delete what cron would have deleted by now: it prunes once an hour of the clock."""
    config = import_module("ckanext.ukharvest.config")
    module = import_module("ckanext.ukharvest.model.prune")
    pruned = module.prune_all(config.our_type_names(), keep_runs=config.prune_keep_runs())
    return {"objects": pruned.objects, "jobs": pruned.jobs}


def sizes() -> dict[str, Any]:
    """Return the MB of ckanext-harvest's tables and ours, without what VACUUM gives back."""
    found = {}
    with model.meta.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in _harvesting(connection):
            connection.execute(sa.text(f"VACUUM FULL {table}"))
            size = sa.text("SELECT pg_total_relation_size(:table)")
            found[table] = connection.execute(size, {"table": table}).scalar_one() / 2**20
    return {"MB": found}


def _harvesting(connection: Any) -> Iterator[str]:
    for table in sa.inspect(connection).get_table_names():
        if table.startswith(("harvest_", "ukharvest_")):
            yield table


COMMANDS = {
    each.__name__: each
    for each in (
        source,
        start,
        wait,
        harvest,
        inline,
        export,
        floor,
        drop,
        sql,
        copy,
        pages,
        stars,
        export_catalogue,
        gemini,
        prune,
        sizes,
    )
}


def main() -> None:
    # Whatever CKAN prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    app = make_app(load_config(sys.argv[1]))
    counters.start()
    with app._wsgi_app.test_request_context():
        for line in sys.stdin:
            given = json.loads(line)
            model.Session.remove()
            answer = COMMANDS[given.pop("do")](**given)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
