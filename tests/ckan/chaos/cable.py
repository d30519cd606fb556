"""A cable between a consumer and a service, which a test can pull out: a TCP proxy."""

from __future__ import annotations

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit


class Cable:
    """Forwards connections to a server on this machine.

    While it is pulled out, nothing passes, and no connection is closed: as with a real one, both
    sides only notice that nothing comes.

    Args:
        url: of the server; ``url`` of the cable is the same by way of this proxy.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 0)
        self._plugged = threading.Event()
        self._plugged.set()
        self._closed = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        login, at, _host = parts.netloc.rpartition("@")
        netloc = f"{login}{at}127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = urlunsplit(parts._replace(netloc=netloc))
        self.held_back = 0  # pieces and new connections that waited for the cable

    def __enter__(self) -> Cable:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._plugged.set()
        self._listener.close()

    def pull_out(self) -> None:
        self._plugged.clear()

    def plug_in(self) -> None:
        self._plugged.set()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _pass(self) -> None:
        if not self._plugged.is_set():
            self.held_back += 1
            self._plugged.wait()

    def _connect(self, client: socket.socket) -> None:
        self._pass()
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        for pair in ((client, server), (server, client)):
            threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                self._pass()
                target.sendall(piece)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
