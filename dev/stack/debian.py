"""What has to come from Debian's packages, and getting it when it is missing."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from . import console
from .console import StackError, step
from .paths import log_file


class Need(NamedTuple):
    """Something the stack uses: how to see that it is there, and which packages bring it."""

    purpose: str
    is_met: Callable[[], bool]
    packages: tuple[str, ...]


def _command(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _has_ensurepip() -> bool:
    return importlib.util.find_spec("ensurepip") is not None


def _has_postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or _command("initdb")()


def _has_python_headers() -> bool:
    return Path(sysconfig.get_paths()["include"], "Python.h").is_file()


# For every command: the virtual environment. psycopg2 comes as source and is compiled.
VENV = (
    Need("virtual environments", _has_ensurepip, ("python3-venv",)),
    Need("a C compiler", _command("gcc"), ("gcc", "libc6-dev")),
    Need("Python's headers", _has_python_headers, ("python3-dev",)),
    Need("PostgreSQL's headers", _command("pg_config"), ("libpq-dev",)),
    Need("file types", lambda: bool(ctypes.util.find_library("magic")), ("libmagic1",)),
)
POSTGRES = (Need("PostgreSQL", _has_postgres, ("postgresql",)),)
PSQL = (Need("PostgreSQL's client", _command("psql"), ("postgresql-client",)),)
REDIS = (Need("Redis", _command("redis-server"), ("redis-server",)),)
SOLR = (
    # A compiler too, not a runtime alone: Solr's launcher is one source file.
    Need("Java", _command("javac"), ("openjdk-17-jdk-headless",)),
    Need("Maven", _command("mvn"), ("maven",)),
)
# Only for tests that look at pages; playwright's own build of it is no Debian package.
BROWSER = (Need("Chromium", _command("chromium"), ("chromium",)),)


def ensure(needs: Sequence[Need]) -> None:
    """Install what is missing; nothing is asked of apt when nothing is."""
    missing = [need for need in needs if not need.is_met()]
    if not missing:
        return
    packages = [package for need in missing for package in need.packages]
    install = [*_privilege(packages), "apt-get", "--yes", "--quiet", "--no-install-recommends"]
    # A machine that has just been set up may still be installing its updates.
    install += ["-o", "DPkg::Lock::Timeout=300"]
    log = log_file("apt")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with step("Debian: package lists"):
        console.run([*install, "update"], log, env=environment)
    with step(f"Debian: {' '.join(packages)}"):
        console.run([*install, "install", *packages], log, env=environment)


def unpacked(package: str, folder: Path) -> Path:
    """Unpack a package into a folder, for a program that the machine need not have; once."""
    done = folder / "unpacked"
    if done.exists():
        return folder
    with step(f"Debian: {package}, unpacked"):
        folder.mkdir(parents=True, exist_ok=True)
        log = log_file("apt")
        download = ["apt-get", "--quiet", "download", package]
        try:
            console.run(download, log, cwd=folder)
        except StackError:  # the lists of packages are missing, or older than what is offered
            update = [*_privilege([package]), "apt-get", "--quiet", "update"]
            console.run(update, log)
            console.run(download, log, cwd=folder)
        newest = max(folder.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime)
        console.run(["dpkg-deb", "--extract", newest, folder], log)
        newest.unlink()
        done.touch()
    return folder


def _privilege(packages: list[str]) -> list[str]:
    by_hand = f"please install: {' '.join(packages)}"
    if not shutil.which("apt-get"):
        raise StackError(f"this is not Debian; {by_hand}")
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        return ["sudo", "--preserve-env=DEBIAN_FRONTEND"]
    raise StackError(f"neither root nor sudo; {by_hand}")
