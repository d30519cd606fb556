"""pycsw: a real catalogue server, for the tests of CSW."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stack import venv
from stack.child import Child
from stack.paths import log_file
from stack.state import locked

PROGRAM = Path(__file__).parent / "serve.py"


class Catalogue(NamedTuple):
    """A running pycsw: its URL, and the number of its records."""

    url: str
    held: int


def ensure() -> Path:
    """Make its environment if needed; return its Python."""
    with locked():
        return venv.ensure_tool("pycsw")


@contextmanager
def serve(records: Path, database: Path) -> Iterator[Catalogue]:
    """Load the .xml files of a folder into a new database, and serve them."""
    command: list[str | Path] = [ensure(), "-W", "ignore", PROGRAM, records, database]
    with Child(command, log_file("pycsw"), reads=True) as child:
        url, count = child.line().split()
        yield Catalogue(url, int(count))


@contextmanager
def serve_settings(settings: Path, port: int) -> Iterator[None]:
    """Serve what a settings file names, as pycsw's documentation says, until the block ends."""
    environ = [f"PYCSW_CONFIG={settings}", f"PATH={os.environ['PATH']}"]
    command: list[str | Path] = ["env", *environ, ensure(), "-W", "ignore", PROGRAM]
    with Child([*command, str(port)], log_file("pycsw"), reads=True) as child:
        child.line()
        yield
