"""One publisher gets no more requests at a time than the portal allows, from all its processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from ckan.lib.redis import connect_to_redis

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.http_client import SharedTurns, open_client
from tests.conftest import FakeTime
from tests.publisher import Publisher, Request, Response

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("plugins")]

PATH = "/slow"


class Route:
    """A route that knows how many requests it answers at the same time.

    Args:
        wait: called while each request is answered.
    """

    def __init__(self, wait: Callable[[], object]) -> None:
        self._wait = wait
        self._lock = threading.Lock()
        self._now = 0
        self.most = self.count = 0

    def __call__(self, _request: Request) -> Response:
        with self._lock:
            self.count += 1
            self._now += 1
            self.most = max(self.most, self._now)
        self._wait()
        with self._lock:
            self._now -= 1
        return Response(b"{}")


class RecordedTurns(SharedTurns):
    """Turns that record which requests had to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: set[str] = set()

    def take(self, host: str, token: str, limits: HttpLimits) -> float:
        wait = super().take(host, token, limits)
        if wait:
            self.waited.add(token)
        return wait


def ask(url: str, limits: HttpLimits, turns: SharedTurns | None = None, **options: Any) -> None:
    """Request a URL as another process does, with a client and turns of its own."""
    guard = Guard(allow=["127.0.0.1"])
    with HttpClient(guard, limits, turns=turns or SharedTurns(), **options) as http:
        http.get(url).close()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn ends by itself, however slow this machine is."""
    monkeypatch.setattr(http_client, "LONGEST", 3600.0)


def test_requests_at_once_to_one_host_are_limited(publisher: Publisher, unhurried: None) -> None:
    turns, two = [RecordedTurns() for _ in range(6)], threading.Barrier(2, timeout=60)

    def wait() -> None:
        """Answer two requests together, the first two when the other four have been refused."""
        two.wait()
        until(lambda: sum(bool(each.waited) for each in turns) == 4)

    route = publisher.routes[PATH] = Route(wait)
    with ThreadPoolExecutor(6) as pool:
        limits = HttpLimits(at_once=2)
        asked = [pool.submit(ask, publisher.url(PATH), limits, each) for each in turns]
        for each in asked:
            each.result()
    assert (route.most, route.count) == (2, 6)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_waiting_for_a_turn_is_no_time_of_the_request(
    publisher: Publisher, fake_time: FakeTime, unhurried: None
) -> None:
    publisher.serve(PATH, {})
    limits = HttpLimits(at_once=1, total=10.0, retries=0)
    other = SharedTurns()
    assert other.take("127.0.0.1", "other", limits) == 0

    def sleep(seconds: float) -> None:
        fake_time.sleep(seconds)
        if fake_time.now > began + 2 * limits.total:
            other.leave("127.0.0.1", "other", limits)

    began = fake_time.now
    ask(publisher.url(PATH), limits, sleep=sleep, clock=fake_time.clock)
    assert sum(fake_time.sleeps) > limits.total


def test_the_delay_is_kept(publisher: Publisher) -> None:
    publisher.serve(PATH, {})
    delay, pauses = 3600.0, []

    def sleep(seconds: float) -> None:
        """Let the time pass in Redis, whose clock it is."""
        pauses.append(seconds)
        connect_to_redis().delete(http_client.redis_key("delay:127.0.0.1"))

    for _ in range(6):
        ask(publisher.url(PATH), HttpLimits(delay=delay), sleep=sleep)
    assert len(pauses) == 5
    assert all(delay / 2 < pause <= delay for pause in pauses)


def test_a_client_without_delay_does_not_wait_for_others(
    publisher: Publisher, fake_time: FakeTime
) -> None:
    publisher.serve(PATH, {})
    ask(publisher.url(PATH), HttpLimits(delay=3600))  # such as the link checker
    ask(publisher.url(PATH), HttpLimits(at_once=1), sleep=fake_time.sleep)
    assert fake_time.sleeps == []


def test_the_turn_of_a_killed_process_ends(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert http_client.LONGEST < 60  # seconds, of which a portal loses each at every kill
    limits, asker = HttpLimits(at_once=1), SharedTurns()
    with monkeypatch.context() as patch:
        patch.setattr(http_client, "LONGEST", 3600.0)
        assert SharedTurns().take("127.0.0.1", "killed", limits) == 0
        assert asker.take("127.0.0.1", "next", limits) > 0
    connect_to_redis().delete(http_client.redis_key("requests:127.0.0.1"))
    monkeypatch.setattr(http_client, "LONGEST", 0.5)
    publisher.serve(PATH, {})
    assert SharedTurns().take("127.0.0.1", "killed", limits) == 0
    ask(publisher.url(PATH), limits)  # would wait for ever


def test_without_redis_requests_go_on(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        http_client, "connect_to_redis", lambda: redis.Redis.from_url("redis://127.0.0.1:1")
    )
    publisher.serve(PATH, {})
    ask(publisher.url(PATH), HttpLimits(at_once=1, delay=0.01))


def test_harvests_take_turns(publisher: Publisher, ckan_config: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.requests_per_host", 1)
    route = publisher.routes[PATH] = Route(lambda: time.sleep(0.1))
    with open_client() as http, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _n: http.get(publisher.url(PATH)).close(), range(4)))
    assert route.most == 1
