"""The pages of readers that do not use ``walk`` yet."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.seen_records import digest_of
from ckanext.ukharvest.readers.walk import MAX_PAGES, endless_paging


@dataclass(frozen=True, slots=True)
class PageCount:
    """The number of records on one page, and the number of those not on earlier pages."""

    records: int
    new: int


class Pages:
    """The pages and records that one run has seen of a paged source."""

    def __init__(self, url: str, *, limit: int = MAX_PAGES) -> None:
        self._url = url
        self._limit = limit
        self._digests: set[bytes] = set()
        self._seen: dict[str, tuple[int, bytes]] = {}
        self._number = 0

    def is_repeat(self, body: IO[bytes]) -> bool:
        """Remember a page's bytes; return True if an earlier page had the same ones."""
        digest = digest_of(body)
        if digest in self._digests:
            return True
        self._digests.add(digest)
        return False

    def page(self, records: Iterable[RawRecord]) -> Generator[RawRecord, None, PageCount]:
        """Yield the records of the next page that earlier pages did not have.

        A page with only known records yields nothing: that is how a server looks that ignores the
        page number. On a page with something new, a record that an earlier page had with the same
        content has only moved across the border and is left out; with other content it is yielded,
        for ``unique`` to report.

        Raises:
            ProtocolError: more pages than any catalogue has.
        """
        self._number += 1
        if self._number > self._limit:
            raise endless_paging(self._url, self._limit)
        return (yield from self._sift(records))

    def uncounted(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield records of the same page that earlier pages did not have.

        They count neither for the source's total nor for where its pages end.
        """
        return filter(self._is_new, records)

    def _sift(self, records: Iterable[RawRecord]) -> Generator[RawRecord, None, PageCount]:
        held: list[RawRecord] = []
        total = new = 0
        for raw in records:
            total += 1
            if not self._is_new(raw) and self._number > 1:
                if not self._is_same(raw):
                    held.append(replace(raw, content=None))
                continue
            new += 1
            yield from held
            held.clear()
            yield raw
        if new:
            yield from held
        return PageCount(total, new)

    def _is_new(self, raw: RawRecord) -> bool:
        if not raw.guid:
            return False
        seen = self._seen.setdefault(raw.guid, (self._number, _mark(raw)))
        return seen[0] == self._number

    def _is_same(self, raw: RawRecord) -> bool:
        return bool(raw.guid) and self._seen[raw.guid][1] == _mark(raw)


def _mark(raw: RawRecord) -> bytes:
    text = raw.modified if raw.content is None else raw.content
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
