"""Connections to checked addresses, closed when the request's time is up.

``core/http/client.py`` decides what to request. This module changes two things in urllib3: the
address that a socket connects to, and how long a read may wait.
"""

from __future__ import annotations

import functools
import io
import ipaddress
import os
import socket
import ssl
import threading
import time
import weakref
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

import certifi
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager
from urllib3 import exceptions as faults
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import make_headers, parse_url
from urllib3.util.ssl_ import create_urllib3_context

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.guard import Guard, SocketAddress
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten

CONNECTIONS = 8  # connections kept per host: as many as threads read from it


class Deadline:
    """The time limit of this thread's request; every socket of the client checks it.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self.is_aborted = False

    def add(self, sock: socket.socket) -> None:
        """Have ``abort`` end the waits of a socket."""
        with self._lock:
            self._sockets.add(sock)

    def abort(self) -> None:
        """End the requests of all threads now; no time is left for further ones."""
        with self._lock:
            self.is_aborted = True
            sockets = list(self._sockets)
        for sock in sockets:
            with suppress(OSError):  # closed or not connected
                # Not that of SSLSocket, which another thread is reading from.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def start(self, seconds: float) -> None:
        """Set the time limit of this thread's request, in seconds from now."""
        self._thread.end = self._clock() + seconds

    def postpone(self, seconds: float) -> None:
        """Set the time limit later."""
        self._thread.end += seconds

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Set the time limit earlier for a while: at most so many seconds from now."""
        end = self._thread.end
        self._thread.end = min(end, self._clock() + seconds)
        try:
            yield
        finally:
            self._thread.end = end

    def left(self) -> float:
        """Return the seconds left, 0 or less when the time is up."""
        return 0.0 if self.is_aborted else float(self._thread.end) - self._clock()

    def cap(self, seconds: float) -> float:
        """Return the seconds that one wait may last; raise TimeoutError when no time is left."""
        left = self.left()
        if left <= 0:
            raise TimeoutError("the request's time is up")
        return min(seconds, left)


class _TimedReader(io.RawIOBase):
    """A socket's incoming bytes; no wait is longer than the request's remaining time.

    A socket's own timeout restarts with every byte, so a server that sends one byte a second would
    hold a worker for days, in the headers as well as in the body.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        deadline.add(sock)
        self._sock = sock
        self._patience = cast(float, sock.gettimeout())
        self._deadline = deadline
        # http.client may close the socket before the body is read; this file keeps it open.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._deadline.cap(self._patience))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _TimedSocket:
    """Replaces the socket in http.client.HTTPResponse, which only calls makefile()."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._deadline), 64 * 1024)


class Door:
    """Opens sockets: resolves a name once, connects to an allowed address, checks the peer."""

    def __init__(self, guard: Guard, deadline: Deadline) -> None:
        self.guard = guard
        self.deadline = deadline

    def open(self, conn: HTTPConnection, host: str) -> socket.socket:
        """Return a connected socket for ``conn``; raise Blocked or one of urllib3's errors."""
        host = host.strip("[]")
        try:
            return self._first(conn, self._targets(conn, host))
        except socket.gaierror as exc:
            raise faults.NameResolutionError(host, conn, exc) from exc
        except TimeoutError as exc:
            raise faults.ConnectTimeoutError(conn, "timed out") from exc
        except OSError as exc:
            raise faults.NewConnectionError(conn, str(exc)) from exc

    def _targets(self, conn: HTTPConnection, host: str) -> list[SocketAddress]:
        try:
            if conn.proxy is None:
                return self.guard.addresses(host, conn.port)
            # The proxy is the sysadmin's own choice and is usually on the internal network.
            answers = socket.getaddrinfo(host, conn.port, type=socket.SOCK_STREAM)
        except UnicodeError as exc:  # a label that DNS does not allow
            raise socket.gaierror(socket.EAI_NONAME, "not a host name") from exc
        return [(family, to) for family, _, _, _, to in answers]

    def _first(self, conn: HTTPConnection, targets: list[SocketAddress]) -> socket.socket:
        """Return a socket connected to the first target that answers; raise OSError if none."""
        error = OSError("the name has no address")
        for family, to in targets:
            sock = socket.socket(family, socket.SOCK_STREAM)
            self.deadline.add(sock)
            try:
                for option in conn.socket_options or ():
                    sock.setsockopt(*option)
                sock.settimeout(self.deadline.cap(cast(float, conn.timeout)))
                sock.connect(to)
                _check_peer(sock, to)
            except OSError as exc:  # the next address may answer
                sock.close()
                error = exc
            except Blocked:
                sock.close()
                raise
            else:
                return sock
        raise error


def _check_peer(sock: socket.socket, to: tuple[Any, ...]) -> None:
    """Raise Blocked unless the socket's other end is the address that was checked."""
    peer = ipaddress.ip_address(sock.getpeername()[0])
    if peer != ipaddress.ip_address(to[0]):
        raise Blocked(
            Message(
                "The connection to {sender} ended at {peer} and was closed.",
                sender=to[0],
                peer=peer,
            )
        )


class _HTTP(HTTPConnection):
    def __init__(self, *args: Any, door: Door, **options: Any) -> None:
        super().__init__(*args, **options)
        self._door = door

    def response_class(self, sock: socket.socket, **options: Any) -> HTTPResponse:  # type: ignore[override]
        return HTTPResponse(cast(socket.socket, _TimedSocket(sock, self._door.deadline)), **options)

    def _new_conn(self) -> socket.socket:
        return self._door.open(self, self._dns_host)


