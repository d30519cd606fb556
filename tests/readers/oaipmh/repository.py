"""A repository that tests can make answer as real ones do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.source_types import COMMON_OPTIONS, OAIPMH
from tests.contract import Item, oai_dc, oaipmh
from tests.publisher import Everything, Publisher, Request, Response

SIZE = 2
XML = {"Content-Type": "text/xml"}
Arguments = dict[str, str]


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
        publisher.routes = Everything(self._respond)
        return publisher.url("/oai")

    @property
    def lists(self) -> list[Arguments]:
        """The requests of ListRecords, without the verb."""
        found = [dict(each) for each in self.asked if each["verb"] == "ListRecords"]
        return [{k: v for k, v in each.items() if k != "verb"} for each in found]

    def _respond(self, request: Request) -> Response:
        query = parse_qs(urlsplit(request.path).query)
        given = {name: values[0] for name, values in query.items()}
        self.asked.append(given)
        inside = self.change(given)
        if isinstance(inside, Response):
            return inside
        if inside is None:
            inside = getattr(self, given["verb"].lower())(given)
        return Response(oaipmh(inside).encode(), headers=XML)

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


class Reads:
    """Reads repositories with the given options and sync state."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self._publisher = publisher
        self._http = http
        self.totals: list[int] = []

    def __call__(
        self, repository: Repository, given: dict[str, Any] | None = None, **memory: Any
    ) -> tuple[list[RawRecord], Ending]:
        url = memory.pop("url", repository.serve(self._publisher))
        chosen = options.validate(given or {}, (*OAIPMH.options, *COMMON_OPTIONS))
        source = Source(url, chosen, self._http, tell_total=self.totals.append, **memory)
        reading = Reading(unique(OAIPMH.reader.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]
