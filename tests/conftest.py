"""Fixtures of all tests, without CKAN: tests that need it have their own conftest."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.testing.fixtures import LOOPBACK, FakeTime, fake_time, http, publisher
from tests.network_guard import sitecustomize as network_guard

__all__ = ["LOOPBACK", "FakeTime", "fake_time", "http", "publisher"]
# bin/demo needs a newer Python than the extension.
collect_ignore = ["demo"] if sys.version_info < (3, 11) else []
# Settings with the URL of a service, and the variables that come before them.
SERVICES = {
    "sqlalchemy.url": "CKAN_SQLALCHEMY_URL",
    "ckan.redis.url": "CKAN_REDIS_URL",
    "solr_url": "CKAN_SOLR_URL",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write the expected results of tests/sources anew, to be read before a commit",
    )
    parser.addoption(
        "--samples",
        metavar="DIR",
        help="a folder of real documents with its MANIFEST.tsv, for tests/conformance",
    )
    parser.addoption(
        "--batch-size",
        metavar="N",
        help="let consumers of tests/ckan take batches of N, also in the tests' own process",
    )
    parser.addoption(
        "--shard", metavar="K/N", default="", help="only the K-th of N parts of tests/ckan"
    )
    parser.addoption(
        "--pictures", action="store_true", help="save pictures of pages beside the reports"
    )
    chaos = parser.getgroup("chaos", "faults of processes and services (tests/ckan/chaos)")
    chaos.addoption("--chaos", action="store_true", help="run the long forms too")
    chaos.addoption("--seed", metavar="N", help="the seed of the faults; 'new' draws a random one")
    chaos.addoption("--faults", metavar="N", default="200", help="of the long form, at least")
    chaos.addoption("--minutes", metavar="N", default="60", help="for the long form, at most")
    parser.addoption("--fuzz", metavar="N", help="try N cases for each target of tests/fuzz")
    parser.addoption("--fuzz-seed", metavar="N", help="the seed of these cases, to repeat them")


def hosts_of_services(ini: str | None) -> set[str]:
    """Return the hosts of PostgreSQL, Redis and Solr, by CKAN's variables and an ini."""
    settings = configparser.RawConfigParser()
    settings.read(ini or ())
    urls = [
        os.environ.get(name) or settings.get("app:main", key, fallback="")
        for key, name in SERVICES.items()
    ]
    return {host for url in urls if (host := urlsplit(url).hostname)}


@pytest.fixture(scope="session", autouse=True)
def _network_guard(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], list[str]]]:
    """Refuse what contacts, or looks up, anything but this machine, also in child processes.

    The portal's services may run elsewhere: in other containers, for example.

    pytest.fail's exception is no Exception, so code under test cannot mistake it for a fault of the
    network and carry on.
    """
    log = tmp_path_factory.mktemp("network") / "attempts"
    log.touch()
    taken = 0

    def take() -> list[str]:
        nonlocal taken
        lines = log.read_text("utf-8").splitlines()
        taken, before = len(lines), taken
        return lines[before:]

    folder = str(Path(network_guard.__file__).parent)
    paths = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(network_guard.VARIABLE, str(log))
        hosts = hosts_of_services(pytestconfig.getoption("ckan_ini", None))
        patch.setenv(network_guard.SERVICES, " ".join(sorted(hosts)))
        patch.setenv("PYTHONPATH", paths)
        network_guard.install(pytest.fail, reserved=())
        yield take
    assert take() == []  # after the last test


@pytest.fixture(autouse=True)
def network_attempts(
    _network_guard: Callable[[], list[str]],
) -> Iterator[Callable[[], list[str]]]:
    """Return the refused attempts to contact another machine since the last call.

    A test fails if one is left at its end: exceptions in threads and other processes get lost.
    """
    yield _network_guard
    if attempts := _network_guard():
        pytest.fail("\n".join(attempts), pytrace=False)


@pytest.fixture
def lists_folder(tmp_path: Path) -> Iterator[Path]:
    """A portal's own folder of lists, none of them read so far."""
    vocabulary.use(tmp_path)
    yield tmp_path
    vocabulary.use(None)
