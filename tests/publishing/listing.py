"""What a publisher lists: records in pages, or pages that do not fit together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.publishing.records import Item, Record, items, record_of

SIZE = 3  # records a page of the faulty listings
COUNT = 6


@dataclass(frozen=True)
class Listing:
    """The records from a position on, and the number of records that is announced.

    Attributes:
        page: position of the first record → records of the page.
        total: position of the first record → number of all records.
        size: records a page.
        find: number → record.
        records: all of them; of an endless listing, the first.
    """

    page: Callable[[int], Sequence[Record]]
    total: Callable[[int], int]
    size: int
    find: Callable[[int], Record]
    records: Sequence[Record]

    @classmethod
    def of(cls, found: Sequence[Item], size: int = 0) -> Listing:
        """Return a good listing; ``size`` 0 makes two pages of it."""
        records = [record_of(each) for each in found]
        size = size or max(2, (len(records) + 1) // 2)
        by_number = {each.number: each for each in records}
        return cls(
            lambda start: records[start : start + size],
            lambda _start: len(records),
            size,
            by_number.__getitem__,
            records,
        )

    @property
    def starts(self) -> list[int]:
        """Return the positions of the pages: at least two of them, and not all of endless ones."""
        end = max(2 * self.size, min(self.total(0), 1000 * self.size))
        return [*range(0, end, self.size)]

    def following(self, start: int) -> int | None:
        """Return the position of the next page, None if there is none."""
        return start + self.size if self.page(start + self.size) else None


def _numbered(number: int) -> Record:
    return Record(number, title=f"Title {number}")


def _good(start: int) -> Sequence[Record]:
    return [record_of(each) for each in items(COUNT)[start : start + SIZE]]


def _endless(start: int) -> Sequence[Record]:
    return [_numbered(number) for number in range(start, start + SIZE)]


def _shifted(start: int) -> Sequence[Record]:
    """Return records of which the first is deleted once the first page was read."""
    return [_numbered(number + 1) for number in range(COUNT - 1)][start : start + SIZE]


def _faulty(
    page: Callable[[int], Sequence[Record]], total: Callable[[int], int] = lambda _start: COUNT
) -> Listing:
    return Listing(page, total, SIZE, _numbered, [_numbered(each) for each in range(50)])


GOOD = _faulty(_good)
FAULTY = {
    "pages-for-ever": _faulty(_endless, lambda _start: 1_000_000),
    "pages-for-ever-and-says-how-many": _faulty(_endless, lambda start: start + 2 * SIZE),
    "repeats": _faulty(lambda _start: _good(0)),
    "announces-too-many": _faulty(_good, lambda _start: 100),
    "announces-too-few": _faulty(_good, lambda _start: 2),
    "announces-ever-more": _faulty(_good, lambda start: COUNT + start),
    "changes-between-pages": _faulty(
        lambda start: _shifted(start) if start else _good(0),
        lambda start: COUNT - 1 if start else COUNT,
    ),
    "goes-empty-between-pages": _faulty(
        lambda start: () if start else _good(0), lambda start: 0 if start else COUNT
    ),
}
