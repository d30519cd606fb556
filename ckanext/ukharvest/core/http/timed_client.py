"""An HTTP client that reports how long each server took to answer."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from ckanext.ukharvest.core.errors import Blocked, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Ask, Reply
from ckanext.ukharvest.core.http.urls import origin

Attempt = tuple[str, float, bool]  # host, seconds until the body was read, whether it failed
ReportAttempts = Callable[[Sequence[Attempt]], None]

SERVER_FAULT = 500
MOST = 500  # attempts reported at once


class TimedClient(HttpClient):
    """As ``HttpClient``; reports its attempts to ``note``, in batches and when it is closed.

    Args:
        note: gets the attempts, retries and redirects included. An attempt failed if it got no
            answer, or a server error. Must not raise. Blocked addresses are not reported: no
            server was contacted.
    """

    def __init__(self, *args: Any, note: ReportAttempts, **more: Any) -> None:
        super().__init__(*args, **more)
        self._note = note
        self._untold: list[Attempt] = []

    def close(self) -> None:
        super().close()
        self._tell()

    def _once(self, ask: Ask, url: str, trusted: bool) -> Reply:
        began = self._clock()
        try:
            reply = super()._once(ask, url, trusted)
        except Unreachable:
            self._keep(url, began, True)
            raise
        self._keep(url, began, reply.status >= SERVER_FAULT)
        return reply

    def _keep(self, url: str, began: float, failed: bool) -> None:
        self._untold.append((origin(url)[1], self._clock() - began, failed))
        if len(self._untold) >= MOST:
            self._tell()

    def _tell(self) -> None:
        told, self._untold = self._untold, []
        if told:
            self._note(told)


class MeteredClient(TimedClient):
    """As ``TimedClient``, for one thread; also counts what it costs.

    Attributes:
        requests: number of requests sent, retries and redirects included.
        received: bytes of bodies that were read, unpacked.
    """

    requests = 0
    received = 0

    def _once(self, ask: Ask, url: str, trusted: bool) -> Reply:
        self.requests += 1
        try:
            reply = super()._once(ask, url, trusted)
        except Blocked:
            self.requests -= 1  # no server was contacted
            raise
        self.received += reply.body.seek(0, io.SEEK_END)
        reply.body.seek(0)
        return reply
