"""Check links of several hosts at the same time, those of one host one after the other.

Threads only use the network; results are handed to the caller's thread, which has the database.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ckanext.ukharvest.core.http.timed_client import MeteredClient
from ckanext.ukharvest.core.link_result import LinkResult
from ckanext.ukharvest.core.link_states import LinkFault, host_of
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.model.link_checks import Due
from ckanext.ukharvest.quality.link_check import check as link_checker

SILENT_AFTER = 3  # failures in a row after which a host is not tried again


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a link, and what it cost: requests and bytes; 0 if its host was left alone."""

    result: LinkResult
    requests: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class _Task:
    host: str
    client: MeteredClient
    began: float


class Lanes:
    """The hosts of one pass over the links that are due.

    A host gets the next request after the client's delay, and after as long as it needed for the
    last link: a slow host is asked less often. One that failed several times in a row is left alone
    for the rest of the pass.

    Args:
        clients: one for each link that is checked at the same time.
    """

    def __init__(self, clients: Sequence[MeteredClient]) -> None:
        self._clients = deque(clients)
        self._ready: dict[str, float] = {}  # host → time.monotonic() of its next request
        self._failed: Counter[str] = Counter()  # host → failures in a row

    def check(
        self, links: Sequence[Due], may_start: Callable[[int], bool]
    ) -> Iterator[list[Checked]]:
        """Check links; end early, after the links under way, if none may start then.

        What ended while the caller was busy comes together, so that it can be saved together.

        Args:
            may_start: told how many are under way, whether one more may be checked now.
        """
        waiting: dict[str, deque[Due]] = {}
        for each in links:
            waiting.setdefault(host_of(each.url), deque()).append(each)
        running: dict[Future[Checked], _Task] = {}
        with ThreadPoolExecutor(len(self._clients)) as pool:
            while waiting or running:
                may = True
                while may and (host := self._next_host(waiting, running)) is not None:
                    if self._failed[host] >= SILENT_AFTER:
                        yield [_left_alone(each) for each in waiting.pop(host)]
                    elif may := may_start(len(running)):
                        self._start(pool, host, waiting, running)
                if not may and not running:
                    return
                if ended := self._ended(waiting if may else {}, running):
                    yield [self._finish(done, running.pop(done)) for done in ended]

    def _next_host(
        self, waiting: dict[str, deque[Due]], running: dict[Future[Checked], _Task]
    ) -> str | None:
        """Return a host that can be asked now, None if there is none or no client is free."""
        if not self._clients:
            return None
        busy, now = {task.host for task in running.values()}, time.monotonic()
        free = (host for host in waiting if host not in busy)
        return next((host for host in free if self._ready.get(host, 0.0) <= now), None)

    def _start(
        self,
        pool: ThreadPoolExecutor,
        host: str,
        waiting: dict[str, deque[Due]],
        running: dict[Future[Checked], _Task],
    ) -> None:
        # To the end of the line, so that each host gets its turn.
        links = waiting.pop(host)
        link = links.popleft()
        if links:
            waiting[host] = links
        client = self._clients.popleft()
        running[pool.submit(_check, link, client)] = _Task(host, client, time.monotonic())

    def _ended(
        self, waiting: Mapping[str, deque[Due]], running: dict[Future[Checked], _Task]
    ) -> set[Future[Checked]]:
        """Wait until a link is checked or another host can be asked; return what has ended."""
        busy, now = {task.host for task in running.values()}, time.monotonic()
        free = [self._ready.get(host, 0.0) for host in waiting if host not in busy]
        pause = max(0.0, min(free) - now) if free and self._clients else None
        if running:
            return wait(running, timeout=pause, return_when=FIRST_COMPLETED).done
        if pause:
            time.sleep(pause)
        return set()

    def _finish(self, done: Future[Checked], task: _Task) -> Checked:
        self._clients.append(task.client)
        checked, now = done.result(), time.monotonic()
        delay = task.client.limits.delay
        self._ready[task.host] = now + max(delay, now - task.began) if delay else now
        is_lasting = checked.result.is_lasting
        self._failed[task.host] = 0 if is_lasting else self._failed[task.host] + 1
        return checked


def _check(due: Due, client: MeteredClient) -> Checked:
    requests, received = client.requests, client.received
    result = link_checker.check_link(due.url, client, expected=due.expected)
    return Checked(result, client.requests - requests, client.received - received)


def _left_alone(due: Due) -> Checked:
    host = shorten(host_of(due.url))
    why = (
        f"{host} did not answer {SILENT_AFTER} times in a row, so this address was not tried; it "
        "is tried again later"
    )
    return Checked(LinkResult(due.url, why=why, is_lasting=False, fault=LinkFault.NOT_ASKED))
