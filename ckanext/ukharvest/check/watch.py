"""The door to the network for a trial: it keeps to a budget and notes what was asked."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ckanext.ukharvest.core.address import shown
from ckanext.ukharvest.core.errors import BadStatus, FetchError, TooLarge
from ckanext.ukharvest.core.http import HttpClient, Reply

MIB = 1024 * 1024
HEAD = 8192  # bytes of an answer that are kept to tell what it is
MOST_ASKED = 8  # requests that are told; those of a long read are alike


class Over(Exception):  # noqa: N818 - no fault, and no reader may take it for one
    """A trial ends here, whatever the source still has.

    Attributes:
        why: "time", "size", "enough" (as many records as were asked for) or "stopped".
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Budget:
    """How far a trial may go.

    Attributes:
        records: how many are read; 0: all.
        seconds: that it may take.
        megabytes: of answers, unpacked; 0: what the portal's limits allow each.
        request: seconds of one request with its repetitions.
    """

    records: int = 20
    seconds: float = 60.0
    megabytes: int = 20
    request: float = 30.0


@dataclass(slots=True)
class Asked:
    """One request and what came back; ``to``: the address that answered, if it was another."""

    method: str
    url: str
    status: int = 0
    media_type: str = ""
    seconds: float = 0.0
    size: int = 0
    to: str = ""


@dataclass
class Watched:
    """Asks as ``HttpClient`` does, within a budget; readers do not notice.

    Attributes:
        asked: the first requests.
        number: of all requests.
        head: the first bytes of the latest answer, "" for none.
        left: requests that may still be sent, because enough was read; None: as many as it takes.
        on_answer: called after an answer, by the thread that made this object.
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
        """How long it has taken."""
        return self.clock() - self.began

    def get(self, url: str, **how: Any) -> Reply:
        """As HttpClient.get; raise Over where the budget is spent."""
        return self._ask("GET", url, lambda: self.http.get(url, **how))

    def post(self, url: str, **how: Any) -> Reply:
        """As HttpClient.post; raise Over where the budget is spent."""
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
        note, began = Asked(method, shown(url)), self.clock()
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
        note.size = reply.body.seek(0, io.SEEK_END)
        reply.body.seek(0)
        note.media_type = reply.media_type
        note.url = shown(reply.requested_url)
        note.to = shown(reply.url) if reply.url != reply.requested_url else ""
        self._note(note, began, status=reply.status, head=head)

    def _note(self, note: Asked, began: float, *, status: int, head: bytes = b"") -> None:
        note.status, note.seconds = status, round(self.clock() - began, 2)
        with self._lock:
            self.number += 1
            self.size += note.size
            self.head = head
            if len(self.asked) < MOST_ASKED:
                self.asked.append(note)

    def told(self) -> list[dict[str, Any]]:
        """The first requests, for the result."""
        return [asdict(each) for each in self.asked]
