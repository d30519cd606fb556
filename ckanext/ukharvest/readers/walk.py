"""Read a list page by page, and say whether all its records were seen.

The end of a list decides which datasets count as missing. ``Walk`` has what all protocols need for
that: the limit of pages, each record once, the announced total and its changes, pages without a new
record, pages in a circle, resume points. The sentences that say why a read is not complete are here
too, in the same words for all protocols. A protocol (``Pages``) says how to request a page and how
to read it. To begin reading: ``Walk.read``, then the shortest protocol, ``dkan_api``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import EMPTY_LIST, Ending, Iteration, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.readers.seen_records import SeenRecords

# A source of 10,000 pages that still shows new records is a generator, not a catalogue: the
# largest known catalogues have some 3,000 pages of 100.
MAX_PAGES = 10_000
MOST_PROBLEMS = 10  # pages that had to be repaired and are reported

# The place of a page, in its protocol's own terms: a URL, a number, a token.
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """Where a read stands: the place of the next page, and the number of records before it."""

    place: Place
    before: int = 0

    @classmethod
    def load(cls, text: str, *types: type[str] | type[int]) -> Point | None:
        """Return a stored resume point with a place of these types; None for another's."""
        try:
            *values, before = json.loads(text)
            place = tuple(kind(value) for kind, value in zip(types, values, strict=True))
            return cls(place, int(before))
        except (TypeError, ValueError):
            return None

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps([*self.place, self.before])


class Pages:
    """How a protocol requests the pages of a list and reads them.

    Attributes:
        where: the list's URL, for messages.
        seen: which of the records that were seen before are yielded again.
        noun: what the list has.
        resumes: an interrupted read continues at the next page. A protocol with finer resume points
            sets those of its records itself.
        overlaps: pages overlap, so that a changing number of records hides none; the largest
            counts.
        barren: pages in a row without a new record, of which the last ends the read.
        barren_doubt: why a list without a total may have other records once such a page came after
            the first: "answered …"; "" where such pages are usual, or are the end.
        circle_doubt: why, once a page led to one that was read before.
        hint: added where the number of records is not the announced one.
    """

    where: str
    seen: SeenRecords
    noun = "record"
    resumes = False
    overlaps = False
    barren = 1
    barren_doubt = ""
    circle_doubt = ""
    hint = ""

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        """Request a page and yield its records; return the place of the next one, None at the end.

        What else the page says is told to the walk, in any order.

        Raises:
            SourceError: the page cannot be read, and the run has to stop.
        """
        raise NotImplementedError

    def is_whole(self, total: int) -> bool:
        """Tell whether the records that were seen are all of an announced number."""
        return total == self.seen.count


class Walk:
    """One read of one list.

    Attributes:
        asked: number of pages that were requested.
        barren: number of the last ones in a row that had no new record.
        total: number of records as last announced, by an earlier read too, -1 if it was not.
        has_changed: it changed during this read.
        problems: of its pages.
    """

    def __init__(self, pages: Pages, tell_total: Callable[[int], None], total: int = -1) -> None:
        self._pages = pages
        self._tell_total = tell_total
        self.asked = 0
        self.barren = 0
        self.total = total
        self.problems: list[Problem] = []
        self.has_changed = False
        self._doubt = ""
        self._end_doubt = ""
        self._stopped = ""
        self._uncounted: Iterable[RawRecord] = ()

    def read(self, start: Point) -> Iterator[RawRecord]:
        """Yield the new records from a place on; afterwards, ``reason`` says what they prove.

        Raises:
            SourceError: a page cannot be read, or there are more than any catalogue has.
        """
        pages = self._pages
        pages.seen.begin(start.before)
        point, places = start, {start.place}
        while True:
            before = pages.seen.count
            following = yield from self._page(point)
            self.barren = 0 if pages.seen.count > before else self.barren + 1
            if self.barren and (self.asked > 1 or point.before):
                self._end_doubt = pages.barren_doubt
            if following is None:
                return
            if following in places:
                self._end_doubt = pages.circle_doubt
                return
            if self.barren == pages.barren:
                self._end_doubt = pages.barren_doubt or pages.circle_doubt
                return
            places.add(following)
            point = Point(following, pages.seen.count)

    def _page(self, point: Point) -> Generator[RawRecord, None, Place | None]:
        self.asked += 1
        if self.asked > MAX_PAGES:
            where = self._pages.where
            words = Message(
                "still shows new records after {max_pages:,} pages; expected the pages to end",
                max_pages=MAX_PAGES,
            )
            raise ProtocolError(
                Message("{where} {words}", where=where, words=words),
                code="endless-paging",
                url=where,
            )
        page = Iteration(self._pages.page(point, self))
        waiting: RawRecord | None = None
        for raw in self._pages.seen.sift(page):
            if waiting is not None:
                yield waiting
            waiting = raw if self._pages.resumes else None
            if waiting is None:
                yield raw
        if waiting is not None:
            # The next page is known only now: a killed run continues there. If a page was repaired,
            # that run must know it, so that it reads the page again.
            if page.result is not None and not self.problems:
                after = Point(page.result, self._pages.seen.count)
                waiting = replace(waiting, resume=after.dump())
            yield waiting
        yield from self._uncounted
        self._uncounted = ()
        return page.result

    def note_total(self, total: int) -> None:
        """Note the number of records that a page announces, if it is not negative."""
        if self._pages.overlaps:
            total = max(total, self.total)
        elif 0 <= self.total != total >= 0:
            self.has_changed = True
        if total >= 0 and total != self.total:
            self.total = total
            self._tell_total(total)

    def note_uncounted(self, records: Iterable[RawRecord]) -> None:
        """Yield records behind those of the page; they count neither for totals nor for the end."""
        self._uncounted = records

    def note_problems(self, problems: Iterable[Problem]) -> None:
        """Note the problems of a page as a whole; one that another page had counts once."""
        self.problems += [problem for problem in problems if problem not in self.problems]

    def doubt(self, doubt: str) -> None:
        """Note what the server did that leaves the end of the list open: "refused …"."""
        self._doubt = self._doubt or doubt

    def stop(self, reason: str) -> None:
        """Note a whole sentence that says why records may be missing."""
        self._stopped = reason

    def reason(self, *, may_be_empty: bool = False) -> str:
        """Return why the list may have other records, "" if it was read to its end.

        Args:
            may_be_empty: a list without records is as good as any, such as one of changes.
        """
        where, noun, count = self._pages.where, self._pages.noun, self._pages.seen.count
        if self._stopped:
            return self._stopped
        if not count and not may_be_empty:
            return describe_empty_list(where, noun, self.total)
        if self._doubt:
            return f"{where} {self._doubt}, after {counted(count, noun)}"
        if self.has_changed:
            return f"the number of {noun}s of {where} changed while they were read"
        if self.is_whole:
            return ""
        if self.total >= 0:
            return describe_difference(where, noun, self.total, count) + self._pages.hint
        return f"{where} {self._end_doubt}, after {counted(count, noun)}" if self._end_doubt else ""

    @property
    def is_whole(self) -> bool:
        """Whether exactly the records that are announced were seen.

        A read in which the number changed proves nothing: a page may announce itself alone.
        """
        return self.total >= 0 and not self.has_changed and self._pages.is_whole(self.total)

    def ending(self) -> Ending:
        """Return how the read of a list ended that is all of a source."""
        reason = self.reason()
        problems = tuple(self.problems[:MOST_PROBLEMS])
        return Ending(complete=not reason, reason=reason, problems=problems)


