"""An HTTP client that counts what it costs."""

from __future__ import annotations

import io

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Ask, Reply


class MeteredClient(HttpClient):
    """As ``HttpClient``, for one thread; counts requests and bytes.

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
