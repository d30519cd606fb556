"""A gateway before a real server, which gives its datasets other ids."""

from __future__ import annotations

import re
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
    """

    def __init__(self, place: str, change: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._place = place
        self._change = change

    def respond(self, request: Request) -> Response:
        self.requests.append(request)
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in _OWN
        }
        with closing(HTTPConnection(self._place, timeout=_PATIENCE)) as connection:
            connection.request(request.method, request.path, request.body or None, headers)
            answer = connection.getresponse()
            body = answer.read()
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _OWN}
        return Response(self._change(body), answer.status, kept)


def other_id(dataset_id: str) -> str:
    """Return the id that a dataset has on the other portal; ids keep their order."""
    return f"{dataset_id[:-1]}{int(dataset_id[-1], 16) ^ 1:x}"


def with_other_ids(dataset_ids: Iterable[str]) -> Callable[[bytes], bytes]:
    """Return a function that gives datasets other ids: the portal does not import its own."""
    others = {id_.encode(): other_id(id_).encode() for id_ in dataset_ids}
    return lambda body: _ANY_ID.sub(lambda match: others.get(match[0], match[0]), body)
