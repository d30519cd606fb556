"""A consumer that contacts another machine fails the test, as one in the tests' process does."""

from __future__ import annotations

from collections.abc import Callable

from tests.ckan.harvesting import Portal


def test_consumer_is_guarded(portal: Portal, network_attempts: Callable[[], list[str]]) -> None:
    job = portal.run(portal.source("http://data.example.org/data.json"))
    assert job["ukharvest"]["outcome"] == "failed"
    assert set(network_attempts()) == {"a test tried to look up 'data.example.org'"}
