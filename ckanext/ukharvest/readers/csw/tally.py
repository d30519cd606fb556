"""The records that a read of a CSW has seen, in several passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta, timezone

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.seen_records import SeenRecords, digest_of_record

# Metadata dates are days, and clocks differ.
_OVERLAP = timedelta(days=1)


class Tally(SeenRecords):
    """Counts different records since the server last changed its total, in all passes.

    Attributes:
        is_first: this is the first pass over the pages.
        is_steady: the total never changed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_first = True
        self.is_steady = True
        self.newest = ""
        self._known: dict[str, bytes] = {}
        self._current: set[str] = set()

    def begin(self, before: int) -> None:
        """Begin a pass: what the passes before it saw counts on."""

    def begin_again(self) -> None:
        """Count from 0: the server changed its total."""
        self.is_steady = False
        self._current.clear()
        self.count = 0

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield a page's records that earlier pages did not have.

        Two records with one identity on a page are different records, and so are two with different
        content, as long as each page is read for the first time; otherwise a record has moved from
        page to page.
        """
        on_page: Counter[str] = Counter()
        for raw in records:
            digest = digest_of_record(raw)
            key = raw.guid or digest.hex()
            on_page[key] += 1
            if on_page[key] > 1:
                key = f"{key}\n{on_page[key]}"
            elif self.is_first and self._known.get(key, digest) != digest:
                key = f"{key}\n{digest.hex()}"
            self._current.add(key)
            self.count = len(self._current)
            if key not in self._known:
                self._known[key] = digest
                self.newest = max(self.newest, _day(raw.modified))
                yield raw

    @property
    def mark(self) -> str:
        """Return the first day of the next run's changes; "" if no record has a date."""
        if not self.newest:
            return ""
        # A date in the future would hide all changes until then.
        newest = min(date.fromisoformat(self.newest), datetime.now(timezone.utc).date())
        return (newest - _OVERLAP).isoformat() if newest > date.min + _OVERLAP else ""


def _day(stamp: str) -> str:
    """Return the day of an ISO 8601 stamp, "" if it has none."""
    try:
        return date.fromisoformat(stamp[:10]).isoformat()
    except ValueError:
        return ""
