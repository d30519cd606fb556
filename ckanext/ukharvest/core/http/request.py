"""Input and output of the HTTP client: limits, requests, replies."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import IO

from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.records import Validators

MIB = 1024 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})


def parameter(header: str, name: str) -> str:
    """Return a parameter of a header's value, such as ``charset`` of Content-Type; "" without it.

    The standard library's ``email`` also reads parts and encodings by RFC 2231, which raise errors
    or take minutes where a stranger wrote them.
    """
    match = re.search(rf""";\s*{re.escape(name)}\s*=\s*(?:"([^"]*)"|([^\s;"]*))""", header, re.I)
    return (match[1] or match[2] or "").strip() if match else ""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits of one request.

    Attributes:
        connect: seconds to make a connection.
        read: seconds without a byte.
        total: seconds for the request with redirects, retries and waits, but for the wait for a
            turn. Resolving a name cannot be interrupted and may add the resolver's own time limit.
        max_bytes: size of the unpacked body.
        max_redirects: redirects followed in a row.
        retries: further attempts after a failed one.
        delay: seconds between the starts of two requests to one host.
        at_once: requests to one host at the same time, 0 for any number. Like the delay, for all
            clients that share ``Turns``; a single client of its own keeps only the delay.
        retry_after_cap: longest wait, in seconds, even if the server asks for more.
    """

    connect: float = 10.0
    read: float = 60.0
    total: float = 900.0
    max_bytes: int = 200 * MIB
    max_redirects: int = 5
    retries: int = 3
    delay: float = 0.0
    at_once: int = 0
    retry_after_cap: float = 120.0


@dataclass(slots=True)
class Reply:
    """A response, read to its end unless only its first bytes were requested.

    Attributes:
        url: the URL that answered, in normal form and without fragment.
        requested_url: the requested URL, in the same form.
        headers: names are case-insensitive.
        body: the unpacked bytes, seekable, at position 0; close the reply when done with it.
    """

    url: str
    requested_url: str
    status: int
    headers: Mapping[str, str]
    body: IO[bytes]

    @property
    def content(self) -> bytes:
        """The whole body."""
        self.body.seek(0)
        data = self.body.read()
        self.body.seek(0)
        return data

    @property
    def media_type(self) -> str:
        """The media type in lower case, "" if the server names none."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """The charset in the Content-Type header, in lower case, "" for one that is not read."""
        name = parameter(self.headers.get("Content-Type", ""), "charset").lower()
        return name if encodings.find_codec(name) else ""

    @property
    def validators(self) -> Validators:
        """Validators for the next request, so that an unchanged document is not sent again."""
        return Validators(
            etag=self.headers.get("ETag", ""), last_modified=self.headers.get("Last-Modified", "")
        )

    @property
    def retry_after(self) -> float:
        """Seconds to wait before the next request, as the server asks; 0 if it does not."""
        text = self.headers.get("Retry-After", "").strip()
        if text.isdecimal():
            return float(text)
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return 0.0
        if when.tzinfo is None:  # "-0000": an unknown zone, according to RFC 5322
            when = when.replace(tzinfo=timezone.utc)
        return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())

    @property
    def not_modified(self) -> bool:
        """Whether the server says that the document has not changed since the validators."""
        return self.status == HTTPStatus.NOT_MODIFIED

    @property
    def redirected(self) -> bool:
        """Whether another URL answered than was requested, or the answer is a redirect."""
        return self.url != self.requested_url or self.status in REDIRECTS

    def close(self) -> None:
        self.body.close()

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the caller made it; ``url`` in normal form."""

    method: str
    url: str
    headers: Mapping[str, str]  # the caller's: only for the server that the caller named
    own: Mapping[str, str]  # ours: for any server
    allow: Collection[int]
    body: bytes | None = None
    follow: bool = True
    repeat: bool = True
    first: int = 0  # bytes of the body to read; 0: to its end

    def wants(self, status: int) -> bool:
        """Tell whether an answer with this status is returned to the caller, with its body."""
        if status == HTTPStatus.NOT_MODIFIED:
            return "If-None-Match" in self.own or "If-Modified-Since" in self.own
        if status in REDIRECTS and not self.follow:
            return True
        return 200 <= status < 300 or status in self.allow


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
