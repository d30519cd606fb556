"""A gateway before a real server: it notes the requests, and can hold one back."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from http.client import HTTPConnection

from tests.publisher import Publisher, Request, Response

# Of one connection, or written again by the program that sends the message on.
_OWN = {"connection", "content-length", "date", "server", "transfer-encoding"}
_PATIENCE = 120.0  # seconds
_ANY_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Gateway(Publisher):
    """Passes each request on to a server.

    Args:
        place: host and port of the server.
        change: called with the body of each answer; returns what is sent on.

    Attributes:
        is_due: asked before a request is passed on; the first for which it is true is held back,
            and never gets an answer.
        held: set when a request is held back.
    """

    def __init__(self, place: str, change: Callable[[bytes], bytes] = bytes) -> None:
        super().__init__()
        self._place = place
        self._change = change
        self._free = threading.Event()
        self._turn = threading.Lock()
        self.is_due: Callable[[], bool] | None = None
        self.held = threading.Event()

    def release(self) -> list[str]:
        """Forget the request that is held back, and return what was answered before it."""
        self._free.set()
        answered = [spell(each) for each in self.requests[:-1]]
        self.requests.clear()
        return answered

    def respond(self, request: Request) -> Response:
        with self._turn:
            self.requests.append(request)
            if self.is_due and self.is_due():
                self.is_due = None
                self._free.clear()
                self.held.set()
                self._free.wait(_PATIENCE)
                return Response(cut=-1)
        return self._ask(request)

    def _ask(self, request: Request) -> Response:
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in _OWN
        }
        with closing(HTTPConnection(self._place, timeout=_PATIENCE)) as connection:
            connection.request(request.method, request.path, request.body or None, headers)
            answer = connection.getresponse()
            body = answer.read()
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _OWN}
        return Response(self._change(body), answer.status, kept)


def spell(request: Request) -> str:
    """Return what a request asks for, as one text."""
    return f"{request.method} {request.path} {request.body.decode()}"


def other_id(dataset_id: str) -> str:
    """Return the id that a dataset has on the other portal; ids keep their order."""
    return f"{dataset_id[:-1]}{int(dataset_id[-1], 16) ^ 1:x}"


def with_other_ids(dataset_ids: Iterable[str]) -> Callable[[bytes], bytes]:
    """Return a function that gives datasets other ids: the portal does not import its own."""
    others = {id_.encode(): other_id(id_).encode() for id_ in dataset_ids}
    return lambda body: _ANY_ID.sub(lambda match: others.get(match[0], match[0]), body)
