"""A search service that tests can make answer as real ones do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.source_types import COMMON_OPTIONS, OPENSEARCH
from tests.contract import Item, atom_entry, atom_feed, osdd
from tests.publisher import Everything, Publisher, Request, Response

ATOM = {"Content-Type": "application/atom+xml"}
BY_INDEX = "/search?n={count?}&amp;from={startIndex?}&amp;q={searchTerms?}"
BY_PAGE = "/search?n={count?}&amp;page={startPage?}"
Arguments = dict[str, str]


def entries(count: int) -> list[str]:
    return [atom_entry(Item(number, f"Title {number}")) for number in range(count)]


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def identities(*numbers: int) -> list[str]:
    return [f"https://search.example/{number}" for number in numbers]


@dataclass
class Service:
    """Records in pages of at most ``cap``.

    Attributes:
        description: the description document.
        total: what is announced; None: the number of records.
        offset: the number of its first record, and of its first page.
        inside: more of each feed, given its first record and its arguments.
        change: called with the arguments; returns another response, None for the usual one.
    """

    records: list[str]
    description: str = field(default_factory=lambda: osdd(BY_INDEX))
    cap: int = 2
    total: str | None = None
    offset: int = 1
    inside: Callable[[int, Arguments], str] = lambda _start, _given: ""
    change: Callable[[Arguments], Response | None] = lambda _given: None
    asked: list[Arguments] = field(default_factory=list)

    def serve(self, publisher: Publisher) -> str:
        publisher.routes = Everything(self._respond)
        return publisher.url("/osdd.xml")

    def _respond(self, request: Request) -> Response:
        parts = urlsplit(request.path)
        if parts.path == "/osdd.xml":
            return Response(self.description.encode())
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append(given)
        changed = self.change(given)
        if changed is not None:
            return changed
        size = min(self.cap, int(given.get("n", self.cap)))
        start = int(given.get("from", self.offset)) - self.offset
        start += (int(given.get("page", self.offset)) - self.offset) * size
        page = "".join(self.records[start : start + size])
        total = len(self.records) if self.total is None else self.total
        return Response(atom_feed(self.inside(start, given) + page, total).encode(), headers=ATOM)


class Reads:
    """Reads services with the given options and sync state."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self._http = http
        self.totals: list[int] = []

    def __call__(
        self, service: Service, given: dict[str, Any] | None = None, **memory: Any
    ) -> tuple[list[RawRecord], Ending]:
        url = service.serve(self.publisher)
        url = self.publisher.url(memory.pop("path")) if "path" in memory else url
        chosen = options.validate(given or {}, (*OPENSEARCH.options, *COMMON_OPTIONS))
        source = Source(url, chosen, self._http, tell_total=self.totals.append, **memory)
        reading = Reading(unique(OPENSEARCH.reader.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending
