"""One publisher as a process: `python serve.py TYPE PORT`, or those of showcase/.

A POST of {"fault": "…"} to /_control sets its fault ("" for none); a GET returns it. It listens
only on loopback.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from tests.publisher import Publisher, Request, Response  # noqa: E402

from demo import showcase  # noqa: E402
from demo.publishers import CONTROL, load  # noqa: E402


class Server(Publisher):
    """A publisher whose route "/path?*" answers that path with any query."""

    def respond(self, request: Request) -> Response:
        route = self.routes.get(f"{request.path.partition('?')[0]}?*")
        return route(request) if callable(route) else super().respond(request)


class Stage:
    """Puts a publisher's routes on the server, with a fault or without."""

    def __init__(self, kind: str, server: Publisher) -> None:
        self.kind = kind
        self.server = server
        self.publisher = showcase if kind == showcase.SERVER else load(kind)
        self.fault = ""
        self.show("")

    def show(self, fault: str) -> None:
        routes = dict(self.publisher.routes(self.server.base, fault))
        routes[f"GET {CONTROL}"] = self.state
        routes[f"POST {CONTROL}"] = self.obey
        self.fault = fault
        self.server.routes = routes

    def state(self, _request: Request) -> Response:
        return _json({"type": self.kind, "pid": os.getpid(), "fault": self.fault})

    def obey(self, request: Request) -> Response:
        wanted = json.loads(request.body)["fault"]
        if wanted and wanted not in self.publisher.FAULTS:
            return _json({"error": f"fault is one of: {', '.join(self.publisher.FAULTS)}"}, 400)
        self.show(wanted)
        return self.state(request)


def _json(value: object, status: int = 200) -> Response:
    headers = {"Content-Type": "application/json"}
    return Response(json.dumps(value).encode() + b"\n", status, headers)


def main() -> None:
    kind, port = sys.argv[1:]
    with Server(port=int(port)) as server:
        Stage(kind, server)
        print(f"{kind} serves {server.base}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
