"""An OAI-PMH repository with the faults of real ones, and one that serves a listing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from tests.publisher import Everything, Publisher, Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import Item, Record, record_of
from tests.publishing.service import Service, arguments, path_of, text_response

SIZE = 2
XML = {"Content-Type": "text/xml"}
Arguments = dict[str, str]


def oai_dc(item: Item) -> str:
    """Return a record of Dublin Core with its header."""
    record = record_of(item)
    identity = "" if record.nameless else f"<identifier>{escape(record.identity)}</identifier>"
    stamp = record.modified or "2024-04-01"
    elements = "".join(f"<dc:{name}>{escape(value)}</dc:{name}>" for name, value in _fields(record))
    return (
        f"<record><header>{identity}<datestamp>{stamp}</datestamp></header><metadata>"
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/">{elements}</oai_dc:dc></metadata></record>'
    )


def _fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "title", record.title
    yield "description", record.description
    yield from (("subject", tag) for tag in record.tags)
    if record.publisher:
        yield "publisher", record.publisher
        yield "type", "Dataset"
    if record.modified:
        yield "date", record.modified
    yield from (("identifier", url) for url in urls(record))
    if record.box:
        sides = zip(("west", "south", "east", "north"), record.box, strict=True)
        yield "coverage", "; ".join(f"{side}limit={degrees}" for side, degrees in sides)
    if record.licence:
        yield "rights", record.licence


def urls(record: Record) -> list[str]:
    """Return the URLs of the resources: the page and the files are identifiers."""
    return [*filter(None, (record.page,)), *(each.url for each in record.distributions)]


def oaipmh(inside: str) -> str:
    """Return a response of OAI-PMH."""
    return (
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f"<responseDate>2024-05-01T10:00:00Z</responseDate>{inside}</OAI-PMH>"
    )


def error(code: str, text: str = "") -> str:
    return f'<error code="{code}">{text}</error>'


def deleted(number: int) -> str:
    return (
        f'<record><header status="deleted"><identifier>id-{number}</identifier>'
        "<datestamp>2024-04-02</datestamp></header></record>"
    )


def numbered(count: int) -> list[str]:
    return [oai_dc(Item(number, f"Title {number}")) for number in range(count)]


@dataclass
class Repository:
    """Records in pages of ``SIZE``, with tokens that are positions.

    Attributes:
        records: the elements, or by set.
        change: called with the arguments; returns another inside of the answer, None for this one.
    """

    records: list[str]
    sets: dict[str, list[str]] = field(default_factory=dict)
    has_totals: bool = True
    granularity: str = "YYYY-MM-DD"
    policy: str = "no"
    prefixes: tuple[str, ...] = ("oai_dc",)
    change: Callable[[Arguments], str | Response | None] = lambda _given: None
    asked: list[Arguments] = field(default_factory=list)

    def serve(self, publisher: Publisher) -> str:
        publisher.routes = Everything(self.respond)
        return publisher.url("/oai")

    @property
    def lists(self) -> list[Arguments]:
        """The requests of ListRecords, without the verb."""
        found = [dict(each) for each in self.asked if each["verb"] == "ListRecords"]
        return [{k: v for k, v in each.items() if k != "verb"} for each in found]

    def respond(self, request: Request) -> Response:
        given = arguments(request)
        self.asked.append(given)
        inside = self.change(given)
        if isinstance(inside, Response):
            return inside
        if inside is None:
            inside = getattr(self, given["verb"].lower())(given)
        return text_response(oaipmh(inside), "text/xml")

    def identify(self, _given: Arguments) -> str:
        return (
            f"<Identify><deletedRecord>{self.policy}</deletedRecord>"
            f"<granularity>{self.granularity}</granularity></Identify>"
        )

    def listmetadataformats(self, _given: Arguments) -> str:
        found = "".join(
            f"<metadataFormat><metadataPrefix>{each}</metadataPrefix></metadataFormat>"
            for each in self.prefixes
        )
        return f"<ListMetadataFormats>{found}</ListMetadataFormats>"

    def listrecords(self, given: Arguments) -> str:
        name, _, place = given.get("resumptionToken", "").rpartition("-")
        name = name or given.get("set", "")
        records = self.sets[name] if name else self.records
        start = int(place or 0)
        page, behind = records[start : start + SIZE], start + SIZE
        token = f"{name}-{behind}" if behind < len(records) else ""
        total = f' completeListSize="{len(records)}"' if self.has_totals else ""
        return f"<ListRecords>{''.join(page)}{resumption(token, total)}</ListRecords>"


def resumption(token: str, more: str = "") -> str:
    return f"<resumptionToken{more}>{token}</resumptionToken>"


_PATH = "/oai"
OAI_LIST = f"{_PATH}?verb=ListRecords&metadataPrefix=oai_dc"
OAI_NEXT = f"{_PATH}?verb=ListRecords&resumptionToken={{}}"


def _answer(request: Request, listing: Listing) -> Response | None:
    """Answer as a repository that announces the number of its records."""
    if path_of(request) != _PATH:
        return None
    given = arguments(request)
    if given.get("verb") in ("Identify", "ListMetadataFormats"):
        return Repository([]).respond(request)
    start = int(given.get("resumptionToken", 0))
    token = listing.following(start) or ""
    last = resumption(str(token), f' completeListSize="{listing.total(start)}"')
    found = "".join(map(oai_dc, listing.page(start)))
    return text_response(oaipmh(f"<ListRecords>{found}{last}</ListRecords>"), "text/xml")


def _addresses(listing: Listing) -> list[str]:
    pages = [OAI_NEXT.format(start) for start in listing.starts[1:]]
    return [OAI_LIST, *pages, f"{_PATH}?verb=ListMetadataFormats"]


OAIPMH = Service(_PATH, _answer, _addresses, urls=urls)
