"""A source type's publisher: one answer to a request, and two ways to serve it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.message import Message
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ckanext.ukharvest.testing.contract import Serve, Served
from tests.publisher import Everything, Publisher, Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import Item, Record

Answer = Callable[[Request, Listing], Response | None]
NOT_FOUND = Response(b"not found", 404)


def _identity(record: Record) -> str:
    return record.identity


def _files(record: Record) -> list[str]:
    return [each.url for each in record.distributions]


@dataclass(frozen=True)
class Service:
    """What publishers of one source type serve.

    Attributes:
        path: what a source names.
        answer: request, listing → response; None for "not found".
        addresses: listing → what a reader requests, beginning with what a source names and the
            page after it.
        late: index of the address whose failure stops a read; 0: that of the only page.
        is_paged: False for types that are one document.
        guid: record → identity of its dataset.
        urls: record → URLs of its dataset's resources.
        options: of a source, so that a reader follows pages.
    """

    path: str
    answer: Answer
    addresses: Callable[[Listing], Sequence[str]]
    late: int = 1
    is_paged: bool = True
    guid: Callable[[Record], str] = _identity
    urls: Callable[[Record], Sequence[str]] = _files
    options: Mapping[str, object] | None = None

    def respond(self, request: Request, listing: Listing) -> Response:
        """Return the response to a request."""
        return self.answer(request, listing) or NOT_FOUND

    def serve(self, publisher: Publisher, listing: Listing) -> str:
        """Answer every request to a publisher; return the source's path."""
        publisher.routes = Everything(lambda request: self.respond(request, listing))
        return self.path


def fixed(service: Service) -> Serve:
    """Return a server for the contract: two pages, if there are any, at their exact addresses."""

    def serve(publisher: Publisher, records: Sequence[Item]) -> Served:
        listing = Listing.of(records, 0 if service.late else max(1, len(records)))
        addresses = service.addresses(listing)
        for address in addresses:
            publisher.routes[address] = service.respond(get(address), listing)
        return Served(addresses[0], addresses[service.late])

    return serve


def get(path: str) -> Request:
    return Request("GET", path, Message())


def arguments(request: Request) -> dict[str, str]:
    """Return the first value of each argument of a request's query."""
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}


def number(request: Request, name: str, default: int = 0) -> int:
    """Return an argument that is a number."""
    return int(arguments(request).get(name, default))


def path_of(request: Request) -> str:
    """Return the path without its query."""
    return urlsplit(request.path).path


def json_response(value: Any) -> Response:
    return Response(json.dumps(value).encode(), headers={"Content-Type": "application/json"})


def text_response(text: str, media_type: str = "application/xml") -> Response:
    return Response(text.encode(), headers={"Content-Type": media_type})


def tagged(response: Response) -> Response:
    """Return a response with an ETag that changes with its body."""
    assert isinstance(response.body, bytes)
    if response.status != 200:
        return response
    return replace(response, etag=f'"{hashlib.sha256(response.body).hexdigest()}"')
