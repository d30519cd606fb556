"""One publisher as a process: `python serve.py TYPE PORT`, or those of showcase.py.

A GET of /_control returns its state and the publishers, with ?records what a harvest has to find. A
POST of {"later": true} or false changes the showcase's state. It listens only on loopback.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from tests.publisher import Everything, Publisher, Request, Response  # noqa: E402
from tests.publishing import SERVICES, files  # noqa: E402
from tests.publishing.dcat import TURTLE, turtle_of  # noqa: E402
from tests.publishing.listing import Listing  # noqa: E402
from tests.publishing.records import Record  # noqa: E402
from tests.publishing.service import NOT_FOUND, json_response, path_of, tagged  # noqa: E402
from tests.publishing.sparql import Endpoint  # noqa: E402
from tests.publishing.wms import Layer, MapService  # noqa: E402

from demo import catalogue, publishers, showcase  # noqa: E402
from demo.catalogue import SIZE  # noqa: E402
from demo.publishers import CONTROL, SHOWCASE  # noqa: E402

Answer = Callable[[Request], Response | None]


class Site:
    """The publisher of a source type."""

    def __init__(self, kind: str, base: str) -> None:
        us = catalogue.ORGANISATIONS.get(kind)
        if us is None:
            raise SystemExit(
                f"the source type {kind} has no demo publisher; add its line to ORGANISATIONS in"
                " dev/demo/catalogue.py"
            )
        self.kind = kind
        self.base = base
        self.service = SERVICES[kind]
        self.description = publishers.Publisher(
            name=f"thornmere-{kind.replace('_', '-')}",
            kind=kind,
            title=f"{us.title} ({kind})",
            organisation=us.title,
            notes=us.notes,
            path=self.service.path,
            config=us.config,
            dead=catalogue.DEAD_LINKS if kind == "data_json" else (),
        )
        self.wrong = catalogue.WRONG if kind == "data_json" else ()
        self.layers = [
            Layer("areas", "Areas", (46, 125, 50), [each.box for each in self.files() if each.box])
        ]

    @property
    def descriptions(self) -> list[publishers.Publisher]:
        return [self.description]

    def files(self) -> list[Record]:
        """Return the records whose files are served."""
        return catalogue.records(self.kind, self.base)

    def answer(self, *, later: bool) -> Answer:
        """Return the function that answers requests for documents; they are the same later."""
        records = self.files()
        if self.kind == "sparql":
            endpoint = Endpoint(TURTLE + "".join(map(turtle_of, records)))
            return lambda request: endpoint(request) if path_of(request) == "/sparql" else None
        listing = Listing.of(records, len(records) if self.kind == "gemini-waf" else SIZE)

        def answer(request: Request) -> Response | None:
            found = self.service.answer(request, listing)
            return tagged(found) if found and request.method == "GET" else found

        return answer

    def served(self) -> list[publishers.Served]:
        """Return what a harvest has to find."""
        found = ((each, sorted(set(self.service.urls(each)))) for each in self.files())
        return [
            publishers.Served(self.service.guid(each), each.title, urls) for each, urls in found
        ]


class Showcase:
    """The publishers of showcase.py."""

    wrong: Collection[str] = ()
    layers = showcase.LAYERS

    def __init__(self, base: str) -> None:
        self.base = base

    @property
    def descriptions(self) -> list[publishers.Publisher]:
        return [*showcase.PUBLISHERS.values()]

    def files(self) -> list[Record]:
        return [each for found in showcase.records(self.base).values() for each in found]

    def answer(self, *, later: bool) -> Answer:
        paths = {each.path: key for key, each in showcase.PUBLISHERS.items()}
        return lambda request: (
            showcase.document(paths[request.path], self.base, later=later)
            if request.path in paths
            else None
        )


class Stage:
    """Puts a publisher on the server, with its files, maps and control."""

    def __init__(self, kind: str, server: Publisher) -> None:
        self.site: Site | Showcase
        self.site = Showcase(server.base) if kind == SHOWCASE else Site(kind, server.base)
        self.kind = kind
        self.maps = MapService(f"{server.base}/wms", "Maps", self.site.layers)
        self.files = self.site.files()
        self.show()
        server.routes = Everything(self.respond)

    def show(self, *, later: bool = False) -> None:
        self.answer = self.site.answer(later=later)

    def respond(self, request: Request) -> Response:
        path = path_of(request)
        if path == CONTROL:
            return self.obey(request) if request.method == "POST" else self.state(request)
        if path == "/wms":
            return self.maps.respond(request)
        return (
            self.answer(request)
            or files.answer(request, self.files, self.site.wrong)
            or (Response(b"<title>Open data</title>") if path == "/" else NOT_FOUND)
        )

    def state(self, request: Request) -> Response:
        if "?records" in request.path and isinstance(self.site, Site):
            return json_response([asdict(each) for each in self.site.served()])
        described = [asdict(each) for each in self.site.descriptions]
        return json_response({"type": self.kind, "pid": os.getpid(), "publishers": described})

    def obey(self, request: Request) -> Response:
        self.show(later=json.loads(request.body)["later"])
        return self.state(request)


def main() -> None:
    kind, port = sys.argv[1:]
    with Publisher(port=int(port)) as server:
        Stage(kind, server)
        print(f"{kind} serves {server.base}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
