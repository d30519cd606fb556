"""Ports of this machine for servers of tests."""

from __future__ import annotations

import socket


def own_port() -> int:
    """Return a port that the system gives nobody else for a minute, for a server of this process.

    The end of a connection waits there, which stops no server that reuses addresses, as all do.
    """
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.listen()
        address = server.getsockname()
        with socket.create_connection(address) as client:
            accepted, _ = server.accept()
            accepted.close()  # who closes first waits
            client.recv(1)
    return int(address[1])


def listens(port: int) -> bool:
    """Tell whether a server takes connections at a port of this machine."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
