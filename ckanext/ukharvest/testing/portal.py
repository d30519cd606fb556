"""The contract of source types on a portal: real consumers, PostgreSQL, Redis and Solr.

A test module takes the tests over with ``import *`` and gives the fixtures ``kind`` and ``serve``,
as for ``contract``. It runs with ``pytest --ckan-ini=test.ini``. The ini names services that the
tests may empty, and in ``ckan.plugins`` the type's plugin.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import pytest
from ckan import model

from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.testing.contract import Item, Serve, items
from ckanext.ukharvest.testing.publisher import Publisher

SECONDS = 120  # for one run
_CKAN = "from ckan.cli.cli import ckan; ckan()"
_FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")


class Portal:
    """A portal's consumers, and the sources that they harvest.

    Args:
        ini: CKAN's ini, for the consumers.
        log: file for their output.
    """

    def __init__(self, ini: str, log: Path) -> None:
        self._log = log.open("wb")
        self._consumers = [
            subprocess.Popen(
                [sys.executable, "-c", _CKAN, "-c", ini, "harvester", f"{name}-consumer"],
                stdout=self._log,
                stderr=subprocess.STDOUT,
            )
            for name in ("gather", "fetch")
        ]
        self._number = 0

    def close(self) -> None:
        """End the consumers."""
        for consumer in self._consumers:
            consumer.send_signal(signal.SIGTERM)
        for consumer in self._consumers:
            consumer.wait(30)
        self._log.close()

    def create_source(self, url: str, kind: SourceType) -> str:
        """Create a source of an organisation of its own, and return its id."""
        self._number += 1
        name = f"contract-{int(time.time())}-{self._number}"
        organization = _act("organization_create", name=name)
        source = _act(
            "harvest_source_create",
            name=f"source-{name}",
            title=name,
            url=url,
            source_type=kind.name,
            owner_org=organization["id"],
        )
        return str(source["id"])

    def run(self, source_id: str) -> dict[str, int]:
        """Run a source to its end; return the figures of its run that are not 0."""
        job_id = _act("ukharvest_run_create", source_id=source_id, mode="normal")["id"]
        deadline = time.monotonic() + SECONDS
        while True:
            _act("harvest_jobs_run", source_id=source_id)
            job = _act("harvest_job_show", id=job_id)
            if job["status"] == "Finished":
                return {name: job["stats"][name] for name in _FIGURES if job["stats"].get(name)}
            assert all(consumer.poll() is None for consumer in self._consumers), (
                "a consumer has ended"
            )
            assert time.monotonic() < deadline, f"the run has not ended in {SECONDS} s"
            time.sleep(0.2)

    def titles(self, source_id: str) -> list[str]:
        """Return the titles of a source's datasets."""
        source = _act("harvest_source_show", id=source_id)
        query = f"owner_org:{source['owner_org']} AND dataset_type:dataset"
        page = _act("package_search", q=query, rows=100, include_private=True)
        return sorted(dataset["title"] for dataset in page["results"])


def _act(action: str, **fields: Any) -> Any:
    """Call an action as a sysadmin."""
    user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    result = tk.get_action(action)({"user": user, "ignore_auth": True}, fields)
    model.Session.remove()
    return result


@pytest.fixture(scope="session")
def portal(
    request: pytest.FixtureRequest,
    reset_db: Callable[[], None],
    reset_index: Callable[[], None],
    reset_redis: Callable[[], None],
    migrate_db_for: Callable[[str], None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Portal]:
    """An empty portal with one consumer of each kind."""
    p.load_all()
    reset_redis()
    reset_db()
    for name in ("harvest", "ukharvest"):
        migrate_db_for(name)
    reset_index()
    ini = str(request.config.getoption("ckan_ini"))
    empty_portal = Portal(ini, tmp_path_factory.mktemp("portal") / "log")
    yield empty_portal
    empty_portal.close()
    p.unload_all()


def test_the_plugin_is_named_after_its_type(kind: SourceType, portal: Portal) -> None:
    plugin: Any = p.get_plugin(kind.plugin)
    assert plugin.source_type is kind


def test_the_life_of_a_source(
    kind: SourceType, serve: Serve, publisher: Publisher, portal: Portal
) -> None:
    served = serve(publisher, items(10))
    source = portal.create_source(publisher.url(served.path), kind)
    assert portal.run(source) == {"added": 10}
    assert portal.run(source) == {"not modified": 10}
    serve(publisher, [*items(9), Item(9, title="Title 9", description="Another.")])
    assert portal.run(source) == {"not modified": 9, "updated": 1}
    serve(publisher, items(9))
    assert portal.run(source) == {"not modified": 9, "missing": 1}
    assert portal.run(source) == {"not modified": 9, "deleted": 1}
    assert portal.titles(source) == [f"Title {number}" for number in range(9)]


def test_a_record_that_fails_costs_itself_alone(
    kind: SourceType, serve: Serve, publisher: Publisher, portal: Portal
) -> None:
    served = serve(publisher, [*items(3), Item(3, title="")])
    source = portal.create_source(publisher.url(served.path), kind)
    assert portal.run(source) == {"added": 3, "errored": 1}


def test_a_source_that_fails_or_is_empty_deletes_nothing(
    kind: SourceType, serve: Serve, publisher: Publisher, portal: Portal
) -> None:
    served = serve(publisher, items(4))
    source = portal.create_source(publisher.url(served.path), kind)
    portal.run(source)
    serve(publisher, [])
    portal.run(source)
    publisher.fail(served.path, status=404, times=20)
    assert portal.run(source).get("errored") == 1
    assert len(portal.titles(source)) == 4
