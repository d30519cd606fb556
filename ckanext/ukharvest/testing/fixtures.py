"""Fixtures of the contract: a publisher, and a client that may read from it; CKAN is left out.

A conftest.py imports them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.testing.publisher import Publisher

LOOPBACK = ("127.0.0.0/8", "::1/128")


class FakeTime:
    """A clock that only sleeping moves; pass ``sleep`` and ``clock`` to the client."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


def pytest_configure(config: pytest.Config) -> None:
    """Leave out CKAN's plugins for pytest where ``--ckan-ini`` does not ask for them.

    They need CKAN's services, which the contract does not.
    """
    for name in ("ckan", "ckan_fixtures"):
        if not config.getoption("ckan_ini", None) and config.pluginmanager.has_plugin(name):
            config.pluginmanager.unregister(name=name)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """A publisher without routes."""
    with Publisher() as server:
        yield server


@pytest.fixture
def fake_time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def http(fake_time: FakeTime) -> Iterator[HttpClient]:
    """A client that may read from this machine and never really sleeps."""
    with HttpClient(Guard(LOOPBACK), sleep=fake_time.sleep, clock=fake_time.clock) as client:
        yield client
