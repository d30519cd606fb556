"""An HTTP client that tells how long each server took to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ckanext.ukharvest.core.address import origin
from ckanext.ukharvest.core.errors import Unreachable
from ckanext.ukharvest.core.exchange import Ask, Reply
from ckanext.ukharvest.core.http import HttpClient

Attempt = tuple[str, float, bool]  # host, seconds until the body was read, whether it failed
Note = Callable[[Sequence[Attempt]], None]

SERVER_FAULT = 500
MOST = 500  # attempts that are told at once


class WatchedClient(HttpClient):
    """As ``HttpClient``; ``note`` is told of its attempts, now and then and when it is closed.

    Args:
        note: gets the attempts, retries and redirects included. Those failed that got no answer, or
            one that blames the server. Must not raise. Refused addresses are not told: nobody was
            asked.
    """

    def __init__(self, *args: Any, note: Note, **more: Any) -> None:
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
