"""The pages of a search one after another, and the proof that there are no other records.

Pages are requested by startIndex, else by startPage, else by the link ``next``. What servers do
besides the standard: they return fewer records than requested, so that the next page begins after
those that came; ignore the page; refuse pages far from the beginning; give no total, or an estimate
("1000+"); count from 0 where they say 1. So the total is proven by the identities that were seen,
and one more page has to be empty.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.readers.opensearch.response import Page, ask
from ckanext.ukharvest.readers.opensearch.search import Search
from ckanext.ukharvest.readers.opensearch.template import START_INDEX, START_PAGE
from ckanext.ukharvest.readers.seen_pages import Pages
from ckanext.ukharvest.readers.walk import MOST_PROBLEMS, describe_empty_list


@dataclass(frozen=True, slots=True)
class Point:
    """The place of a page: its URL, its number for startIndex or startPage, records before it."""

    url: str
    number: int = -1
    before: int = 0

    @classmethod
    def load(cls, text: str) -> Point | None:
        """Return a stored resume point; None for another's."""
        try:
            url, number, before = json.loads(text)
            return cls(str(url), int(number), int(before))
        except (TypeError, ValueError):
            return None

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps([self.url, self.number, self.before])


class Walk:
    """One read of a search, or of the list of results at the source's URL.

    Args:
        search: None if the source's URL is a page of results itself.
    """

    def __init__(self, source: Source, search: Search | None = None) -> None:
        self._source = source
        self._search = search
        self._place = safe_url(source.url)
        self._pages = Pages(self._place)
        self._known: set[str] = set()
        self._before = 0
        self._shown = 0
        self._total = -1
        self._doubt = ""
        self._problems: list[Problem] = []

    def records(self, first: Page | None = None) -> Generator[RawRecord, None, Ending]:
        """Yield every record once.

        Args:
            first: the first page, if it was read already.

        Raises:
            SourceError: a page is no answer of OpenSearch, or the server breaks down before all
                announced records were seen.
        """
        point = Point.load(self._source.resume) if self._source.resume else None
        if point is not None:
            self._before = self._shown = point.before
            first = None
        point = point or self._beginning(first)
        page = first or self._ask(point)
        while page is not None:
            following = yield from self._page(page, point)
            if following is None:
                break
            point = following
            page = self._ask(point)
        return self._ending()

    def _beginning(self, first: Page | None) -> Point:
        """Return the first page's place."""
        if self._search is None:
            return Point(first.url if first else self._source.url)
        template = self._search.template
        number = template.index_offset if self._mode == START_INDEX else template.page_offset
        return Point(self._search.first_url(), number)

    @property
    def _mode(self) -> str:
        """Return the parameter that requests further pages, "" for links."""
        names = self._search.template.parameters if self._search else ()
        return next((each for each in (START_INDEX, START_PAGE) if each in names), "")

    def _page(self, page: Page, point: Point) -> Generator[RawRecord, None, Point | None]:
        """Yield the new records of a page; return the place of the next one, None at the end."""
        seen = len(self._known)
        held: RawRecord | None = None
        self._shown += len(page.records)
        self._problems += page.problems
        self._note(page)
        for raw in self._pages.page(page.records):
            self._known.add(raw.guid or (raw.content or ""))
            if held is not None:
                yield held
            held = raw
        is_barren = len(self._known) == seen
        following = None if is_barren else self._following(page, point)
        if held is not None:
            # A run that goes on there must know that a page was repaired: that page is read again.
            if following is not None and not self._problems:
                held = replace(held, resume=following.dump())
            yield held
        return following

    def _following(self, page: Page, point: Point) -> Point | None:
        if not self._mode:
            return Point(page.next, before=self._count) if page.next else None
        assert self._search is not None
        number = point.number
        if self._mode == START_PAGE:
            number += 1
        else:
            is_first = number == self._search.template.index_offset
            # From the smaller of both numbers on no record is left out; one may come twice.
            number = page.start if is_first and 0 <= page.start < number else number
            number += len(page.records)
        return Point(self._search.url(**{self._mode: number}), number, self._count)

    def _note(self, page: Page) -> None:
        """Note the announced total."""
        if page.total < 0:
            if page.records:
                self._doubt = self._doubt or "does not say how many records it has (totalResults)"
            return
        if page.is_estimate:
            self._doubt = self._doubt or "gives the number of its records only as an estimate"
        if self._total < 0:
            self._source.tell_total(page.total)
        elif self._total != page.total and page.records:
            self._doubt = self._doubt or "changed the number of its records while they were read"
        if self._total < 0 or page.records:
            self._total = page.total

    def _ask(self, point: Point) -> Page | None:
        """Request a page; None if the server refuses it.

        Behind the last record a refusal is as good as an empty page.
        """
        try:
            found = ask(self._source.http, point.url, self._shown)
        except BadStatus as exc:
            is_end = self._count == self._total
            if not is_end and (exc.status == 429 or exc.status >= 500 or not self._known):
                raise
            if not is_end:
                self._doubt = f"refused a further page ({exc.message.rstrip('.')})"
            return None
        if not isinstance(found, Page):
            message = (
                f"{safe_url(point.url)} answered with another document than a page of results;"
                " expected results in Atom or GeoJSON"
            )
            raise ProtocolError(message, code="wrong-shape", url=safe_url(point.url))
        return found

    @property
    def _count(self) -> int:
        """Number of different records that were seen."""
        return self._before + len(self._known)

    def _ending(self) -> Ending:
        where, count = self._place, self._count
        if not count:
            reason = describe_empty_list(where, total=self._total)
        elif self._doubt:
            reason = f"{where} {self._doubt}, after {counted(count, 'record')}"
        elif count != self._total:
            total = counted(self._total, "record")
            reason = f"{where} announces {total} and shows {count:,} different ones"
        else:
            reason = ""
        problems = tuple(self._problems[:MOST_PROBLEMS])
        return Ending(complete=not reason, reason=reason, problems=problems)
