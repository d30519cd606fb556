"""One publisher as a process: `python serve.py TYPE PORT`, or those of showcase.py.

A POST of {"fault": "…"} to /_control sets its fault ("" for none). A GET returns its state and the
publishers, with ?records what a harvest has to find. It listens only on loopback.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from tests.publisher import Everything, Publisher, Request, Response  # noqa: E402
from tests.publishing import SERVICES, files  # noqa: E402
from tests.publishing.dcat import TURTLE, turtle_of  # noqa: E402
from tests.publishing.listing import Listing  # noqa: E402
from tests.publishing.records import Record  # noqa: E402
from tests.publishing.service import NOT_FOUND, json_response, number, path_of, tagged  # noqa: E402
from tests.publishing.sparql import Endpoint  # noqa: E402
from tests.publishing.wms import Layer, MapService  # noqa: E402

from demo import catalogue, publishers, showcase  # noqa: E402
from demo.catalogue import SIZE  # noqa: E402
from demo.publishers import CONTROL, LATER, SHOWCASE  # noqa: E402

FAILURE = Response(
    b"<html><head><title>500 Internal Server Error</title></head><body></body></html>",
    500,
    {"Content-Type": "text/html"},
)
Answer = Callable[[Request], Response | None]


class Site:
    """The publisher of a source type, with a fault or without."""

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
            faults=us.faults,
            dead=catalogue.DEAD_LINKS if kind == "data_json" else (),
        )
        self.faults = us.faults
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

    def records(self, fault: str) -> list[Record]:
        """Return the records; away from each other and from the pages' ends, some are spoilt."""
        found = self.files()
        if fault == "bad-record":
            bad = len(found) // 2 + 3 if len(found) > 1 else 0
            found[bad] = replace(found[bad], title="")
        if fault == "two-gone":
            del found[-4], found[3]
        return found

    def answer(self, fault: str) -> Answer:
        """Return the function that answers requests for documents."""
        records = self.records(fault)
        is_folder = self.kind == "gemini-waf"
        listing = Listing.of(records, len(records) if is_folder else SIZE)
        broken: Collection[str] = ()
        if fault == "page2-500":
            addresses = self.service.addresses(listing)
            # Of a folder, it is all after the first third of the files.
            broken = addresses[len(addresses) // 3 :] if is_folder else addresses[1:2]
        if self.kind == "sparql":
            return _endpoint(records, is_broken=fault == "page2-500")

        def answer(request: Request) -> Response | None:
            # A catalogue is asked for smaller pages as well.
            if broken and (request.path in broken or number(request, "startPosition") > SIZE):
                return FAILURE
            found = self.service.answer(request, listing)
            return tagged(found) if found and request.method == "GET" else found

        return answer

    def served(self, fault: str) -> list[publishers.Served] | None:
        """Return what a harvest has to find."""
        if fault == "page2-500":
            return None
        return [
            publishers.Served(
                guid=self.service.guid(each),
                title=each.title,
                urls=sorted(set(self.service.urls(each))),
                raw=repr(each),
                is_readable=bool(each.title),
            )
            for each in self.records(fault)
        ]


# By its number, or behind the last dataset of the first.
_SECOND_PAGE = re.compile(rf"OFFSET {SIZE}\b|STR\(\?dataset\) >")


def _endpoint(records: list[Record], *, is_broken: bool) -> Answer:
    endpoint = Endpoint(TURTLE + "".join(map(turtle_of, records)))
    if is_broken:
        endpoint.before = lambda query, _request: FAILURE if _SECOND_PAGE.search(query) else None
    return lambda request: endpoint(request) if path_of(request) == "/sparql" else None


class Showcase:
    """The publishers of showcase.py."""

    faults = (LATER,)
    wrong: Collection[str] = ()
    layers = showcase.LAYERS

    def __init__(self, base: str) -> None:
        self.base = base

    @property
    def descriptions(self) -> list[publishers.Publisher]:
        return [*showcase.PUBLISHERS.values()]

    def files(self) -> list[Record]:
        return [each for found in showcase.records(self.base).values() for each in found]

    def answer(self, fault: str) -> Answer:
        paths = {each.path: key for key, each in showcase.PUBLISHERS.items()}
        return lambda request: (
            showcase.document(paths[request.path], self.base, later=bool(fault))
            if request.path in paths
            else None
        )


class Stage:
    """Puts a publisher on the server, with a fault or without; its files, maps and control too."""

    def __init__(self, kind: str, server: Publisher) -> None:
        self.site: Site | Showcase
        self.site = Showcase(server.base) if kind == SHOWCASE else Site(kind, server.base)
        self.kind = kind
        self.maps = MapService(f"{server.base}/wms", "Maps", self.site.layers)
        self.files = self.site.files()
        self.show("")
        server.routes = Everything(self.respond)

    def show(self, fault: str) -> None:
        self.fault = fault
        self.answer = self.site.answer(fault)

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
            found = self.site.served(self.fault)
            return json_response(found and [asdict(each) for each in found])
        described = [asdict(each) for each in self.site.descriptions]
        state = {"type": self.kind, "pid": os.getpid(), "fault": self.fault}
        return json_response({**state, "publishers": described})

    def obey(self, request: Request) -> Response:
        wanted = json.loads(request.body)["fault"]
        if wanted and wanted not in self.site.faults:
            text = f"fault is one of: {', '.join(self.site.faults)}"
            return replace(json_response({"error": text}), status=400)
        self.show(wanted)
        return self.state(request)


def main() -> None:
    kind, port = sys.argv[1:]
    with Publisher(port=int(port)) as server:
        Stage(kind, server)
        print(f"{kind} serves {server.base}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
