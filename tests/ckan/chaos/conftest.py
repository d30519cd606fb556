"""Fixtures of the tests that kill processes and services."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ckan import model

from tests.ckan.chaos.services import Services, own_services
from tests.ckan.chaos.storm import Storm
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("chaos"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip("the long form: bin/test --chaos"))


@pytest.fixture
def write(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Prints a line at once, whether or not the test fails."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def line(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(text, flush=True)

    return line


SEED = 20261126  # of every run that asks for no other, so that no run fails by its draw alone


@pytest.fixture
def seed(request: pytest.FixtureRequest, write: Callable[[str], None]) -> int:
    """The seed of this test: the same in every run, the given one, or a random one (``new``)."""
    given = request.config.getoption("seed") or SEED
    number = random.SystemRandom().randrange(10**6) if given == "new" else int(given)
    write(f"\n{request.node.name}: --seed {number}")
    return number


@pytest.fixture
def services(clean: None) -> Iterator[Services]:
    found = own_services()
    yield found
    found.start_all()
    model.Session.remove()
    model.meta.engine.dispose()


@pytest.fixture
def storm(
    portal: Portal,
    publisher: Publisher,
    services: Services,
    ini: str,
    tmp_path: Path,
    seed: int,
    write: Callable[[str], None],
) -> Iterator[Storm]:
    made = Storm(portal, publisher, services, ini, tmp_path, random.Random(seed), write)
    with made.evidence.collecting():
        yield made
        services.start_all()
