"""A server that nobody may contact: it stands for the portal's own network."""

from __future__ import annotations

import socket
import threading

SECRET = b"the-inside-of-the-portal"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"


class Canary:
    """Listens on 127.0.0.1 and ::1 under one port, and counts connections, whatever they say.

    Attributes:
        hits: the connections so far.
    """

    def __init__(self) -> None:
        self.hits = 0
        self._lock = threading.Lock()
        first = socket.create_server(("127.0.0.1", 0))
        self.port: int = first.getsockname()[1]
        self._sockets = [first]
        if socket.has_ipv6:
            self._sockets.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))

    def __enter__(self) -> Canary:
        for each in self._sockets:
            threading.Thread(target=self._serve, args=(each,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._sockets:
            each.close()

    def url(self, path: str = "/secret", host: str = "127.0.0.1") -> str:
        """Return the URL of a path, with another spelling of the host if given."""
        return f"http://{host}:{self.port}{path}"

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:  # closed
                return
            with self._lock:
                self.hits += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(5)
            try:
                connection.recv(65536)
                connection.sendall(_HEAD + SECRET)
            except OSError:
                return
