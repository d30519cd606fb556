"""Paths of the checkout, and of the one folder for everything generated."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "dev"

# Resolved, because PostgreSQL, Solr and pip store the name and compare it later.
STACK = Path(os.environ.get("UKHARVEST_STACK") or ROOT / ".stack").expanduser().resolve()

# A version of CKAN is supported if it has a file of constraints; the newest is the default.
CKAN_VERSIONS = sorted(
    (path.stem.removeprefix("constraints-") for path in DEV.glob("constraints-*.txt")),
    key=lambda version: tuple(map(int, version.split("."))),
    reverse=True,
)
DEFAULT_CKAN = CKAN_VERSIONS[0]


def digest(paths: Iterable[Path], *words: str) -> str:
    """Return a short hash that changes with any of the files or words."""
    result = hashlib.sha256("\0".join(words).encode())
    for path in paths:
        result.update(str(path.name).encode())
        result.update(path.read_bytes() if path.is_file() else b"absent")
    return result.hexdigest()[:16]


# Only for tests: each change of their search index waits for a disk, on slow ones 80 ms. The tests'
# index takes some 20 MB; a container may have only 64 MB of memory.
MEMORY = Path("/dev/shm") / f"ukharvest-{digest((), str(STACK))}"  # noqa: S108 - test data alone
MEMORY_NEEDED = 1 << 30


def make_folder(*parts: str) -> Path:
    """Return the folder of that name in the stack, made if needed."""
    folder = STACK.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def memory_has_room() -> bool:
    """Tell whether files of the tests can stay in the machine's memory."""
    parent = MEMORY.parent
    return os.access(parent, os.W_OK) and shutil.disk_usage(parent).free > MEMORY_NEEDED


def log_file(name: str) -> Path:
    """Return the log file of a step or a service."""
    return make_folder("logs") / f"{name}.log"


class Stamp:
    """A file that stores what a folder was made from, so that it is made once."""

    def __init__(self, path: Path, value: str) -> None:
        self.path = path
        self.value = value

    def is_current(self) -> bool:
        return self.path.is_file() and self.path.read_text() == self.value

    def write(self) -> None:
        self.path.write_text(self.value)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
