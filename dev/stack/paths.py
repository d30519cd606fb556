"""Where things are: the checkout, and the one folder that everything made goes into."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "dev"

# Resolved, because PostgreSQL, Solr and pip write the name down and compare it later.
STACK = Path(os.environ.get("UKHARVEST_STACK") or ROOT / ".stack").expanduser().resolve()

# A version of CKAN is supported when it has a file of constraints; the newest is the default.
CKAN_VERSIONS = sorted(
    (path.stem.removeprefix("constraints-") for path in DEV.glob("constraints-*.txt")),
    key=lambda version: tuple(map(int, version.split("."))),
    reverse=True,
)
DEFAULT_CKAN = CKAN_VERSIONS[0]


def make_folder(*parts: str) -> Path:
    """The folder of that name in the stack, made if need be."""
    folder = STACK.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def log_file(name: str) -> Path:
    """Where the output of a step or a service goes."""
    return make_folder("logs") / f"{name}.log"


def digest(paths: Iterable[Path], *words: str) -> str:
    """A short hash that changes when one of the files or words does."""
    result = hashlib.sha256("\0".join(words).encode())
    for path in paths:
        result.update(str(path.name).encode())
        result.update(path.read_bytes() if path.is_file() else b"absent")
    return result.hexdigest()[:16]


class Stamp:
    """A file that remembers what a folder was made from, so that it is made once."""

    def __init__(self, path: Path, value: str) -> None:
        self.path = path
        self.value = value

    def is_current(self) -> bool:
        return self.path.is_file() and self.path.read_text() == self.value

    def write(self) -> None:
        self.path.write_text(self.value)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
