"""Limit how many requests a host gets at a time, and how soon after each other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ckanext.ukharvest.core.http.request import HttpLimits


class Turns:
    """The turns of one process: keeps ``HttpLimits.delay`` between two requests to a host.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next_start: dict[str, float] = {}  # host → clock

    def take(self, host: str, _token: str, limits: HttpLimits) -> float:
        """Take a turn under a token of one's own.

        Returns:
            0 if the request may begin now, else after how many seconds to ask again.
        """
        if not limits.delay:
            return 0.0
        with self._lock:
            now = self._clock()
            start = self._next_start.get(host, now)
            if start > now:
                return start - now
            self._next_start[host] = now + limits.delay
        return 0.0

    def leave(self, host: str, token: str, limits: HttpLimits) -> None:
        """End a turn: the request has its answer, or has failed."""
