"""The HTTP client of every harvest.

It refuses addresses that the guard blocks, limits bodies and waits, sends secrets to their own
server only and takes them out of every answer. It handles retries, redirects, pacing and
conditional requests for the readers. It reads nothing from the environment (proxies, netrc) and
keeps no cookies.
"""

from __future__ import annotations

import io
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from typing import IO

from urllib3 import BaseHTTPResponse, HTTPHeaderDict, Timeout
from urllib3.exceptions import HTTPError

from ckanext.ukharvest.core.errors import Aborted, BadStatus, Blocked, FetchError, Unreachable
from ckanext.ukharvest.core.http import body as bodies
from ckanext.ukharvest.core.http import connection, error_answers
from ckanext.ukharvest.core.http.credentials import Credential, Secrets
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import REDIRECTS, HttpLimits, Reply, Request, Turns
from ckanext.ukharvest.core.http.urls import join, normalise, origin, safe_url, with_query
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.core.values.text import counted

__all__ = ["Credential", "HttpClient", "HttpLimits", "Reply"]

USER_AGENT = "ckanext-ukharvest"

_RETRIED = {429, 500, 502, 503, 504}
_BACKOFF = 1.0  # seconds before the second attempt, doubled for each further one
_REASON_SECONDS = 5.0  # for the body of an answer that is an error by its status

DEFAULT_LIMITS = HttpLimits()


