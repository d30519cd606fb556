"""More that the benchmark's process inside CKAN can do: a full portal, its pages, single steps."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import counters
import flask
import sqlalchemy as sa
from ckan import model
from ckan.lib import search

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


COMMANDS: dict[str, Callable[..., dict[str, Any]]] = {
    each.__name__: each for each in (copy, pages, stars, export_catalogue, gemini, prune, sizes)
}
