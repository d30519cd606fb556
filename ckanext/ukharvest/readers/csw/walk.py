"""A CSW's records page by page, and the proof that there are no others.

What servers do (GeoNetwork, pycsw, Esri Geoportal): nextRecord is 0, absent, after the total or
the page itself; fewer records are returned than requested; a page fails because of one record in
it; the total changes during the read. So the next page starts after the records received, and the
end is proven only by the number of different records: as many as the server reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    FetchError,
    ProtocolError,
    RecordError,
    SourceError,
    TooLarge,
    Unreachable,
)
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.records import Cutter
from ckanext.ukharvest.readers.csw.request import Wanted, Way
from ckanext.ukharvest.readers.csw.response import Answer, Refused, ask, may_be_one_record, rank
from ckanext.ukharvest.readers.csw.tally import Tally
from ckanext.ukharvest.readers.paging import MAX_PAGES
from ckanext.ukharvest.readers.xml_document.records import ACCEPT, XmlShape

_PASSES = 3  # over all pages, before a read that lacks records counts as incomplete
_IN_A_ROW = 3  # records that cannot be had, before the server itself counts as broken
_SHRINK = 4  # how much smaller a page is asked for after one that failed


@dataclass(frozen=True, slots=True)
class Page:
    """One response of GetRecords, and its start position in the catalogue."""

    start: int
    answer: Answer

    @property
    def behind(self) -> int:
        """Return the start of the next page, 0 if there is none."""
        answer, count = self.answer, len(self.answer.records)
        behind = self.start + count if count else max(answer.following, 0)
        if behind <= self.start or (answer.matched < 0 and answer.following == 0):
            return 0
        return behind if answer.matched < 0 or behind <= answer.matched else 0

    @property
    def is_doubtful(self) -> bool:
        """Whether only our own count, not the server, implies a next page."""
        unknown = self.answer.matched < 0 and self.answer.following < 0
        return self.behind > 0 and (unknown or self.answer.following == 0)


class Walk:
    """One read of a catalogue."""

    def __init__(self, source: Source, shape: XmlShape) -> None:
        self._source = source
        self._base = requests.endpoint(source.url)
        self._cutter = Cutter(shape, self._base)
        self._wanted = Wanted.from_options(source.options, source.since)
        method = source.options.get("method", "auto")
        self._ways = requests.ways(method, source.interface)
        self._way = self._ways[0]
        self._most = source.options.get("page_size", 50)
        self._size = self._most
        self._tally = Tally()
        self._asked = self._lost = 0

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once, in as many passes as needed to see all.

        Raises:
            SourceError: not a CSW, or one that ends too early.
        """
        resume = self._source.resume
        page = self._first(int(resume) if resume.isdecimal() else 1)
        is_part = page.start > 1
        for number in range(1, _PASSES + 1):
            before = self._tally.begin()
            may_help = yield from self._pass(page, is_first=number == 1)
            is_idle = number > 1 and self._tally.current == before and not self._tally.has_changed
            is_proven = self._tally.is_proven and not is_part
            if is_proven or is_idle or not may_help or number == _PASSES:
                break
            page, is_part = self._page(1), False
        return self._ending()

    def _first(self, start: int) -> Page:
        """Find a way that works with the server, and return the first page.

        Raises:
            SourceError: there is none, or no connection.
        """
        faults: list[SourceError] = []
        broken: Counter[str] = Counter()
        empty: tuple[Way, Page] | None = None
        for way in self._ways:
            # If sorting may be what fails, it is not tried with other names.
            if broken[way.method] > (0 if way.is_sorted else 1):
                continue
            self._way = way
            try:
                page = self._probe(start)
            except (BadStatus, ProtocolError, TooLarge) as exc:
                faults.append(exc)
                if not isinstance(exc, Refused):
                    broken[way.method] += 1 if may_be_one_record(exc) else 2
                continue
            if page.answer.records or self._wanted.since or start > 1:
                return page
            # A server may know a type of record by name and have none of it.
            empty = empty or (way, page)
        if empty is None:
            raise min(faults, key=rank)
        self._way, page = empty
        return page

    def _probe(self, start: int) -> Page:
        if self._wanted.since:
            try:
                return self._page(start)
            except (BadStatus, ProtocolError, TooLarge):
                # A server that cannot filter by change date can still list everything.
                self._wanted = replace(self._wanted, since="")
        try:
            return self._page(start)
        except (BadStatus, ProtocolError, TooLarge) as exc:
            if self._size == 1 or not may_be_one_record(exc):
                raise
            try:
                page = self._page(start, 1, patient=False)
            except SourceError:
                raise exc from None
            self._size = 1
            return page

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
                page = self._page(page.behind)
            except SourceError:
                return False
        return self._tally.total >= 0 and not self._lost

    def _new(self, page: Page, *, is_first: bool) -> Iterator[RawRecord]:
        records = self._cutter.records(page.answer, page.start)
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
            self._size = min(self._size * 2, self._most)
            yield from lost
            return page
        assert first is not None
        raise first

    def _page_again(self, position: int, fault: SourceError) -> None:
        """Check that the records are at fault: request one again that was read before."""
        try:
            self._page(position, 1, patient=False)
        except SourceError:
            raise fault from None

    def _shrinking(self, start: int, *, patient: bool) -> Page:
        first: SourceError | None = None
        while True:
            try:
                return self._page(start, patient=patient and first is None)
            except (FetchError, ProtocolError) as exc:
                # An unreachable server also fails for small pages, but it may have been too slow.
                is_away = isinstance(exc, Unreachable) and first is not None
                first = first or exc
                if is_away or self._size == 1 or isinstance(exc, Blocked):
                    raise first from None
            self._size = max(self._size // _SHRINK, 1)

    def _culprit(self, position: int, exc: SourceError) -> RawRecord:
        self._lost += 1
        name = f"{self._cutter.shape.singular} {position}"
        message = f"{name} of {self._base} could not be read, even by itself: {exc.message}"
        error = RecordError(message, code="unserved-record", url=self._base)
        return RawRecord("", url=self._base, position=name, error=error)

    def _page(self, start: int, size: int = 0, *, patient: bool = True) -> Page:
        self._asked += 1
        if self._asked > MAX_PAGES:
            raise ProtocolError(
                f"{self._base} still shows new records after {MAX_PAGES:,} pages;"
                " expected the pages to end",
                code="endless-paging",
                url=self._base,
            )
        answer = ask(
            lambda **how: self._send(start, size or self._size, **how),
            "GetRecords",
            patient=patient,
        )
        if not answer.is_list:
            message = f"{self._base} answered GetRecords as if it were GetRecordById"
            raise ProtocolError(message, code="wrong-root", url=self._base)
        return Page(start, answer)

    def _send(self, start: int, size: int, *, allow_status: Collection[int]) -> Reply:
        http, way, wanted = self._source.http, self._way, self._wanted
        if way.method == "GET":
            query = requests.records_query(way, wanted, start=start, size=size)
            return http.get(self._base, params=query, accept=ACCEPT, allow_status=allow_status)
        return http.post(
            self._base,
            body=requests.records_body(way, wanted, start=start, size=size),
            content_type="application/xml",
            accept=ACCEPT,
            allow_status=allow_status,
            idempotent=True,
        )

    def _ending(self) -> Ending:
        since = self._wanted.since
        ending = Ending(
            complete=True,
            interface=str(self._way),
            changes_only=bool(since),
            mark=self._tally.mark or since,
        )
        reason = self._doubt()
        return replace(ending, complete=False, reason=reason, mark=since) if reason else ending

    def _doubt(self) -> str:
        """Return why the read is not complete, "" if it is."""
        tally, url = self._tally, self._base
        if self._lost:
            return f"{self._lost:,} of the records of {url} could not be read"
        if not tally.seen and not (self._wanted.since and tally.total == 0):
            return f"{url} has no records; the list is empty, so nothing was deleted"
        if tally.total < 0:
            return f"{url} does not say how many records there are; expected numberOfRecordsMatched"
        if tally.is_proven:
            return ""
        if tally.has_changed:
            return f"the number of records of {url} changed while they were read"
        total = counted(tally.total, "record")
        return f"{url} announces {total} and shows {tally.seen:,}"
