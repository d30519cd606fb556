"""A CSW's records page by page, and the proof that there are no others.

What servers do (GeoNetwork, pycsw, Esri Geoportal): nextRecord is 0, absent, after the total or
the page itself; fewer records are returned than requested; a page fails because of one record in
it; the total changes during the read. So the next page starts after the records received, and the
end is proven only by the number of different records: as many as the server reports.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from ckanext.ukharvest.core.errors import (
    Blocked,
    FetchError,
    ProtocolError,
    RecordError,
    SourceError,
    Unreachable,
)
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.readers.csw.names import SCHEMAS
from ckanext.ukharvest.readers.csw.probe import Probe
from ckanext.ukharvest.readers.csw.records import Cutter
from ckanext.ukharvest.readers.csw.server import Page, Server
from ckanext.ukharvest.readers.csw.tally import Tally
from ckanext.ukharvest.readers.endings import (
    describe_change,
    describe_difference,
    describe_empty_list,
    describe_unknown_total,
)
from ckanext.ukharvest.readers.walk import MOST_PROBLEMS
from ckanext.ukharvest.readers.xml_document.records import XmlShape

_PASSES = 3  # over all pages, before a read that lacks records counts as incomplete
_IN_A_ROW = 3  # records that cannot be had, before the server itself counts as broken
_SHRINK = 4  # how much smaller a page is asked for after one that failed


class Walk:
    """One read of a catalogue."""

    def __init__(self, source: Source, shape: XmlShape) -> None:
        self._source = source
        self._server = Server(source)
        self._cutter = Cutter(shape, self._server.base)
        self._tally = Tally()
        self._lost = 0

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once, in as many passes as needed to see all.

        Raises:
            SourceError: not a CSW, or one that ends too early.
        """
        resume = self._source.resume
        page = Probe(self._server, int(resume) if resume.isdecimal() else 1).first_page()
        way = self._server.way
        if way.method == "GET" and way.url:
            self._cutter = replace(self._cutter, base=way.url)
        self._cutter = replace(self._cutter, schema=SCHEMAS[way.schema])
        is_part = page.start > 1
        for number in range(1, _PASSES + 1):
            before = self._tally.begin()
            may_help = yield from self._pass(page, is_first=number == 1)
            is_idle = number > 1 and self._tally.current == before and not self._tally.has_changed
            is_proven = self._tally.is_proven and not is_part
            if is_proven or is_idle or not may_help or number == _PASSES:
                break
            page, is_part = self._server.page(1), False
        if self._tally.total < 0 and not self._lost and not is_part:
            self._tally.note_total(self._server.count())
        return self._ending()

    def _pass(self, page: Page | None, *, is_first: bool) -> Generator[RawRecord, None, bool]:
        """Yield the new records from a page on; return whether another pass may help."""
        barren = 0
        while page is not None:
            before = self._tally.current
            yield from self._new(page, is_first=is_first)
            barren = 0 if self._tally.current > before else barren + 1
            is_done = self._tally.is_proven and self._tally.is_steady and not is_first
            if is_done or not page.behind:
                break
            if is_first and barren > 1:
                return False  # the server shows the same page whatever is asked for
            if not page.is_doubtful:
                page = yield from self._next(page.behind)
                continue
            try:
                page = self._server.page(page.behind)
            except SourceError:
                return False
        return self._tally.total >= 0 and not self._lost

    def _new(self, page: Page, *, is_first: bool) -> Iterator[RawRecord]:
        records = self._cutter.records(page.answer, self._source, page.start)
        if records or self._tally.total < 0:
            self._tally.note_total(page.answer.matched)
            self._source.tell_total(page.answer.matched)
        new = self._tally.new(records, is_first=is_first)
        for raw in new[:-1]:
            yield raw
        for raw in new[-1:]:
            resume = str(page.behind) if is_first and page.behind else ""
            yield replace(raw, resume=resume)

    def _next(self, start: int) -> Generator[RawRecord, None, Page | None]:
        """Return the next page, smaller if the server cannot make it.

        A record that fails even by itself is yielded as failed.

        Raises:
            SourceError: more than one record is at fault; this is the page's first error.
        """
        first: SourceError | None = None
        lost: list[RawRecord] = []
        for position in range(start, start + _IN_A_ROW):
            if first and 0 <= self._tally.total < position:
                self._page_again(start - 1, first)
                yield from lost
                return None
            try:
                page = self._shrinking(position, patient=first is None)
            except (FetchError, ProtocolError) as exc:
                first = first or exc
                if isinstance(exc, (Blocked, Unreachable)):
                    break
                lost.append(self._culprit(position, exc))
                continue
            self._server.size = min(self._server.size * 2, self._server.most)
            yield from lost
            return page
        assert first is not None
        raise first

    def _page_again(self, position: int, fault: SourceError) -> None:
        """Check that the records are at fault: request one again that was read before."""
        try:
            self._server.page(position, 1, patient=False)
        except SourceError:
            raise fault from None

    def _shrinking(self, start: int, *, patient: bool) -> Page:
        first: SourceError | None = None
        while True:
            try:
                return self._server.page(start, patient=patient and first is None)
            except (FetchError, ProtocolError) as exc:
                # An unreachable server also fails for small pages, but it may have been too slow.
                is_away = isinstance(exc, Unreachable) and first is not None
                first = first or exc
                if is_away or self._server.size == 1 or isinstance(exc, Blocked):
                    raise first from None
            self._server.size = max(self._server.size // _SHRINK, 1)

    def _culprit(self, position: int, exc: SourceError) -> RawRecord:
        self._lost += 1
        name = f"{self._cutter.shape.singular} {position}"
        message = f"{name} of {self._server.base} could not be read, even by itself: {exc.message}"
        error = RecordError(message, code="unserved-record", url=self._server.base)
        return RawRecord("", url=self._server.base, position=name, error=error)

    def _ending(self) -> Ending:
        since = self._server.wanted.since
        ending = Ending(
            complete=True,
            interface=str(self._server.way),
            changes_only=bool(since),
            mark=self._tally.mark or since,
            problems=tuple(self._server.problems[:MOST_PROBLEMS]),
        )
        reason = self._doubt()
        return replace(ending, complete=False, reason=reason, mark=since) if reason else ending

    def _doubt(self) -> str:
        """Return why the read is not complete, "" if it is."""
        tally, url = self._tally, self._server.base
        if self._lost:
            return f"{self._lost:,} of the records of {url} could not be read"
        if span := self._server.wanted.span:
            return f"only records {span} were requested from {url}; others do not count as missing"
        if not tally.seen and not (self._server.wanted.since and tally.total == 0):
            return describe_empty_list(url, total=tally.total)
        if tally.total < 0:
            return describe_unknown_total(url, "record", "numberOfRecordsMatched")
        if tally.is_proven:
            return ""
        if tally.has_changed:
            return describe_change(url, "record")
        return describe_difference(url, "record", tally.total, tally.seen)
