"""A publisher on the loopback interface, which tests and the demo harvest. Needs no CKAN."""

from __future__ import annotations

import gzip
import itertools
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PLACE = "http://publisher.test"  # in recorded files: replaced by the server's own URL


@dataclass(frozen=True)
class Request:
    """A received request. ``path`` includes the query, ``headers`` accept names in any case."""

    method: str
    path: str
    headers: Message
    body: bytes = b""


@dataclass(frozen=True)
class Response:
    """A reply.

    Attributes:
        body: bytes, or an iterable of bytes, which is sent in chunks.
        etag: replies 304 to a request that sends it back.
        packed: send the body as gzip.
        pause: seconds before each byte of the body.
        slow_start: apply ``pause`` to the header lines as well.
        cut: reset the TCP connection after this many bytes of the body; -1 sends nothing of the
            reply.
        hang: send nothing until the publisher is closed.
        raw: these bytes are all that is sent, head included, instead of HTTP's; then it hangs up.
    """

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str = ""
    packed: bool = False
    pause: float = 0.0
    slow_start: bool = False
    cut: int | None = None
    hang: bool = False
    raw: Iterable[bytes] = ()


Route = Response | Callable[[Request], Response]


class Everything(dict[str, Route]):
    """Routes that give every path the same answer.

    Args:
        route: the answer.
        path: listed among the routes, "" for none.
    """

    def __init__(self, route: Route, path: str = "") -> None:
        super().__init__({path: route} if path else {})
        self._route = route

    def get(self, _key: str, _default: Route | None = None) -> Route:  # type: ignore[override]
        return self._route


class Publisher:
    """Serves a mapping of path and query to responses; anything else is 404.

    Routes may change while it runs::

        with Publisher({"/data.json": Response(b"{}")}) as publisher:
            client.get(publisher.url("/data.json"))
            assert publisher.paths == ["/data.json"]

    Args:
        routes: "/path?query", exactly as requested, to a response or a function of the request.
            A key with a method, "POST /csw", serves that method only.
        tls: makes it an https server.
        port: 0 takes a free one.
        host: another address of this machine, such as 127.0.0.2.
    """

    def __init__(
        self,
        routes: Mapping[str, Route] | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
        host: str = "127.0.0.1",
    ) -> None:
        self.host = host
        self.routes: dict[str, Route] = dict(routes or {})
        self.requests: list[Request] = []
        self.connections = 0
        self.closing = threading.Event()
        self._failing: dict[str, list[Response]] = {}
        self._lock = threading.Lock()
        self._tls = tls
        self._server = _Server((host, port), _Handler)
        self._server.publisher = self
        if tls is not None:
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Publisher:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def base(self) -> str:
        """Return the server's URL without a slash at the end."""
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}"

    @property
    def paths(self) -> list[str]:
        """Return the requested paths and queries, in order."""
        return [request.path for request in self.requests]

    def url(self, path: str = "/", host: str = "") -> str:
        """Return the URL of a path, with another host name if given."""
        return (self.base.replace(self.host, host) if host else self.base) + path

    def neutral(self, text: str) -> str:
        """Return a text with the server's URL, whose port changes, replaced by PLACE."""
        return text.replace(self.base, PLACE)

    def serve(self, path: str, body: Any = b"", **more: Any) -> None:
        """Set a route: text as UTF-8, a dict or list of them as JSON; ``more`` as in Response."""
        if isinstance(body, str):
            body = body.encode()
        elif isinstance(body, dict) or (isinstance(body, list) and not _are_pieces(body)):
            body = json.dumps(body).encode()
            more["headers"] = {"Content-Type": "application/json", **more.get("headers", {})}
        self.routes[path] = Response(body, **more)

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """Redirect a path to another path or URL."""
        self.routes[path] = Response(status=status, headers={"Location": to})

    def fail(self, path: str, status: int = 500, times: int = 1, **more: Any) -> None:
        """Answer the next requests for a path with an error, then serve its route again."""
        with self._lock:
            self._failing.setdefault(path, []).extend([Response(status=status, **more)] * times)

    def recover(self) -> None:
        """Forget the remaining failures."""
        with self._lock:
            self._failing.clear()

    def respond(self, request: Request) -> Response:
        """Record a request and return its answer."""
        with self._lock:
            self.requests.append(request)
            failing = self._failing.get(request.path)
            if failing:
                return failing.pop(0)
        route = self.routes.get(f"{request.method} {request.path}", self.routes.get(request.path))
        if route is None:
            return Response(b"not found", 404)
        response = route(request) if callable(route) else route
        if response.etag:
            headers = {**response.headers, "ETag": response.etag}
            response = replace(response, headers=headers)
            if request.headers.get("If-None-Match") == response.etag:
                response = replace(response, status=304, body=b"")
        return response


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    publisher: Publisher

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise a reply's second write waits 40 ms for an ACK
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.publisher.connections += 1

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        publisher = self.server.publisher
        response = publisher.respond(Request(self.command, self.path, self.headers, body))
        if response.hang:
            publisher.closing.wait()
            self.close_connection = True  # a client that is still there must not wait for more
        elif response.cut == -1:
            self._reset()
        elif response.raw:
            self.wfile.writelines(response.raw)
            self.close_connection = True
        else:
            self._send(response)

    do_GET = do_POST = do_HEAD = handle_any  # noqa: N815  # http.server's names

    def _send(self, response: Response) -> None:
        body = response.body
        headers = dict(response.headers)
        if response.packed and isinstance(body, bytes):
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        if isinstance(body, bytes):
            headers.setdefault("Content-Length", str(len(body)))
        else:
            headers["Transfer-Encoding"] = "chunked"
        self._start(response, headers)
        if response.status == 304 or self.command == "HEAD":
            return
        if not isinstance(body, bytes):
            for piece in itertools.chain(body, (b"",)):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return
        self._drip(body if response.cut is None else body[: response.cut], response.pause)
        if response.cut is not None:
            self._reset()

    def _start(self, response: Response, headers: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {response.status} {self.responses.get(response.status, ('',))[0]}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        # Raw UTF-8, as real servers send it; BaseHTTPRequestHandler.send_header sends Latin-1.
        head = "\r\n".join((*lines, "", "")).encode()
        self._drip(head, response.pause if response.slow_start else 0.0)
        self.close_connection |= headers.get("Connection", "").lower() == "close"

    def _drip(self, data: bytes, pause: float) -> None:
        if not pause:
            self.wfile.write(data)
            return
        for number in range(len(data)):
            time.sleep(pause)
            self.wfile.write(data[number : number + 1])

    def _reset(self) -> None:
        self.wfile.flush()
        # Linger 0 makes close() send RST instead of FIN: the client sees "connection reset".
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def _are_pieces(body: list[Any]) -> bool:
    return bool(body) and isinstance(body[0], bytes)
