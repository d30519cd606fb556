"""RabbitMQ, for the tests of portals whose queues are there."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack import debian
from stack.child import Child
from stack.console import step
from stack.paths import log_file
from stack.state import locked

from tests.ports import own_port

# Debian's /usr/sbin/rabbitmq-server changes to a user of its own.
PROGRAMS = Path("/usr/lib/rabbitmq/bin")
READY_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Server:
    """A server on 127.0.0.1 whose user is "guest", with the same password."""

    port: int
    settings: dict[str, str]

    def close_connections(self) -> None:
        """End all connections, as a restart does."""
        self._control("close_all_connections", "restart")

    def restart(self, seconds: float, *, empty: bool = False) -> None:
        """Let the broker be away for some seconds; ``empty`` takes all queues and messages."""
        self._control("stop_app")
        if empty:
            self._control("reset")
        time.sleep(seconds)
        self._control("start_app")

    def _control(self, *command: str) -> None:
        words = [str(PROGRAMS / "rabbitmqctl"), *command]
        settings = os.environ | self.settings
        subprocess.run(words, env=settings, check=True, capture_output=True, timeout=READY_SECONDS)


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Run a server with its data in an empty folder."""
    with locked():
        debian.ensure(debian.RABBITMQ)
    port = own_port()
    names = own_port()  # of Erlang's name service, which would otherwise outlive it
    settings = {
        "HOME": str(folder),  # for the cookie
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODENAME": f"tests-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(own_port()),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
    }
    words: list[str | Path] = [
        "env",
        *(f"{key}={value}" for key, value in settings.items()),
        PROGRAMS / "rabbitmq-server",
    ]
    with Child(words, log_file("rabbitmq")) as child:
        with step("RabbitMQ: starting"):
            child.wait_until(lambda: _answers(port), READY_SECONDS)
        try:
            yield Server(port, settings)
        finally:
            os.system(f"epmd -port {names} -kill > /dev/null 2>&1")  # noqa: S605 - a number


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
            link.sendall(b"AMQP\x00\x00\x09\x01")
            return link.recv(1) == b"\x01"
    except OSError:
        return False
