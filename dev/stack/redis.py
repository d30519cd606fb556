"""Redis: the queues of ckanext-harvest and of CKAN's background jobs."""

from __future__ import annotations

import re
import socket

from .process import as_user
from .service import RootlessService


class Redis(RootlessService):
    name = "redis"
    title = "Redis"
    default_port = 16379

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def database_url(self, number: int) -> str:
        return f"{self.url}/{number}"

    def spawn(self, port: int) -> None:
        user = self.own_folder()
        self.daemon.start(
            [
                *("redis-server", "--port", str(port), "--bind", "127.0.0.1"),
                *("--databases", "64"),  # one a site; 16 otherwise
                # Saved once a minute and when stopped: a queue survives bin/stack stop.
                *("--dir", self.folder, "--save", "60", "1"),
            ],
            self.log,
            **as_user(user),
        )

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as link:
                link.sendall(b"INFO server\r\nQUIT\r\n")
                answer = b"".join(iter(lambda: link.recv(65536), b"")).decode()
        except OSError:
            return False
        found = re.search(r"^process_id:(\d+)", answer, re.MULTILINE)
        return found is not None and int(found[1]) == self.daemon.pid()
