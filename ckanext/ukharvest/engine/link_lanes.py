"""Check links of several hosts at the same time, those of one host one after the other.

Threads only use the network; results are handed to the caller's thread, which has the database.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import Aborted
from ckanext.ukharvest.core.http.client import MeteredClient
from ckanext.ukharvest.core.link_states import LinkFault, LinkResult, host_of
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.model.link_checks import Due
from ckanext.ukharvest.quality.link_check import check as link_checker

SILENT_AFTER = 3  # failures in a row after which a host is not tried again
LONGEST_WAIT = 0.5  # seconds after which it is asked again whether to go on
LAST_WAIT = 1.0  # seconds that aborted requests get to end


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a link, and what it cost: requests and bytes; 0 if its host was left alone.

    The result is None if the check was broken off.
    """

    result: LinkResult | None
    requests: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class _Task:
    host: str
    client: MeteredClient
    began: float
    requests: int
    received: int

    def checked(self, result: LinkResult | None) -> Checked:
        """Return a result with what it cost."""
        client = self.client
        return Checked(result, client.requests - self.requests, client.received - self.received)


class Lanes:
    """The hosts of one pass over the links that are due.

    A host gets the next request after the client's delay, and after as long as it needed for the
    last link: a slow host is asked less often. One that failed several times in a row is left alone
    for the rest of the pass.

    Args:
        clients: one for each link that is checked at the same time.
        must_end: whether to break off, after the clients were told to abort.
    """

    def __init__(
        self, clients: Sequence[MeteredClient], must_end: Callable[[], bool] = lambda: False
    ) -> None:
        self._clients = deque(clients)
        self._must_end = must_end
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
        running: dict[Future[LinkResult], _Task] = {}
        pool = ThreadPoolExecutor(len(self._clients))
        try:
            while waiting or running:
                if self._must_end():
                    yield self._break_off(running)
                    return
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
        finally:
            # A name look-up cannot be ended; its thread outlives the check.
            pool.shutdown(wait=not self._must_end(), cancel_futures=True)

    def _break_off(self, running: Mapping[Future[LinkResult], _Task]) -> list[Checked]:
        """Return the links under way, with a result if they have ended already."""
        ended = wait(running, timeout=LAST_WAIT).done
        return [
            self._finish(done, task) if done in ended else task.checked(None)
            for done, task in running.items()
        ]

    def _next_host(
        self, waiting: dict[str, deque[Due]], running: dict[Future[LinkResult], _Task]
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
        running: dict[Future[LinkResult], _Task],
    ) -> None:
        # To the end of the line, so that each host gets its turn.
        links = waiting.pop(host)
        link = links.popleft()
        if links:
            waiting[host] = links
        client = self._clients.popleft()
        task = _Task(host, client, time.monotonic(), client.requests, client.received)
        running[pool.submit(_check, link, client)] = task

    def _ended(
        self, waiting: Mapping[str, deque[Due]], running: dict[Future[LinkResult], _Task]
    ) -> set[Future[LinkResult]]:
        """Wait a moment for a link or for the turn of another host; return what has ended."""
        busy, now = {task.host for task in running.values()}, time.monotonic()
        free = [self._ready.get(host, 0.0) for host in waiting if host not in busy]
        pause = max(0.0, min(free) - now) if free and self._clients else LONGEST_WAIT
        pause = min(pause, LONGEST_WAIT)
        if running:
            return wait(running, timeout=pause, return_when=FIRST_COMPLETED).done
        if pause:
            time.sleep(pause)
        return set()

    def _finish(self, done: Future[LinkResult], task: _Task) -> Checked:
        self._clients.append(task.client)
        now = time.monotonic()
        try:
            result = done.result()
        except Aborted:
            return task.checked(None)
        delay = task.client.limits.delay
        self._ready[task.host] = now + max(delay, now - task.began) if delay else now
        self._failed[task.host] = 0 if result.is_lasting else self._failed[task.host] + 1
        return task.checked(result)


def _check(due: Due, client: MeteredClient) -> LinkResult:
    return link_checker.check_link(due.url, client, expected=due.expected)


def _left_alone(due: Due) -> Checked:
    host = shorten(host_of(due.url))
    why = (
        f"{host} did not answer {SILENT_AFTER} times in a row, so this address was not tried; it "
        "is tried again later"
    )
    return Checked(LinkResult(due.url, why=why, is_lasting=False, fault=LinkFault.NOT_ASKED))
