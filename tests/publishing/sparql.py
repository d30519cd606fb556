"""A SPARQL endpoint: pyoxigraph behind HTTP with the faults of servers, or pages of a listing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

from tests.publisher import Everything, Publisher, Request, Response
from tests.publishing.dcat import TURTLE, turtle_of, uri, urls
from tests.publishing.listing import Listing
from tests.publishing.service import Service, path_of

F = ox.RdfFormat
R = ox.QueryResultsFormat
_LIMIT = re.compile(r" LIMIT \d+ OFFSET \d+\Z")


def text_of(request: Request) -> str:
    """Return the query in a request, whether by GET or as a form by POST."""
    sent = urlsplit(request.path).query
    if request.method == "POST":
        sent = request.body.decode()
    return parse_qs(sent).get("query", [""])[0]


def rows(variable: str, kind: str, values: Iterable[str]) -> Response:
    """Return the results of a SELECT of one variable, in JSON."""
    found = [{variable: {"type": kind, "value": each}} for each in values]
    result = {"head": {"vars": [variable]}, "results": {"bindings": found}}
    headers = {"Content-Type": "application/sparql-results+json"}
    return Response(json.dumps(result).encode(), headers=headers)


class Endpoint:
    """Answers queries about triples.

    Args:
        turtle: the default graph; several texts may use the same labels of blank nodes.
        rows, triples: media types of results.
        most: the most rows of a result; more are left out without a word.
    """

    def __init__(
        self,
        *turtle: str,
        rows: ox.QueryResultsFormat = R.JSON,
        triples: ox.RdfFormat = F.N_TRIPLES,
        most: int = 0,
    ) -> None:
        self.store = ox.Store()
        self.rows, self.triples, self.most = rows, triples, most
        self.queries: list[str] = []
        # Asked before the store; None leaves the answer to it.
        self.before: Callable[[str, Request], Response | None] = lambda _query, _request: None
        for text in turtle:
            self.add(text)

    def add(self, turtle: str, graph: str = "") -> None:
        """Add triples to a named graph, or to the default graph."""
        place = ox.NamedNode(graph) if graph else ox.DefaultGraph()
        self.store.load(turtle.encode(), format=F.TURTLE, to_graph=place)

    def remove(self, uri: str) -> None:
        """Remove all triples about a node."""
        self.store.update(f"DELETE WHERE {{ <{uri}> ?p ?o }}")

    def serve(self, publisher: Publisher) -> str:
        """Answer every request to a publisher; return the endpoint's URL."""
        publisher.routes = Everything(self, "/sparql")
        return publisher.url("/sparql")

    def asked(self, form: str) -> list[str]:
        """Return the queries with a text in them."""
        return [each for each in self.queries if form in each]

    def __call__(self, request: Request) -> Response:
        query = text_of(request)
        self.queries.append(query)
        return self.before(query, request) or self.answer(query)

    def answer(self, query: str) -> Response:
        """Return the store's own answer."""
        try:
            found = self.store.query(self._capped(query))
        except SyntaxError as exc:
            return Response(f"Parse error: {exc}".encode(), 400, {"Content-Type": "text/plain"})
        if isinstance(found, ox.QueryTriples):
            return _response(ox.serialize(found, format=self.triples) or b"", self.triples)
        return _response(found.serialize(format=self.rows) or b"", self.rows)

    def _capped(self, query: str) -> str:
        if not self.most or "COUNT(" in query:
            return query
        if limits := _LIMIT.search(query):
            size, offset = map(int, re.findall(r"\d+", limits[0]))
            return f"{query[: limits.start()]} LIMIT {min(size, self.most)} OFFSET {offset}"
        return f"{query.removesuffix('} }')}LIMIT {self.most} }} }}"


def _paged(request: Request, listing: Listing) -> Response | None:
    """Answer the reader's queries alone, with whatever pages a listing has."""
    if path_of(request) != _PATH:
        return None
    query = text_of(request)
    if "COUNT(" in query:
        return rows("number_of_datasets", "literal", [str(listing.total(0))])
    if "CONSTRUCT" in query:
        numbers = sorted({int(each) for each in re.findall(r"example/id/(\d+)>", query)})
        found = [turtle_of(listing.find(each)) for each in numbers]
        return Response((TURTLE + "".join(found)).encode())
    start = int(query.rpartition("OFFSET ")[2])
    return rows("dataset", "uri", [uri(each) for each in listing.page(start)])


_PATH = "/sparql"
SPARQL = Service(_PATH, _paged, lambda _listing: [_PATH], late=0, guid=uri, urls=urls)


def _response(body: bytes, kind: ox.RdfFormat | ox.QueryResultsFormat) -> Response:
    return Response(body, headers={"Content-Type": kind.media_type})
