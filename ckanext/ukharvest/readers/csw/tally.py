"""Count the records that a read of a CSW has seen, and compare with the server's total."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta, timezone

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.seen_records import digest_of_record

# Metadata dates are days, and clocks differ.
_OVERLAP = timedelta(days=1)


class Tally:
    """Counts different records; ``note_total`` first, then ``new`` for each page."""

    def __init__(self) -> None:
        self.total = -1
        self.has_changed = False  # the total did, since this pass began
        self.is_steady = True  # it never did
        self.newest = ""
        self._known: dict[str, bytes] = {}
        self._current: set[str] = set()  # seen since the server last changed its total

    def begin(self) -> int:
        """Begin a pass; return ``current``."""
        self.has_changed = False
        return self.current

    def note_total(self, total: int) -> None:
        """Record the total that a page reports."""
        if total != self.total and self.total >= 0:
            self.has_changed = True
            self.is_steady = False
            self._current.clear()
        self.total = total

    def new(self, records: list[RawRecord], *, is_first: bool) -> list[RawRecord]:
        """Return a page's records that earlier pages did not have.

        Two records with one identity on a page are different records, and so are two with different
        content, as long as each page is read for the first time; otherwise a record has moved from
        page to page.
        """
        unknown = []
        on_page: Counter[str] = Counter()
        for raw in records:
            digest = digest_of_record(raw)
            key = raw.guid or digest.hex()
            on_page[key] += 1
            if on_page[key] > 1:
                key = f"{key}\n{on_page[key]}"
            elif is_first and self._known.get(key, digest) != digest:
                key = f"{key}\n{digest.hex()}"
            self._current.add(key)
            if key not in self._known:
                self._known[key] = digest
                self.newest = max(self.newest, _day(raw.modified))
                unknown.append(raw)
        return unknown

    @property
    def seen(self) -> int:
        """Number of different records."""
        return len(self._known)

    @property
    def current(self) -> int:
        """Number of different records since the total last changed."""
        return len(self._current)

    @property
    def is_proven(self) -> bool:
        """Tell whether exactly the records that the server reports were seen.

        A pass in which the total changed proves nothing: a page may report itself as the total.
        """
        return self.current == self.total and not self.has_changed

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
