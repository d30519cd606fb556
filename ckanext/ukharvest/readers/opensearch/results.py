"""The pages of a search one after another, and the proof that there are no other records.

Pages are requested by startIndex, else by startPage, else by the link ``next``. What servers do
besides the standard: they return fewer records than requested, so that the next page begins after
those that came; ignore the page; refuse pages far from the beginning; give no total, or an estimate
("1000+"); count from 0 where they say 1. So the total is proven by the identities that were seen,
and one more page has to be empty.
"""

from __future__ import annotations

from collections.abc import Generator

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.readers.opensearch.response import Page, ask
from ckanext.ukharvest.readers.opensearch.search import Search
from ckanext.ukharvest.readers.opensearch.template import START_INDEX, START_PAGE
from ckanext.ukharvest.readers.seen_records import SeenPages
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk


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
            message = (
                f"{safe_url(url)} answered with another document than a page of results;"
                " expected results in Atom or GeoJSON"
            )
            raise ProtocolError(message, code="wrong-shape", url=safe_url(url))
        return page
