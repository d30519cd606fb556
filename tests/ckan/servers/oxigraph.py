"""Oxigraph: a real SPARQL server, for the tests of SPARQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from stack import venv
from stack.child import Child
from stack.console import StackError
from stack.paths import log_file
from stack.state import locked

from tests.ports import listens, own_port


@dataclass(frozen=True)
class Server:
    """A running server; ``place`` is its host and port."""

    place: str

    @property
    def url(self) -> str:
        """URL of its SPARQL endpoint."""
        return f"http://{self.place}/query"

    def load(self, turtle: str) -> None:
        """Add triples to the default graph."""
        self._send("/store?default", turtle, "text/turtle")

    def update(self, text: str) -> None:
        """Carry out an update of SPARQL 1.1."""
        self._send("/update", text, "application/sparql-update")

    def _send(self, path: str, text: str, media_type: str) -> None:
        headers = {"Content-Type": media_type}
        connection = HTTPConnection(self.place)
        with closing(connection):
            connection.request("POST", path, text.encode(), headers)
            answer = connection.getresponse()
            said = answer.read()
        if answer.status >= 400:
            raise StackError(f"Oxigraph answered {answer.status}: {said.decode()}")


def ensure() -> Path:
    """Make its environment if needed; return the program."""
    with locked():
        python = venv.ensure_tool("oxigraph")
    return python.with_name("oxigraph")


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Serve an empty store, kept in a folder, at a free port."""
    port = own_port()
    place = f"127.0.0.1:{port}"
    command: list[str | Path] = [ensure(), "serve", "--location", folder, "--bind", place]
    with Child(command, log_file("oxigraph")) as child:
        child.wait_until(lambda: listens(port))
        yield Server(place)