def note_links(walk: Walk, number: int) -> None:
    """Report datasets of which a page has the URL alone; any known one may be among them."""
    if number:
        what = Message("{datasets} only by URL", datasets=counted(number, "dataset"))
        message = Message("dataset: {what}, left out; expected the datasets themselves", what=what)
        walk.note_problems([Problem("left-out", "dataset", message)])
        walk.doubt(f"lists {what}")


def describe_empty_list(where: str, noun: str = "record", total: int = -1) -> str:
    """Return the reason why a read of a list without records is not complete.

    Args:
        where: the list's URL, or what else it is.
        noun: what it lists.
        total: how many of them its server counts, -1 if it does not say.
    """
    if total > 0:
        none = "does not hand it over" if total == 1 else "hands over none of them"
        return f"{where} counts {counted(total, noun)} and {none}, so nothing was deleted"
    return f"{where} has no {noun}s; {EMPTY_LIST}"


def saved_ending(
    where: str,
    noun: str,
    count: int,
    total: int = -1,
    *,
    more: str = "",
    must_count: bool = False,
    problems: Iterable[Problem] = (),
) -> Ending:
    """Return the outcome of reading one saved answer.

    Args:
        where: its URL.
        noun: what it lists.
        count: number of its different records.
        total: how many there are, as it announces, -1 if it does not.
        more: what it says about further pages, "" if nothing.
        must_count: an answer that announces no number is not known to be whole.
    """
    reason = ""
    if not count and not (more and total > 0):
        reason = describe_empty_list(where, noun, total)
    elif more or total not in (count, count if must_count else -1):
        number = counted(total, noun) if total >= 0 else f"an unknown number of {noun}s"
        reason = f"{where} holds {count:,} of {number}{more and f'; {more}'}"
    return Ending(complete=not reason, reason=reason, problems=tuple(problems))


def describe_unknown_total(where: str, noun: str, field: str) -> str:
    """Return the reason, for a list whose number of records is not in its ``field``."""
    return f"{where} does not say how many {noun}s there are; expected {field}"


def describe_difference(where: str, noun: str, total: int, count: int) -> str:
    """Return the reason, for a list that shows another number of records than it announces."""
    return f"{where} announces {counted(total, noun)} and shows {count:,}"


def day_before(stamp: str) -> str:
    """Return the day before a stamp: the next run asks for changes since then; "" without a date.

    Servers date a change and show it later, and clocks differ. A date in the future would hide all
    changes until then: for it, the day is yesterday.
    """
    try:
        day = min(date.fromisoformat(stamp[:10]), datetime.now(timezone.utc).date())
        return (day - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return ""


def request(source: Source, accept: str, url: str = "") -> Reply:
    """Request a source's document, which may be "not modified" since the last run.

    Args:
        accept: media types to request.
        url: where the document is, if that is not the source's URL.
    """
    old = source.validators.get(source.url)
    return source.http.get(url or source.url, accept=accept, validators=old)


def unchanged(source: Source) -> Ending:
    """Return the outcome of a read whose document is "not modified" since the last run."""
    old = source.validators.get(source.url)
    return Ending(complete=True, unchanged=True, validators={source.url: old} if old else {})
