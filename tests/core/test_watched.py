"""What is told of each attempt: the host, how long it took, whether it failed."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core import watched
from ckanext.ukharvest.core.errors import BadStatus, Blocked, Unreachable
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import HttpLimits
from ckanext.ukharvest.core.watched import WatchedClient
from tests.conftest import LOOPBACK
from tests.publisher import Publisher

Told = list[tuple[str, float, bool]]


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def http(told: Told) -> WatchedClient:
    return WatchedClient(
        Guard(LOOPBACK), HttpLimits(retries=1), note=told.extend, sleep=lambda _: None
    )


def test_an_answer(publisher: Publisher, http: WatchedClient, told: Told) -> None:
    publisher.serve("/data", b"x")
    with http:
        assert http.get(publisher.url("/data")).content == b"x"
        assert not told  # each time to be told is a way to Redis and back
    ((host, seconds, failed),) = told
    assert (host, failed) == ("127.0.0.1", False)
    assert 0 < seconds < 5


def test_each_attempt_counts(
    publisher: Publisher, http: WatchedClient, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "MOST", 1)
    publisher.serve("/broken", b"", status=503)
    publisher.serve("/gone", b"", status=404)
    for path in ("/broken", "/gone"):
        with pytest.raises(BadStatus):
            http.get(publisher.url(path))
    assert [failed for _host, _seconds, failed in told] == [True, True, False]


def test_nobody_answers(http: WatchedClient, told: Told) -> None:
    with pytest.raises(Unreachable):
        http.get("http://127.0.0.1:9/")
    http.close()
    assert told
    assert all(failed for _host, _seconds, failed in told)


def test_what_is_refused_was_not_asked(http: WatchedClient, told: Told) -> None:
    with pytest.raises(Blocked):
        http.get("http://10.0.0.1/")
    http.close()
    assert not told
