"""One publisher gets no more requests at a time than the portal allows, from all its processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.engine import host_turns
from ckanext.ukharvest.engine.host_turns import SharedTurns
from ckanext.ukharvest.engine.http_client import open_client
from tests.publisher import Publisher, Request, Response

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("plugins")]

PATH = "/slow"


class Slow:
    """A route that knows how many requests it answers at the same time, and when each began."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0
        self.begun: list[float] = []

    def __call__(self, _request: Request) -> Response:
        with self._lock:
            self.begun.append(time.monotonic())
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1
        return Response(b"{}")


def ask(url: str, limits: HttpLimits) -> None:
    """Ask as another process does, with a client and turns of its own."""
    guard = Guard(allow=["127.0.0.1"])
    with HttpClient(guard, limits, turns=SharedTurns()) as http:
        http.get(url).close()


def ask_at_once(publisher: Publisher, route: Callable[[Request], Response], **given: Any) -> None:
    publisher.routes[PATH] = route
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(ask, publisher.url(PATH), HttpLimits(**given)) for _ in range(6)]
        for each in asked:
            each.result()


def test_so_many_requests_at_once(publisher: Publisher) -> None:
    slow = Slow(0.2)
    ask_at_once(publisher, slow, at_once=2)
    assert (slow.most, len(slow.begun)) == (2, 6)


def test_the_wait_for_a_turn_is_not_the_servers(publisher: Publisher) -> None:
    slow = Slow(0.3)
    ask_at_once(publisher, slow, at_once=1, total=1.0, retries=0)
    assert (slow.most, len(slow.begun)) == (1, 6)


def test_the_delay_is_kept(publisher: Publisher) -> None:
    slow = Slow(0)
    ask_at_once(publisher, slow, delay=0.2)
    pauses = [b - a for a, b in zip(slow.begun, slow.begun[1:], strict=False)]
    assert len(pauses) == 5
    assert min(pauses) > 0.15


def test_without_a_delay_nobody_waits_for_the_delay_of_others(publisher: Publisher) -> None:
    publisher.serve(PATH, {})
    ask(publisher.url(PATH), HttpLimits(delay=30))  # such as the link checker
    began = time.monotonic()
    ask(publisher.url(PATH), HttpLimits(at_once=1))
    assert time.monotonic() - began < 20


def test_the_turn_of_a_killed_process_ends(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host_turns.LONGEST < 60  # seconds, of which a portal loses each at every kill
    monkeypatch.setattr(host_turns, "LONGEST", 0.5)
    limits = HttpLimits(at_once=1)
    publisher.serve(PATH, {})
    began = time.monotonic()
    assert SharedTurns().take("127.0.0.1", "killed", limits) == 0
    ask(publisher.url(PATH), limits)
    assert time.monotonic() - began > 0.4


def test_without_redis_requests_go_on(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_turns, "connect_to_redis", lambda: redis.Redis(port=1))
    publisher.serve(PATH, {})
    ask(publisher.url(PATH), HttpLimits(at_once=1, delay=0.01))


def test_harvests_take_turns(publisher: Publisher, ckan_config: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.requests_per_host", 1)
    slow = Slow(0.1)
    publisher.routes[PATH] = slow
    with open_client() as http, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _n: http.get(publisher.url(PATH)).close(), range(4)))
    assert slow.most == 1
