"""PostgreSQL: a cluster of our own, never the one of Debian's package."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from . import console
from .console import StackError, step
from .process import as_user, birth, can_reach, give_to, service_user
from .service import Service

SUPERUSER = "postgres"
# CKAN's own name for it. It owns the databases and is no superuser, as on a portal.
ROLE = "ckan_default"
_TEST_SETTINGS = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "jit=off")


class Postgres(Service):
    name = "postgres"
    title = "PostgreSQL"
    default_port = 15432
    # The "fast" shutdown: it ends sessions instead of waiting for them.
    stop_signal = signal.SIGINT

    @property
    def url(self) -> str:
        """Return the URL of a role that may make databases, at the database that always exists."""
        return self._url_of(ROLE)

    def database_url(self, database: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{database}"))

    def ensure_database(self, database: str, *, durable: bool) -> None:
        """Make the database if it is missing; a test's need not survive a power cut."""
        if self.query(self.url, f"select 1 from pg_database where datname = '{database}'"):
            return
        with step(f"PostgreSQL: making the database {database}"):
            options = "encoding 'UTF8' template template0"
            self.query(self.url, f'create database "{database}" {options}')
            if not durable:
                self.query(self.url, f'alter database "{database}" set synchronous_commit = off')

    def drop_database(self, database: str) -> None:
        """Drop the database, even if it has connections."""
        self.query(self.url, f'drop database if exists "{database}" with (force)')

    def prepare(self) -> None:
        made = self.folder / "initialised"
        if made.exists():
            return
        with step("PostgreSQL: making a cluster"):
            # Without the mark, making it was interrupted.
            shutil.rmtree(self.folder / "data", ignore_errors=True)
            self._write_password()
            with self._as_server_user() as (folder, options):
                console.run(
                    [
                        *(program("initdb"), "--pgdata", folder / "data", "--username", SUPERUSER),
                        *("--auth", "scram-sha-256", "--pwfile", folder / "password"),
                        *("--encoding", "UTF8", "--locale", "C.UTF-8"),
                    ],
                    self.log,
                    cwd="/",
                    **options,
                )
            made.touch()

    def _write_password(self) -> None:
        # The password is saved beside the cluster: the data cannot be used without it.
        path = self.folder / "password"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(12))

    @property
    def password(self) -> str:
        return (self.folder / "password").read_text()

    def spawn(self, port: int) -> None:
        self._forget_the_dead()
        with self._as_server_user() as (folder, options):
            self.daemon.start(
                [
                    *(program("postgres"), "-D", folder / "data", "-p", str(port)),
                    # Loopback only: a socket's path may be longer than the kernel allows.
                    *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
                    # Tests need not survive a power cut, and have too few rows to compile for.
                    *(_TEST_SETTINGS * self.is_for_tests),
                ],
                self.log,
                **options,
            )

    def _forget_the_dead(self) -> None:
        """Remove the lock file of a server that was killed and not yet reaped.

        PostgreSQL takes a zombie for a running server, for ever in a container whose first process
        reaps none.
        """
        lock = self.folder / "data" / "postmaster.pid"
        if lock.is_file() and not birth(int(lock.read_text().split()[0])):
            lock.unlink()

    def answers(self) -> bool:
        # Another checkout's server on this port does not know our password.
        try:
            return self.query(self._url_of(SUPERUSER), "select 1") == "1"
        except StackError:
            return False

    def start(self) -> None:
        super().start()
        superuser = self._url_of(SUPERUSER)
        if not self.query(superuser, f"select 1 from pg_roles where rolname = '{ROLE}'"):
            self.query(superuser, f"create role {ROLE} login createdb password '{self.password}'")

    def _url_of(self, role: str) -> str:
        return f"postgresql://{role}:{self.password}@127.0.0.1:{self.port}/postgres"

    @contextlib.contextmanager
    def _as_server_user(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Return the folder's path and the arguments with which a process may use it.

        PostgreSQL refuses to run as root. If its user cannot reach the folder, because a parent is
        closed (a clone below /root), it gets the folder as an open file: that needs no permission
        on the parents, and no mode of theirs is changed.
        """
        user = service_user()
        give_to(user, self.folder)
        if can_reach(self.folder, user):
            yield self.folder, as_user(user)
            return
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield Path(f"/proc/self/fd/{handle}"), {"pass_fds": (handle,), **as_user(user)}
        finally:
            os.close(handle)

    def query(self, url: str, statement: str) -> str:
        """Return psql's output for the statement; the password stays out of the process list."""
        parts = urlsplit(url)
        login, _, host = parts.netloc.rpartition("@")
        role, _, password = login.partition(":")
        result = subprocess.run(
            [
                *(program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement),
                *("-d", urlunsplit(parts._replace(netloc=f"{role}@{host}" if role else host))),
            ],
            env={**os.environ, "PGPASSWORD": unquote(password), "PGCONNECT_TIMEOUT": "5"},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise StackError(f"PostgreSQL: {result.stderr.strip()}")
        return result.stdout.strip()


def program(name: str) -> str:
    """Return the path of one of PostgreSQL's programs, which Debian installs by version."""
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    for folder in sorted(folders, key=lambda path: float(path.parent.name), reverse=True):
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise StackError(f"PostgreSQL's program {name} is not installed")
    return found
