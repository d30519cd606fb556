"""Fixtures of the tests that need CKAN: a clean database, harvest sources, real consumers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckanext.harvest import queue

from tests.ckan.harvesting import Consumers, Portal

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.ckan)


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


@pytest.fixture
def tables(clean_db: None, ckan: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The tables, made by the commands that the README names.

    CKAN's fixture drops its tables the first time that it finds a database not of this process,
    ours with them but not the notes of what was migrated; later it only empties them.
    """
    made = set(sa.inspect(model.meta.engine).get_table_names())
    if "ukharvest_worker" in made:
        return
    with model.meta.engine.begin() as connection:
        for plugin, table in (("harvest", "harvest_source"), ("ukharvest", "ukharvest_record")):
            if table not in made:
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {plugin}_alembic_version"))
    ckan("db", "upgrade", "-p", "harvest")
    ckan("db", "upgrade", "-p", "ukharvest")


@pytest.fixture(autouse=True)
def clean(with_plugins: None, tables: None, clean_index: None) -> None:
    """Every test begins with an empty portal."""
    queue.purge_queues()


@pytest.fixture
def organization() -> dict[str, str]:
    return factories.Organization(name="somewhere-council", title="Somewhere Council")


@pytest.fixture
def portal(organization: dict[str, str]) -> Portal:
    """The portal as a test drives it: sources and runs, the stages called in this process."""
    return Portal(organization["id"])


@pytest.fixture
def consumers(ini: str) -> Iterator[Consumers]:
    """Real gather and fetch consumers, processes as a sysadmin starts them."""
    with Consumers(ini) as running:
        yield running
