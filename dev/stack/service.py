"""Base class of the three services: port, process, log, start and stop."""

from __future__ import annotations

import pwd
import signal
import time
from abc import ABC, abstractmethod
from pathlib import Path
from urllib.parse import urlsplit

from . import console
from .console import StackError, step, wait_until
from .paths import log_file, make_folder
from .process import Daemon, can_reach, give_to, service_user
from .state import State, choosing_ports, free_port

START_ATTEMPTS = 3


class Service(ABC):
    """One server of the stack.

    Args:
        instance: which of several servers of this kind, such as "test-2.12", one of the tests';
            empty: those of the demo and the benchmark.
    """

    name: str
    title: str
    # Stock ports plus about 10,000 rarely clash with a service of the machine itself.
    default_port: int
    ready_seconds = 60
    stop_signal = signal.SIGTERM

    def __init__(self, instance: str = "") -> None:
        self.is_for_tests = bool(instance)
        if instance:
            self.name, self.title = f"{self.name}-{instance}", f"{self.title} ({instance})"
        self.state = State()
        self.daemon = Daemon(self.name)
        self.log = log_file(self.name)

    @property
    def folder(self) -> Path:
        return make_folder(self.name)

    @property
    def port(self) -> int:
        port = self.state.port(self.name)
        if port is None:
            raise StackError(f"{self.title} has not been started yet; bin/stack start does it")
        return port

    @property
    def url(self) -> str:
        """Return the URL from which all others of this service are derived."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def location(self) -> str:
        """Return the URL without its password, for people."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    def prepare(self) -> None:  # noqa: B027 - some need none
        """Make the files that a start needs; quick if they exist."""

    @abstractmethod
    def spawn(self, port: int) -> None:
        """Start the process."""

    @abstractmethod
    def answers(self) -> bool:
        """Tell whether the server answers, and is ours, not another checkout's on the same port."""

    def is_running(self) -> bool:
        known = self.daemon.pid() is not None and self.state.port(self.name) is not None
        return known and self.answers()

    def start(self) -> None:
        """Start the service unless it answers."""
        self.prepare()
        if self.is_running():
            return
        with choosing_ports(), step(f"{self.title}: starting"):
            # It may run and not answer: hung, or left by an interrupted start.
            self.daemon.stop(self.stop_signal)
            self._start_on_a_free_port()

    def _start_on_a_free_port(self) -> None:
        for attempt in range(START_ATTEMPTS):
            # A port that another process took in the meantime is not chosen at the next attempt;
            # what is left of a killed server goes away during the pause.
            time.sleep(attempt)
            # A service that is stopped finds its port free when it starts again.
            others = self.state.ports_of_others(self.name)
            port = free_port(self.state.port(self.name) or self.default_port, others)
            self.state.write(self.name, port=port)
            self.spawn(port)
            if self._becomes_ready():
                return
            self.daemon.stop(self.stop_signal)
        log = console.tail(self.log)
        raise StackError(f"{log}\n\n{self.title} does not start; all of it: {self.log}")

    def _becomes_ready(self) -> bool:
        wait_until(lambda: self.daemon.pid() is None or self.answers(), self.ready_seconds)
        return self.daemon.pid() is not None and self.answers()

    def stop(self) -> None:
        """Stop the process, if it runs."""
        if self.daemon.pid() is None:
            self.daemon.stop(self.stop_signal)
            return
        with step(f"{self.title}: stopping"):
            self.daemon.stop(self.stop_signal)

    def status(self, *, running: bool) -> str:
        """Return one phrase for `bin/stack status`."""
        if running:
            return f"running, pid {self.daemon.pid()}"
        if self.daemon.pid() is not None:
            return f"does not answer, pid {self.daemon.pid()}"
        return "gone without being stopped" if self.daemon.has_stale_pid() else "stopped"


class RootlessService(Service):
    """A service that can run as root, and drops root if possible.

    If a parent of the stack is closed to other users (a clone below /root), it keeps root: changing
    the modes of other folders would be worse.
    """

    def own_folder(self) -> pwd.struct_passwd | None:
        """Give the service's folder to its user, and return that user."""
        user = service_user()
        give_to(user, self.folder)
        if user is not None and not can_reach(self.folder, user):
            give_to(None, self.folder)
            return None
        return user
