"""The records that a read of a repository has seen, to yield each once and to prove the number."""

from __future__ import annotations

import hashlib

from ckanext.ukharvest.core.records import RawRecord


class Tally:
    """Counts the different records of one list at a time; remembers those of all lists.

    Attributes:
        total: completeListSize as last announced, -1 if it was not.
        has_changed: the announced number changed during the pass.
        doubt: what the server did that leaves the end of the list in doubt, "" if nothing.
    """

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}
        self.begin(0)

    def begin(self, before: int) -> None:
        """Begin a pass over a list; ``before`` records were read by a run that was killed."""
        self._before = before
        self._current: set[str] = set()
        self._deleted = 0
        self._first = frozenset(self._known)
        self.total = -1
        self.has_changed = False
        self.doubt = ""

    def is_new(self, raw: RawRecord) -> bool:
        """Count a record; return whether to yield it.

        Two different records with one identity are both yielded: ``paging.unique`` reports them. A
        record that another list, or an earlier pass, had already is not.
        """
        digest = _digest(raw)
        key = raw.guid or digest.hex()
        is_here = key in self._current
        self._current.add(key)
        self._deleted += raw.deleted and not is_here
        if key in self._first:
            return False
        if self._known.get(key) == digest:
            return False
        self._known.setdefault(key, digest)
        return True

    def note_total(self, total: int) -> bool:
        """Note the announced number; return whether it is the first of this pass."""
        is_first = self.total < 0
        self.has_changed = self.has_changed or (not is_first and total != self.total)
        self.total = total
        return is_first

    @property
    def current(self) -> int:
        """Number of different records of this list."""
        return self._before + len(self._current)

    @property
    def is_proven(self) -> bool:
        """Tell whether the list was read to its end.

        By the announced number, which some servers give without the deleted records; where there is
        none, by the end of the tokens alone, as the standard says.
        """
        if self.total < 0:
            return not self.doubt
        numbers = (self.current, self.current - self._deleted)
        return self.total in numbers and not self.has_changed


def _digest(raw: RawRecord) -> bytes:
    text = raw.content or f"{raw.modified}\n{raw.position if raw.error else ''}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
