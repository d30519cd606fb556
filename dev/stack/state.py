"""State between two commands: the ports; and the lock."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import tempfile
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from .console import say
from .paths import STACK, make_folder

# Other stacks (checkouts, a build) that one machine can have.
PORTS_TO_TRY = 200
# Of all stacks of this user.
PORTS_LOCK = Path(tempfile.gettempdir()) / f"ukharvest-ports-{os.getuid()}.lock"
_chooses = threading.local()


@contextlib.contextmanager
def locked(name: str = "stack", *, waiting: str = "another set-up is at work") -> Iterator[None]:
    """Hold a lock of this stack; a second process waits and says so."""
    with (make_folder() / f"{name}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"  waiting: {waiting} in {STACK}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def choosing_ports(*, alone: bool = False) -> Iterator[None]:
    """Let this process start servers.

    Args:
        alone: no other stack of this user's starts one meanwhile, which could take the port of a
            server that is only being restarted.
    """
    if getattr(_chooses, "ports", False):
        yield
        return
    with PORTS_LOCK.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        _chooses.ports = True
        try:
            yield
        finally:
            _chooses.ports = False


class State:
    """The file state.json: `{"postgres": {"port": 15432}, …}`."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or STACK / "state.json"

    def write(self, service: str, **values: Any) -> None:
        everything = self._all()
        everything.setdefault(service, {}).update(values)
        make_folder()
        # Written to another file and moved, for readers without the lock.
        draft = self.path.with_suffix(".new")
        draft.write_text(json.dumps(everything, indent=2))
        draft.replace(self.path)

    def port(self, service: str) -> int | None:
        return self._all().get(service, {}).get("port")

    def ports_of_others(self, service: str) -> set[int]:
        """Return the ports of all other services, running or stopped."""
        return {
            values["port"]
            for name, values in self._all().items()
            if name != service and "port" in values
        }

    def _all(self) -> dict[str, dict[str, Any]]:
        return json.loads(self.path.read_text()) if self.path.is_file() else {}


def free_port(preferred: int, reserved: Collection[int] = ()) -> int:
    """Return the preferred port, or the next one above it that is free and not reserved."""
    for port in range(preferred, preferred + PORTS_TO_TRY):
        if port not in reserved and _is_free(port):
            return port
    raise OSError(f"no free port between {preferred} and {preferred + PORTS_TO_TRY}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do it: a port still cooling down from the last run is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
