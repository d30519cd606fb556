"""The tests' PostgreSQL, Redis and Solr, killed and started again at their ports."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg2
import pytest
import requests
from ckan.common import config

from tests.ckan.servers import console, services_of_tests, state

PATIENCE = 120.0  # seconds until a service has ended, or has started
ATTEMPTS = 10  # a killed PostgreSQL leaves processes that hold its memory for a moment


class Services:
    """Kills and starts services; of several faults of one service the later ones wait."""

    def __init__(self, found: Sequence[Any]) -> None:
        self.postgres, self.redis, self.solr = found
        self._locks = {service.name: threading.Lock() for service in found}
        self._ports = {service.name: service.port for service in found}

    def kill(
        self,
        service: Any,
        how: signal.Signals,
        down: float,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        """Send a signal that ends a service, and start it after some seconds.

        Args:
            meanwhile: called when it has ended.
        """
        with self.killed(service, how):
            meanwhile()
            time.sleep(down)

    @contextmanager
    def killed(self, service: Any, how: signal.Signals = signal.SIGTERM) -> Iterator[None]:
        """Send a signal that ends a service; start it again after the block."""
        with self._locks[service.name]:
            pid = service.daemon.pid()
            if pid is not None:
                os.kill(pid, how)
            _wait(lambda: service.daemon.pid() is None)
            try:
                yield
            finally:
                self._start(service)

    def freeze(self, service: Any, seconds: float) -> None:
        """Let a service hang for some seconds: it accepts connections and does not answer."""
        with self._locks[service.name]:
            pid = service.daemon.pid()
            os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(pid, signal.SIGCONT)

    def forget_queue(self) -> None:
        """Remove the file from which Redis would load its data."""
        (self.redis.folder / "dump.rdb").unlink(missing_ok=True)

    def close_connections(self, which: str, *, crash: bool = False) -> None:
        """End connections of PostgreSQL.

        Args:
            which: condition of SQL on pg_stat_activity.
            crash: kill one of their processes, so that PostgreSQL ends all and recovers.
        """
        query = f"FROM pg_stat_activity WHERE pid != pg_backend_pid() AND {which}"
        query += " AND datname = current_database() AND datname != 'postgres'"
        if not crash:
            self._ask(f"SELECT pg_terminate_backend(pid) {query}")
            return
        with self._locks[self.postgres.name]:
            for (pid,) in self._ask(f"SELECT pid {query} LIMIT 1"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _wait(self.postgres.answers)

    def start_all(self) -> None:
        """Start what does not run."""
        for service in (self.postgres, self.redis, self.solr):
            with self._locks[service.name]:
                self._start(service)

    def _start(self, service: Any) -> None:
        port = self._ports[service.name]
        for attempt in range(ATTEMPTS):
            # With the lock no other start takes a port in between: the portal's ini names it.
            with state.locked(), suppress(console.StackError):
                service.start()
                if service.port == port:
                    break
                # On a machine that stood still the first start was not ready in time, and what was
                # left of it had the port; later tests would find no service at another one.
                service.stop()
                state.State().write(service.name, port=port)
            time.sleep(attempt)
        assert service.is_running(), f"{service.title} does not start again"
        if service is self.solr:
            _wait(_core_answers)
        assert service.port == port, f"the port of {service.title} was taken"

    def _ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; none if PostgreSQL is away at this moment."""
        try:
            connection = psycopg2.connect(config["sqlalchemy.url"])
        except psycopg2.OperationalError:
            return []
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return list(cursor.fetchall())
        except psycopg2.Error:
            return []
        finally:
            connection.close()


def own_services() -> Services:
    """Return the services of the tests of this CKAN; skip the test if they run elsewhere."""
    found = services_of_tests(config)
    if not found:
        pytest.skip("PostgreSQL, Redis and Solr run elsewhere and cannot be killed")
    return Services(found)


def _core_answers() -> bool:
    """Tell whether the core is loaded: Solr answers before it is."""
    try:
        return requests.get(f"{config['solr_url']}/select?q=*:*&rows=0", timeout=5).ok
    except requests.RequestException:
        return False


def _wait(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
