"""Debian packages that the stack needs, and their installation if missing."""

from __future__ import annotations

import ctypes.util
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from . import console
from .console import StackError, say, step
from .paths import log_file
from .state import locked


class Need(NamedTuple):
    """A requirement of the stack: how to detect it, and which packages provide it."""

    purpose: str
    is_met: Callable[[], bool]
    packages: tuple[str, ...]


def _command(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _has_postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or _command("initdb")()


def _has_python_headers() -> bool:
    return Path(sysconfig.get_paths()["include"], "Python.h").is_file()


# For every command: the virtual environment. psycopg2 is compiled from source.
VENV = (
    Need("Python's virtual environments", lambda: bool(find_spec("ensurepip")), ("python3-venv",)),
    Need("a C compiler", _command("gcc"), ("gcc", "libc6-dev")),
    Need("Python's headers", _has_python_headers, ("python3-dev",)),
    Need("PostgreSQL's headers", _command("pg_config"), ("libpq-dev",)),
    Need("file types", lambda: bool(ctypes.util.find_library("magic")), ("libmagic1",)),
)
POSTGRES = (Need("PostgreSQL", _has_postgres, ("postgresql",)),)
REDIS = (Need("Redis", _command("redis-server"), ("redis-server",)),)
SOLR = (
    # A compiler, not only a runtime: Solr's launcher is one source file.
    Need("Java", _command("javac"), ("openjdk-17-jdk-headless",)),
    Need("Maven", _command("mvn"), ("maven",)),
)
# Only for the tests of portals whose queues are there.
RABBITMQ = (Need("RabbitMQ", _command("rabbitmq-server"), ("rabbitmq-server",)),)
# Only for tests of folders on a web server. Where there is apt-get it is unpacked, not installed:
# Debian's package would start a service on port 80.
_NGINX = ("nginx", "/usr/sbin/nginx", "apt-get")
NGINX = (Need("nginx", lambda: any(map(shutil.which, _NGINX)), ("nginx",)),)
# Only for tests that use a browser; playwright's own build of it is no Debian package. Without the
# parts for a screen a page takes 60 % of the time.
BROWSER = (Need("Chromium", _command("chromium-headless-shell"), ("chromium-headless-shell",)),)


def ensure(needs: Sequence[Need]) -> None:
    """Install what is missing, after saying what that is; apt is not called if nothing is.

    Raises:
        StackError: it cannot be installed here; the text lists what to install by hand.
    """
    if all(need.is_met() for need in needs):
        return
    with locked("debian"):  # of two apt-get update at a time one ends with an error
        if missing := [need for need in needs if not need.is_met()]:
            _install(missing)


def _install(missing: Sequence[Need]) -> None:
    packages = list(dict.fromkeys(package for need in missing for package in need.packages))
    apt = [*privilege(missing), "apt-get", "--yes", "--quiet", "--no-install-recommends"]
    # A new machine may still be installing its updates.
    apt += ["-o", "DPkg::Lock::Timeout=300"]
    log = log_file("apt")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    say(f"To be installed by apt-get, with what they depend on:\n{_listed(missing)}")
    with step("Debian: package lists"):
        console.run([*apt, "update"], log, env=environment)
    say(_sizes([*apt, "--assume-no", "install", *packages], environment))
    with step(f"Debian: {' '.join(packages)}"):
        console.run([*apt, "install", *packages], log, env=environment)


def _listed(missing: Sequence[Need]) -> str:
    return "\n".join(f"  {need.purpose}: {' '.join(need.packages)}" for need in missing)


def _sizes(command: Sequence[str], environment: dict[str, str]) -> str:
    """Return what apt says of the sizes, in lines of their own."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lines = re.findall(r"^(?:Need to get|After this operation).*$", done.stdout, re.MULTILINE)
    return "\n".join(f"  {line}" for line in lines)


def privilege(missing: Sequence[Need]) -> list[str]:
    """Return the words before a command that only root may use."""
    by_hand = f"Install these (the names are Debian's) and try again:\n{_listed(missing)}"
    if not shutil.which("apt-get"):
        raise StackError(f"This machine has no apt-get. {by_hand}")
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        return ["sudo", "--preserve-env=DEBIAN_FRONTEND,LC_ALL"]
    raise StackError(f"You are not root, and there is no sudo. {by_hand}")