class HttpClient:
    """Reads URLs for one harvest; may be shared by threads; close it, or use ``with``.

    Args:
        guard: decides which addresses may be contacted; must be a proxied guard with ``proxy``.
        limits: limits of one request.
        user_agent: should name the portal and a contact, which publishers look for.
        credentials: secrets, each sent to its own server only.
        proxy: URL of an HTTP proxy, which then resolves names and makes the connections.
        turns: when requests to a host may begin; by default this client's own.
        sleep, clock: replace time.sleep and time.monotonic in tests.
    """

    def __init__(
        self,
        guard: Guard,
        limits: HttpLimits = DEFAULT_LIMITS,
        *,
        user_agent: str = USER_AGENT,
        credentials: Sequence[Credential] = (),
        proxy: str = "",
        turns: Turns | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if bool(proxy) != guard.proxied:
            raise ValueError("the guard has to know whether a proxy makes the connections")
        self.guard = guard
        self.limits = limits
        self._user_agent = user_agent
        self._secrets = Secrets(credentials, connection.secrets_of_proxy(proxy))
        self._secrets.open()
        self._sleep = sleep
        self._clock = clock
        self._deadline = connection.Deadline(clock)
        self._pools = connection.pool_manager(connection.Door(guard, self._deadline), proxy)
        self._turns = turns or Turns(clock)

    def get(
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        accept: str = "",
        validators: Validators | None = None,
        follow_redirects: bool = True,
        allow_status: Collection[int] = (),
        first: int = 0,
    ) -> Reply:
        """Read a URL; raise FetchError when there is no usable answer.

        Args:
            params: added to the URL's query.
            headers: extra headers; like credentials, they are not sent to another server.
            validators: of the cached copy; the reply may then be ``not_modified``.
            follow_redirects: False returns the redirect itself.
            allow_status: statuses besides 2xx that are returned, with their body.
            first: read at most this many unpacked bytes of the body, then close the connection.
                (HEAD would tell less, and many servers answer it differently.)
        """
        if params:
            url = with_query(url, params)
        own = {"Accept": accept or "*/*"}
        if validators is not None and validators.etag:
            own["If-None-Match"] = validators.etag
        if validators is not None and validators.last_modified:
            own["If-Modified-Since"] = validators.last_modified
        request = Request(
            *("GET", normalise(url), headers or {}, own, allow_status),
            follow=follow_redirects,
            first=first,
        )
        return self._answer(request)

    def post(
        self,
        url: str,
        *,
        body: bytes,
        content_type: str,
        headers: Mapping[str, str] | None = None,
        accept: str = "",
        allow_status: Collection[int] = (),
        idempotent: bool = False,
    ) -> Reply:
        """Send a body, such as a query; otherwise as ``get``. Retried only when ``idempotent``.

        A redirect is followed with the same method and body, 303 by GET: the bodies are queries,
        and a server that moved to https expects them there.
        """
        own = {"Accept": accept or "*/*", "Content-Type": content_type}
        request = Request(
            "POST", normalise(url), headers or {}, own, allow_status, body, repeat=idempotent
        )
        return self._answer(request)

    def abort(self) -> None:
        """End the requests of all threads, which raise Aborted, and refuse further ones."""
        self._deadline.abort()

    def close(self) -> None:
        """Close all connections."""
        self._pools.clear()
        self._secrets.close()

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, request: Request) -> Reply:
        """Follow redirects to the answer; raise BadStatus if its status is not allowed."""
        self._deadline.start(self.limits.total)
        url = request.url
        visited = {url}
        trusted = True  # so far only the server that the caller named was contacted
        while True:
            reply = self._attempts(request, url, trusted)
            location = reply.headers.get("Location", "")
            if not (request.follow and reply.status in REDIRECTS and location):
                break
            reply.close()
            try:
                target = join(url, location)
            except Blocked as exc:
                raise _redirected(request, exc) from exc
            self._check_redirect(request, target, visited, trusted)
            trusted = trusted and origin(target) == origin(url)
            if reply.status == HTTPStatus.SEE_OTHER:
                own = {name: request.own[name] for name in request.own if name != "Content-Type"}
                request = replace(request, method="GET", body=None, own=own)
            visited.add(target)
            url = target
        if not request.wants(reply.status):
            with reply:
                message = Message("{answer}.", answer=error_answers.describe_status(reply))
                code = error_answers.refusal_code(reply)
                raise BadStatus(message, status=reply.status, url=safe_url(reply.url), code=code)
        return reply

    def _check_redirect(
        self, request: Request, target: str, visited: set[str], trusted: bool
    ) -> None:
        """Raise FetchError when a redirect must not be followed."""
        if target in visited:
            why = Message("redirects in a circle; it may expect cookies, which are not kept")
        elif len(visited) > self.limits.max_redirects:
            why = Message(
                "redirects more than {max_redirects} times", max_redirects=self.limits.max_redirects
            )
        elif (
            trusted
            and request.url.startswith("https:")
            and target.startswith("http:")
            and (request.headers or self._secrets.of_server(request.url))
        ):
            why = Message(
                "redirects to {target} without https, where a credential is not safe",
                target=safe_url(target),
            )
        else:
            return
        raise FetchError(
            Message("{url} {why}.", url=safe_url(request.url), why=why),
            code="redirect",
            url=safe_url(request.url),
        )

    def _attempts(self, request: Request, url: str, trusted: bool) -> Reply:
        """Retry until there is a final answer, or no attempt is left."""
        for attempt in range(self.limits.retries + 1):
            last = attempt == self.limits.retries or not request.repeat
            wait = _BACKOFF * 2**attempt
            try:
                with self._turn(url):
                    reply = self._once(request, url, trusted)
            except Unreachable as exc:
                if last or not exc.retryable or wait >= self._deadline.left():
                    raise
            else:
                if last or reply.status not in _RETRIED or reply.status in request.allow:
                    return reply
                wait = max(wait, min(reply.retry_after, self.limits.retry_after_cap))
                if wait >= self._deadline.left():
                    return reply
                reply.close()
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, request: Request, url: str, trusted: bool) -> Reply:
        limits = self.limits
        response: BaseHTTPResponse | None = None
        try:
            self.guard.check_url(url)
            response = self._pools.urlopen(
                request.method,
                self._secrets.add_to(url) if trusted else url,
                body=request.body,
                headers=self._headers(request, url, trusted),
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
                timeout=Timeout(connect=self._deadline.cap(limits.connect), read=limits.read),
            )
            if not request.wants(response.status):
                body = self._reason(response, url)
            elif request.first:
                body = bodies.read_first(response, url, request.first, self._secrets)
            else:
                body = bodies.read(response, url, limits.max_bytes, self._secrets)
            headers = self._secrets.clean_headers(response.headers)
            return Reply(url, request.url, response.status, headers, body)
        except Blocked as exc:
            if url != request.url:
                raise _redirected(request, exc) from exc
            exc.url = safe_url(url)
            raise
        except (HTTPError, TimeoutError) as exc:
            raise self._unreachable(exc, url, response) from exc
        finally:
            if response is not None:
                response.close()
            if self._deadline.is_aborted:  # what was read may be a part
                raise Aborted

    def _reason(self, response: BaseHTTPResponse, url: str) -> IO[bytes]:
        """Return the beginning of an error's body, as far as it comes; its status counts."""
        if response.status >= HTTPStatus.BAD_REQUEST:
            with (
                suppress(FetchError, HTTPError, TimeoutError),
                self._deadline.at_most(_REASON_SECONDS),
            ):
                return bodies.read_first(response, url, error_answers.HEAD, self._secrets)
        return io.BytesIO()

    def _headers(self, request: Request, url: str, trusted: bool) -> HTTPHeaderDict:
        headers = HTTPHeaderDict(
            {"User-Agent": self._user_agent, "Accept-Encoding": bodies.ACCEPT_ENCODING}
        )
        for part in (
            request.own,
            *((request.headers, self._secrets.headers(url)) if trusted else ()),
        ):
            for name, value in part.items():
                headers[name] = value
        return headers

    @contextmanager
    def _turn(self, url: str) -> Iterator[None]:
        """Wait for a turn at this host; the wait is not the server's, and costs it no time."""
        host, token = origin(url)[1], uuid.uuid4().hex
        began = self._clock()
        while (wait := self._turns.take(host, token, self.limits)) > 0:
            self._sleep(wait)
            if self._deadline.is_aborted:
                raise Aborted
        self._deadline.postpone(self._clock() - began)
        try:
            yield
        finally:
            self._turns.leave(host, token, self.limits)

    def _unreachable(
        self, fault: Exception, url: str, response: BaseHTTPResponse | None
    ) -> Unreachable:
        limits = self.limits
        if self._deadline.left() <= 0:
            late = Message(
                "was not finished after {total:g} seconds, the most it may take", total=limits.total
            )
            reason = connection.Fault(late, "timeout", may_pass=False)
        else:
            reason = connection.classify(fault, origin(url)[1], limits.connect, limits.read)
        words = self._secrets.clean(reason.words)
        came = _progress(response) if response is not None else ""
        error = Unreachable(
            Message("{url} {words}{came}.", url=safe_url(url), words=words, came=came),
            url=safe_url(url),
        )
        error.retryable, error.kind = reason.may_pass, reason.kind
        return error


def _redirected(request: Request, blocked: Blocked) -> Blocked:
    url = safe_url(request.url)
    return Blocked(Message("{url} redirects: {reason}", url=url, reason=blocked.message), url=url)


def _progress(response: BaseHTTPResponse) -> str:
    """Return how much of a body came before it ended, as the end of a sentence."""
    promised = response.headers.get("Content-Length", "")
    came = response.tell()
    if promised.isdecimal() and len(promised) < 16 and came < int(promised):
        return Message(
            ": {came:,} of {bytes} came", came=came, bytes=counted(int(promised), "byte")
        )
    return Message(": {bytes} came", bytes=counted(came, "byte")) if came else ""


class MeteredClient(HttpClient):
    """As ``HttpClient``, for one thread; counts requests and bytes.

    Attributes:
        requests: number of requests sent, retries and redirects included.
        received: bytes of bodies that were read, unpacked.
    """

    requests = 0
    received = 0

    def _once(self, request: Request, url: str, trusted: bool) -> Reply:
        self.requests += 1
        try:
            reply = super()._once(request, url, trusted)
        except Blocked:
            self.requests -= 1  # no server was contacted
            raise
        self.received += reply.body.seek(0, io.SEEK_END)
        reply.body.seek(0)
        return reply
