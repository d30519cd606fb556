"""An HTTP client for previews that keeps to a budget and lists its requests."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ckanext.ukharvest.core.errors import BadStatus, FetchError, TooLarge
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.reading.preview_result import Asked

MIB = 1024 * 1024
HEAD = 8192  # bytes of a response that are kept to detect its type
MOST_ASKED = 8  # requests in the result; those of a long read are alike


class Over(Exception):  # noqa: N818 - not an error, and no reader may catch it as one
    """The preview ends before the source does.

    Attributes:
        why: "time", "size", "enough" (the budget's number of records was read) or "stopped".
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a preview.

    Attributes:
        records: number to read; 0: all.
        seconds: of the whole preview.
        megabytes: of all responses, decompressed; 0: only the portal's limit for each response.
        request: seconds of one request, with retries.
    """

    records: int = 20
    seconds: float = 60.0
    megabytes: int = 20
    request: float = 30.0


@dataclass
class Watched:
    """Stands in for ``HttpClient`` in readers, within a budget.

    Attributes:
        asked: the first requests.
        number: of all requests.
        size: bytes of all responses.
        head: the first bytes of the latest response, b"" for none.
        left: number of requests still allowed after enough was read; None: no limit.
        on_answer: called after a response, only in the thread that created this object.
    """

    http: HttpClient
    budget: Budget
    clock: Callable[[], float] = time.monotonic
    asked: list[Asked] = field(default_factory=list)
    number: int = 0
    size: int = 0
    head: bytes = b""
    left: int | None = None
    on_answer: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._limits = self.http.limits
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self.began = self.clock()

    @property
    def seconds(self) -> float:
        """Return the seconds since the preview began."""
        return self.clock() - self.began

    def get(self, url: str, **how: Any) -> Reply:
        """Call HttpClient.get; raise Over if the budget is spent."""
        return self._ask("GET", url, lambda: self.http.get(url, **how))

    def post(self, url: str, **how: Any) -> Reply:
        """Call HttpClient.post; raise Over if the budget is spent."""
        return self._ask("POST", url, lambda: self.http.post(url, **how))

    def check(self) -> None:
        """Raise Over if the time is up."""
        if self.seconds >= self.budget.seconds:
            raise Over("time")

    def _ask(self, method: str, url: str, send: Callable[[], Reply]) -> Reply:
        if self.left is not None:
            if not self.left:
                raise Over("enough")
            self.left -= 1
        self.check()
        left = self._size_left()
        wait = min(self._limits.total, self.budget.request, self.budget.seconds - self.seconds)
        read = min(self._limits.read, wait)
        self.http.limits = replace(self._limits, total=wait, read=read, max_bytes=left)
        note: Asked = {
            "method": method,
            "url": safe_url(url),
            "status": 0,
            "media_type": "",
            "seconds": 0.0,
            "size": 0,
            "to": "",
        }
        began = self.clock()
        try:
            reply = send()
        except FetchError as exc:
            self._note(note, began, status=exc.status if isinstance(exc, BadStatus) else 0)
            if isinstance(exc, TooLarge) and left < self._limits.max_bytes:
                raise Over("size") from exc
            self.check()
            raise
        self._read(note, began, reply)
        if threading.get_ident() == self._thread:
            self.on_answer()
        return reply

    def _size_left(self) -> int:
        if not self.budget.megabytes:
            return self._limits.max_bytes
        left = self.budget.megabytes * MIB - self.size
        if left <= 0:
            raise Over("size")
        return min(left, self._limits.max_bytes)

    def _read(self, note: Asked, began: float, reply: Reply) -> None:
        head = reply.body.read(HEAD)
        note["size"] = reply.body.seek(0, io.SEEK_END)
        reply.body.seek(0)
        note["media_type"] = reply.media_type
        note["url"] = safe_url(reply.requested_url)
        note["to"] = safe_url(reply.url) if reply.url != reply.requested_url else ""
        self._note(note, began, status=reply.status, head=head)

    def _note(self, note: Asked, began: float, *, status: int, head: bytes = b"") -> None:
        note["status"], note["seconds"] = status, round(self.clock() - began, 2)
        with self._lock:
            self.number += 1
            self.size += note["size"]
            self.head = head
            if len(self.asked) < MOST_ASKED:
                self.asked.append(note)
