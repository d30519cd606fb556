"""OpenSearch services with Geo, Time and EO parameters, or one list of results.

The source's URL is a description document, a page that links to one, or a list of results.

Pages are requested by startIndex, else by startPage, else by the link ``next``. What servers do
besides the standard: they return fewer records than requested, so that the next page begins after
those that came; ignore the page; refuse pages far from the beginning; give no total, or an estimate
("1000+"); count from 0 where they say 1. So the total is proven by the identities that were seen,
and one more page has to be empty.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import BadStatus, ConfigError, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.opensearch import search as searches
from ckanext.ukharvest.readers.opensearch.response import Page, ask
from ckanext.ukharvest.readers.opensearch.search import (
    START_INDEX,
    START_PAGE,
    Description,
    Search,
)
from ckanext.ukharvest.readers.seen_records import SeenPages
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk, saved_ending

OPTIONS = (
    Option(
        "search_for",
        "text",
        "",
        "What is searched for, if the service has both: its collections, or the products in them "
        "(results). Empty takes the collections, else the results.",
        choices=("collection", "results"),
    ),
    Option(
        "search_terms",
        "text",
        "",
        "Words that records have to contain ({searchTerms}). Leave empty to read all records.",
        label=_("Search words"),
    ),
    Option(
        "box",
        "text",
        "",
        "Only records that touch this box, as west,south,east,north in degrees ({geo:box}), such "
        "as -6.4,49.9,1.8,55.8.",
        check=searches.check_box,
        label=_("Only in this area"),
    ),
    Option(
        "time_start",
        "text",
        "",
        "Only records about this time or later ({time:start}), such as 2026-05-01.",
        check=searches.check_time,
    ),
    Option(
        "time_end",
        "text",
        "",
        "Only records about this time or earlier ({time:end}), such as 2026-05-31.",
        check=searches.check_time,
    ),
    Option(
        "parameters",
        "list",
        (),
        "Further parameters of the service's description document, as name=value, such as "
        "eo:platform=Sentinel-2.",
        separator=";",
        check=searches.check_parameters,
    ),
    Option(
        "answer",
        "text",
        "",
        "Form of the results to request. Empty takes Atom if the service has it, else GeoJSON.",
        choices=("atom", "geojson"),
    ),
    Option(
        "page_size",
        "integer",
        50,
        "Number of records per request.",
        minimum=1,
    ),
)


@dataclass(frozen=True)
class OpenSearch(Reader):
    """Reads the results of a search, page by page; ``atom:id`` identifies a record."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            ConfigError: the service needs a parameter, or does not accept a value.
            SourceError: no answer, not OpenSearch, or pages that end too early.
        """
        answer = ask(source.http, source.url)
        if isinstance(answer, tuple):
            answers = (ask(source.http, link) for link in answer[:3])
            first = next((page for page in answers if isinstance(page, Description)), None)
            if first is None:
                where = safe_url(answer[0])
                message = Message(
                    "{where} is not an OpenSearch description document; {url} says it is",
                    where=where,
                    url=source.url,
                )
                raise ProtocolError(message, code="wrong-shape", url=where)
            answer = first
        if isinstance(answer, Page):
            _refuse_options(source)
            if "://" not in source.url:
                return (yield from _saved(answer))
            return (yield from Results(source, first=answer).records())
        search = searches.choose(answer, source.options)
        return (yield from Results(source, search).records())


def _refuse_options(source: Source) -> None:
    """Raise ConfigError for options that a list of results cannot obey."""
    names = ("search_for", "search_terms", "box", "time_start", "time_end", "parameters", "answer")
    for name in names:
        if source.options.get(name):
            url = safe_url(source.url)
            message = Message(
                "{name}: {url} is a list of results; expected the URL of a description"
                " document, which says where values go",
                name=name,
                url=url,
            )
            raise ConfigError(message, field=name, code="bad-option", url=url)


def _saved(page: Page) -> Generator[RawRecord, None, Ending]:
    """Yield the records of one saved page of results."""
    yield from page.records
    more = "the number is an estimate" if page.is_estimate else ""
    return saved_ending(
        page.url,
        "record",
        len({raw.guid or raw.position for raw in page.records}),
        page.total,
        more=f"the next page is at {page.next}" if page.next else more,
        must_count=True,
        problems=page.problems,
    )


class Results(Pages):
    """The results of a search, or the list of results at the source's URL.

    The place of a page is its URL, and its number for startIndex or startPage (-1 for links).

    Args:
        search: None if the source's URL is a page of results itself.
        first: the first page, if it was read already.
    """

    resumes = True

    def __init__(
        self, source: Source, search: Search | None = None, first: Page | None = None
    ) -> None:
        self.where = safe_url(source.url)
        self.seen = SeenPages()
        self._source = source
        self._search = search
        self._first = first
        self._shown = 0
        names = search.template.parameters if search else ()
        # The parameter that requests further pages, "" for links.
        self._mode = next((name for name in (START_INDEX, START_PAGE) if name in names), "")

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once.

        Raises:
            SourceError: a page is no answer of OpenSearch, or the server breaks down before all
                announced records were seen.
        """
        walk = Walk(self, self._source.tell_total)
        point = Point.load(self._source.resume, str, int)
        if point is not None:
            self._shown = point.before
            self._first = None
        yield from walk.read(point or Point(self._beginning()))
        return walk.ending()

    def _beginning(self) -> Place:
        if self._search is None:
            return (self._first.url if self._first else self._source.url, -1)
        template = self._search.template
        is_index = self._mode == START_INDEX
        number = template.index_offset if is_index else template.page_offset
        return (self._search.first_url(), number)

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        url, number = str(point.place[0]), int(point.place[1])
        page = self._first or self._request(url, walk)
        self._first = None
        if page is None:
            return None
        self._shown += len(page.records)
        walk.problems += page.problems
        if page.total < 0 and page.records:
            walk.doubt("does not say how many records it has (totalResults)")
        if page.is_estimate and page.total >= 0:
            walk.doubt("gives the number of its records only as an estimate")
        # Behind the last record, servers announce none.
        if page.records or walk.total < 0:
            walk.note_total(page.total)
        yield from page.records
        return self._following(page, number)

    def _following(self, page: Page, number: int) -> Place | None:
        if not self._mode:
            return (page.next, -1) if page.next else None
        assert self._search is not None
        if self._mode == START_PAGE:
            number += 1
        else:
            is_first = number == self._search.template.index_offset
            # From the smaller of both numbers on no record is left out; one may come twice.
            number = page.start if is_first and 0 <= page.start < number else number
            number += len(page.records)
        return (self._search.url(**{self._mode: number}), number)

    def _request(self, url: str, walk: Walk) -> Page | None:
        """Request a page; None if the server refuses it.

        Behind the last record a refusal is as good as an empty page.
        """
        try:
            page = ask(self._source.http, url, self._shown)
        except BadStatus as exc:
            if self.seen.count == walk.total:
                return None
            if exc.status == 429 or exc.status >= 500 or walk.asked == 1:
                raise
            walk.doubt(f"refused a further page ({exc.message.rstrip('.')})")
            return None
        if not isinstance(page, Page):
            message = Message(
                "{url} answered with another document than a page of results; expected"
                " results in Atom or GeoJSON",
                url=safe_url(url),
            )
            raise ProtocolError(message, code="wrong-shape", url=safe_url(url))
        return page
