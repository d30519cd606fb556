"""An OpenSearch service with the faults of real ones, and one that serves a listing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from tests.publisher import Everything, Publisher, Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import Item, Record, record_of
from tests.publishing.service import Service, arguments, number, path_of, text_response

_ATOM = "application/atom+xml"
ATOM = {"Content-Type": _ATOM}
_PATH = "/osdd.xml"
_SEARCH = "/search"
_FIRST = "/search?n=50"
OPENSEARCH_NEXT = "/search?n=50&from={}"
TEMPLATE = "/search?n={count}&amp;from={startIndex?}&amp;q={searchTerms?}"
BY_INDEX = "/search?n={count?}&amp;from={startIndex?}&amp;q={searchTerms?}"
BY_PAGE = "/search?n={count?}&amp;page={startPage?}"
Arguments = dict[str, str]


def guid(record: Record) -> str:
    return record.guid or f"https://search.example/{record.number}"


def atom_entry(item: Item) -> str:
    """Return a record as an entry of Atom."""
    record = record_of(item)
    identity = "" if record.nameless else f"<id>{escape(guid(record))}</id>"
    title = f"<title>{escape(record.title)}</title>" if record.title else ""
    updated = f"{record.modified}T10:00:00Z" if record.modified else "2024-05-01T10:00:00Z"
    return (
        f"<entry>{identity}{title}<summary>{escape(record.description)}</summary>"
        f"<updated>{updated}</updated>{''.join(_more(record))}</entry>"
    )


def _more(record: Record) -> Iterator[str]:
    if record.publisher:
        yield f'<publisher xmlns="{_DC}">{escape(record.publisher)}</publisher>'
    yield from (f"<category term={quoteattr(tag)}/>" for tag in record.tags)
    if record.licence:
        yield "<rights>Open Government Licence v3.0</rights>"
    if record.box:
        west, south, east, north = record.box
        yield f'<box xmlns="{_GEORSS}">{south} {west} {north} {east}</box>'
    if record.page:
        yield f'<link rel="alternate" type="text/html" href={quoteattr(record.page)}/>'
    for file in record.distributions:
        kind = f" type={quoteattr(file.media_type)}" if file.media_type else ""
        yield f'<link rel="enclosure"{kind} href={quoteattr(file.url)}/>'


_DC = "http://purl.org/dc/elements/1.1/"
_GEORSS = "http://www.georss.org/georss"


def urls(record: Record) -> list[str]:
    """Return the URLs of the resources, the page among them."""
    return [*filter(None, (record.page,)), *(each.url for each in record.distributions)]


def atom_feed(inside: str, total: object) -> str:
    """Return a page of results in Atom."""
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:os="http://a9.com/-/spec/opensearch/1.1/">'
        f"<title>Results</title><os:totalResults>{total}</os:totalResults>{inside}</feed>"
    )


def osdd(template: str = TEMPLATE, media_type: str = _ATOM) -> str:
    """Return a description document with one template."""
    return (
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        "<ShortName>Search</ShortName>"
        f'<Url type="{media_type}" template="{template}"/></OpenSearchDescription>'
    )


def entries(count: int) -> list[str]:
    return [atom_entry(Item(number, f"Title {number}")) for number in range(count)]


def identities(*numbers: int) -> list[str]:
    return [f"https://search.example/{number}" for number in numbers]


@dataclass
class Search:
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
        return publisher.url(_PATH)

    def _respond(self, request: Request) -> Response:
        if path_of(request) == _PATH:
            return Response(self.description.encode())
        given = arguments(request)
        self.asked.append(given)
        changed = self.change(given)
        if changed is not None:
            return changed
        size = min(self.cap, int(given.get("n", self.cap)))
        start = int(given.get("from", self.offset)) - self.offset
        start += (int(given.get("page", self.offset)) - self.offset) * size
        page = "".join(self.records[start : start + size])
        total = len(self.records) if self.total is None else self.total
        return text_response(atom_feed(self.inside(start, given) + page, total), _ATOM)


def _answer(request: Request, listing: Listing) -> Response | None:
    """Answer as a search that returns fewer records than requested."""
    if path_of(request) == _PATH:
        return text_response(osdd())
    if path_of(request) != _SEARCH:
        return None
    start = number(request, "from", 1) - 1
    found = "".join(map(atom_entry, listing.page(start)))
    return text_response(atom_feed(found, listing.total(start)), _ATOM)


def _addresses(listing: Listing) -> list[str]:
    starts = dict.fromkeys((*listing.starts[1:], listing.total(0)))
    return [_PATH, *(OPENSEARCH_NEXT.format(start + 1) for start in starts), _FIRST]


OPENSEARCH = Service(_PATH, _answer, _addresses, guid=guid, urls=urls)