class _HTTPS(_HTTP, HTTPSConnection):
    """SNI and the certificate check use the name; only the socket's address is set by us."""


class _HTTPPool(HTTPConnectionPool):
    ConnectionCls = _HTTP


class _HTTPSPool(HTTPSConnectionPool):
    ConnectionCls = _HTTPS


def secrets_of_proxy(proxy: str) -> set[str]:
    """Return the texts of a proxy's login, which its answers may repeat."""
    login = unquote(parse_url(proxy).auth or "") if proxy else ""
    return {login, login.partition(":")[2], b64encode(login.encode()).decode()} - {""}


def pool_manager(door: Door, proxy: str = "") -> PoolManager:
    """Return connection pools that open their sockets through ``door``."""
    manager: PoolManager
    if proxy:
        login = make_headers(proxy_basic_auth=unquote(parse_url(proxy).auth or "") or None)
        manager = ProxyManager(proxy, proxy_headers=login, maxsize=CONNECTIONS)
    else:
        manager = PoolManager(maxsize=CONNECTIONS)

    def secure(host: str, port: int, **options: Any) -> _HTTPSPool:
        trust = _trust(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        return _HTTPSPool(host, port, door=door, **{**options, "ssl_context": trust})

    manager.pool_classes_by_scheme = {
        "http": cast(Any, functools.partial(_HTTPPool, door=door)),
        "https": cast(Any, secure),
    }
    return manager


@functools.lru_cache(maxsize=4)
def _trust(cert_file: str | None, cert_dir: str | None) -> ssl.SSLContext:
    """Return a context that trusts the authorities of the machine and of certifi.

    The arguments are the two environment variables that OpenSSL reads itself; a portal with its own
    authority sets one of them. Cached, since reading the certificates takes longer than most
    requests.
    """
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    context.load_default_certs()
    context.load_verify_locations(certifi.where())
    return context


class Fault(NamedTuple):
    """What kept an answer from coming.

    Attributes:
        words: the end of a sentence.
        kind: as ``Unreachable.kind`` has it.
        may_pass: a retry may help.
    """

    words: str
    kind: str = "connection"
    may_pass: bool = True


def classify(fault: Exception, host: str, connect: float, read: float) -> Fault:
    """Return what kept an answer from coming.

    Args:
        fault: what urllib3 raised.
        connect, read: the limits of the request, in seconds.
    """
    if isinstance(fault, faults.ProxyError):
        inner = classify(fault.original_error, "the portal's proxy", connect, read)
        return inner._replace(
            words=Message(
                "cannot be read through the portal's proxy: it {words}", words=inner.words
            )
        )
    cause = fault.__cause__
    if isinstance(fault, faults.NameResolutionError):
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN:
            return Fault(
                Message(
                    "cannot be reached: the name {host} cannot be looked up just now", host=host
                )
            )
        return Fault(
            Message("cannot be reached: the name {host} is not known", host=host),
            "unknown-name",
            False,
        )
    if isinstance(fault, faults.NewConnectionError):
        if isinstance(cause, ConnectionRefusedError):
            return Fault(
                Message("cannot be reached: {host} refused the connection", host=host), "refused"
            )
        return Fault(Message("cannot be reached: no connection to {host} is made", host=host))
    if isinstance(fault, faults.ConnectTimeoutError):
        words = Message(
            "cannot be reached: {host} did not answer within {connect:g} seconds",
            host=host,
            connect=connect,
        )
        return Fault(words, "timeout")
    if isinstance(fault, faults.TimeoutError | TimeoutError):
        return Fault(
            Message(
                "cannot be read: {host} sent nothing for {read:g} seconds", host=host, read=read
            ),
            "timeout",
        )
    return _tls_fault(fault, host) if isinstance(fault, faults.SSLError) else _break(fault, host)


def _break(fault: Exception, host: str) -> Fault:
    inner = fault.args[-1] if fault.args else None
    # RemoteDisconnected is both a bad status line and a connection error.
    garbled = isinstance(inner, HTTPException) and not isinstance(inner, ConnectionError)
    if garbled and not isinstance(inner, IncompleteRead):
        line = shorten(str(inner.args[0]), 60) if isinstance(inner, BadStatusLine) else ""
        instead = Message(" but with '{line}'", line=line) if line else ""
        return Fault(
            Message(
                "cannot be read: {host} did not answer in HTTP{instead}", host=host, instead=instead
            )
        )
    return Fault(
        Message(
            "cannot be read: {host} broke the connection off before its answer was complete",
            host=host,
        )
    )


def _tls_fault(fault: faults.SSLError, host: str) -> Fault:
    inner = fault.args[0] if fault.args else None
    if isinstance(inner, ssl.SSLCertVerificationError):
        words = Message(
            "cannot be trusted: the certificate of {host} failed ({verify_message})",
            host=host,
            verify_message=inner.verify_message,
        )
        return Fault(words, "certificate", False)
    reason = getattr(inner, "reason", "") or Message("no shared protocol")
    if reason == "WRONG_VERSION_NUMBER":  # OpenSSL's word for an answer that is not encrypted
        reason = Message(
            "it answers without encryption; if it has no https, write http:// before its name"
        )
    return Fault(
        Message(
            "cannot be read: no secure connection to {host} could be made ({reason})",
            host=host,
            reason=reason,
        )
    )
