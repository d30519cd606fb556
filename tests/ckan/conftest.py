"""Fixtures of the tests that need CKAN: a clean database, harvest sources, real consumers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.common import config
from ckan.plugins import load_all, unload_all
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest import queue

from ckanext.ukharvest.core import http
from tests.ckan.browser import chromium_process, manager, plain, site, visitor  # noqa: F401
from tests.ckan.harvesting import Consumers, Portal, Workers

HERE = Path(__file__).parent
_shared_app: list[Any] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.ckan)
    # Tests that can share their consumers come together: a start takes seconds.
    items.sort(key=lambda item: (is_in_process(item), consumed_with(item), str(item.path)))


def is_in_process(item: pytest.Item) -> bool:
    return item.get_closest_marker("in_process") is not None


def settings(item: pytest.Item) -> dict[str, str]:
    """The settings that a test is marked with."""
    return {mark.args[0]: mark.args[1] for mark in item.iter_markers("ckan_config")}


def consumed_with(item: pytest.Item) -> list[tuple[str, str]]:
    """The settings that the consumers of a test are started with."""
    return [] if is_in_process(item) else sorted(settings(item).items())


@pytest.fixture(scope="session")
def ini(request: pytest.FixtureRequest) -> str:
    """Path of the ini that the tests run with; commands get it too."""
    return str(request.config.getoption("ckan_ini"))


@pytest.fixture(scope="session")
def ckan(ini: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``ckan`` as a sysadmin types it, in a process of its own."""
    command = str(Path(sys.executable).with_name("ckan"))

    def run(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, "-c", ini, *words], check=check, capture_output=True, text=True, timeout=300
        )

    return run


@pytest.fixture(scope="session")
def plugins() -> Iterator[list[str]]:
    """The plugins of the ini, loaded once and not, as by CKAN's fixture, for each test."""
    load_all()
    yield list(config["ckan.plugins"])
    unload_all()


@pytest.fixture(scope="session")
def made_before(plugins: list[str]) -> None:
    """Let CKAN's ``clean_db`` keep the tables that bin/test made, and empty them alone.

    It drops, the first time, what it did not make itself, and to make it again takes commands.
    """
    made = set(sa.inspect(model.meta.engine).get_table_names())
    if made.issuperset(model.repo.metadata.tables):
        model.repo.tables_created_and_initialised = True


@pytest.fixture
def tables(
    made_before: None, clean_db: None, ckan: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The tables, made by the commands that the README names where bin/test did not.

    CKAN's fixture drops its own with ours, but not the notes of what was migrated.
    """
    made = set(sa.inspect(model.meta.engine).get_table_names())
    if "ukharvest_link" in made:
        return
    with model.meta.engine.begin() as connection:
        for plugin, table in (("harvest", "harvest_source"), ("ukharvest", "ukharvest_record")):
            if table not in made:
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {plugin}_alembic_version"))
    ckan("db", "upgrade", "-p", "harvest")
    ckan("db", "upgrade", "-p", "ukharvest")


@pytest.fixture
def pooled(tables: None, ckan_config: Any) -> None:
    """CKAN's migrations leave an engine behind that connects anew for each transaction."""
    if isinstance(model.meta.engine.pool, sa.pool.NullPool):
        model.init_model(sa.engine_from_config(dict(ckan_config)))


@pytest.fixture
def app(
    request: pytest.FixtureRequest, plugins: list[str], make_app: Callable[[], CKANTestApp]
) -> CKANTestApp:
    """CKAN's application with a client of the test's own.

    Tests without settings and plugins of their own share one: to make it takes a second.
    """
    if settings(request.node) or config["ckan.plugins"] != plugins:
        return make_app()
    if not _shared_app:
        _shared_app.append(make_app().app)
    return CKANTestApp(_shared_app[0])


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client repeat failed requests without its pauses, as the consumers do."""
    monkeypatch.setattr(http, "_BACKOFF", 0.01)


@pytest.fixture(autouse=True)
def clean(
    request: pytest.FixtureRequest,
    plugins: list[str],
    ckan_config: Any,
    workers: Workers,
    pooled: None,
    clean_index: None,
) -> None:
    """Every test begins with an empty portal."""
    if is_in_process(request.node):
        workers.stop()
    queue.purge_queues()


@pytest.fixture(scope="session")
def workers(ini: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Keeps the consumers that the portal's runs are worked off by."""
    workers = Workers(ini, tmp_path_factory.mktemp("workers"))
    yield workers
    workers.stop()


@pytest.fixture
def organization() -> dict[str, str]:
    return factories.Organization(name="somewhere-council", title="Somewhere Council", image_url="")


@pytest.fixture
def portal(
    request: pytest.FixtureRequest, workers: Workers, organization: dict[str, str]
) -> Portal:
    """The portal as a test drives it.

    Real consumers work off its runs. A test that is marked ``in_process`` has none: the stages
    are called in its own process, where it can patch, count and take them one by one.
    """
    if is_in_process(request.node):
        return Portal(organization["id"])
    return Portal(organization["id"], workers.running(settings(request.node)))


@pytest.fixture
def consumers(ini: str, workers: Workers) -> Iterator[Consumers]:
    """Real gather and fetch consumers of a test's own."""
    workers.stop()
    with Consumers(ini) as running:
        yield running
