"""Helpers of the network's tests: a client in one line and a name server of our own."""

from __future__ import annotations

import socket
from typing import Any

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from tests.conftest import LOOPBACK, FakeTime


def client(guard: Guard | None = None, *, time: FakeTime | None = None, **more: Any) -> HttpClient:
    """Return a client; keywords are HttpLimits' or HttpClient's own."""
    limits = {name: more.pop(name) for name in list(more) if name in HttpLimits.__slots__}
    if time is not None:
        more |= {"sleep": time.sleep, "clock": time.clock}
    return HttpClient(guard or Guard(LOOPBACK), HttpLimits(**limits), **more)


def addr_info(*addresses: str) -> list[tuple[Any, ...]]:
    """Return what getaddrinfo would for these addresses; the port is filled in later."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]


class Names:
    """A name server in place of getaddrinfo: each look-up uses the next answer, the last repeats.

    Addresses resolve to themselves.
    """

    def __init__(self, *answers: list[tuple[Any, ...]] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        if host[0].isdigit() or ":" in host:
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return [(*rest, (address, port)) for *rest, address in answer]
