"""The benchmark's publisher as bin/bench sees it: a process that serves catalogues of any size."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from demo.api import tell
from demo.publishers import CONTROL
from stack import venv

__all__ = ["CONTROL", "PATHS", "Catalogues", "running"]

# Format → the path that a source names, with the catalogue's name.
PATHS = {
    "data.json": "/{}/data.json",
    "Turtle": "/{}/catalog.ttl",
    "JSON-LD": "/{}/catalog.jsonld",
    "inventory": "/{}/inventory.xml",
    "folder": "/{}/waf/",
}


class Catalogues:
    """The running publisher.

    Args:
        base: its URL without a slash at the end.
    """

    def __init__(self, base: str) -> None:
        self._base = base

    def serve(self, format_: str, name: str, count: int, *, changed: int = 0, day: int = 0) -> str:
        """Serve a catalogue, or serve it anew; return the URL that a source names.

        Args:
            changed, day: as in serve.py.
        """
        wanted = {"format": format_, "name": name, "count": count, "changed": changed, "day": day}
        tell(self._base + CONTROL, **wanted)
        return self.url(format_, name)

    def url(self, format_: str, name: str) -> str:
        return self._base + PATHS[format_].format(name)

    def clear(self) -> None:
        """Serve nothing more."""
        tell(self._base + CONTROL)


@contextlib.contextmanager
def running() -> Iterator[Catalogues]:
    """Start the publisher, in the environment that has its libraries."""
    command: list[str | Path] = [venv.program("python"), "-B", Path(__file__).with_name("serve.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Catalogues(process.stdout.readline().strip())
        finally:
            process.terminate()
