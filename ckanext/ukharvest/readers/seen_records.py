"""The records that a read has seen: each is yielded once, and the different ones are counted.

Servers repeat records: where one page ends and the next begins, on every page, in two lists, under
two contents. Each class is one rule for what is yielded again; protocols choose one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO

from ckanext.ukharvest.core.errors import ParseError, RecordError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import RawRecord


class SeenRecords:
    """The base of the rules: it yields all records, for protocols that list none twice.

    Attributes:
        count: number of different records of the list, with those that an interrupted read had.
    """

    def __init__(self) -> None:
        self.count = 0

    def begin(self, before: int) -> None:
        """Begin a list, ``before`` of whose records an interrupted read had."""
        self.count = before

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield the records of the next page that are new by this rule."""
        for raw in records:
            self.count += 1
            yield raw


class SeenIdentities(SeenRecords):
    """Yields each identity once, whatever its content: the server itself can have it only once."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str | bytes] = set()

    def is_known(self, raw: RawRecord) -> bool:
        """Tell whether the record was seen before."""
        return _key(raw) in self._known

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        for raw in records:
            if not self.is_known(raw):
                self._known.add(_key(raw))
                self.count += 1
                yield raw


class SeenContents(SeenRecords):
    """Yields each content of an identity once, and what an earlier list had not at all.

    Attributes:
        deleted: number of those of the list that its server says are deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str | bytes, bytes] = {}
        self.begin(0)

    def begin(self, before: int) -> None:
        super().begin(before)
        self._before = before
        self._current: set[str | bytes] = set()
        self._earlier = frozenset(self._known)
        self.deleted = 0

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        for raw in records:
            digest = digest_of_record(raw)
            key = raw.guid or digest
            self.deleted += raw.deleted and key not in self._current
            self._current.add(key)
            self.count = self._before + len(self._current)
            if key not in self._earlier and self._known.get(key) != digest:
                self._known.setdefault(key, digest)
                yield raw


class SeenPages(SeenRecords):
    """Yields what earlier pages did not have with the same content.

    A page with only known records yields nothing: that is how a server looks that ignores the page
    number. On a page with something new, a record that an earlier page had with the same content
    has only moved across the border and is left out; with other content it is yielded, for
    ``unique`` to report. Records that one page has twice are all yielded.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bodies: set[bytes] = set()
        self._known: dict[str, tuple[int, bytes]] = {}
        self._nameless: set[bytes] = set()
        self._page = 0

    def is_repeat(self, body: IO[bytes]) -> bool:
        """Remember a page's bytes; return True if an earlier page had the same ones."""
        digest = digest_of(body)
        if digest in self._bodies:
            return True
        self._bodies.add(digest)
        return False

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        self._page += 1
        waiting: list[RawRecord] = []
        has_new = False
        for raw in records:
            if not self._is_new(raw, counts=True) and self._page > 1:
                if not (raw.guid and self._known[raw.guid][1] == digest_of_record(raw)):
                    waiting.append(replace(raw, content=None))
                continue
            has_new = True
            yield from self._counted(waiting)
            waiting.clear()
            yield from self._counted([raw])
        if has_new:
            yield from self._counted(waiting)

    def uncounted(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield records of the same page that earlier pages did not have, without counting them."""
        return (raw for raw in records if self._is_new(raw, counts=False))

    def _is_new(self, raw: RawRecord, *, counts: bool) -> bool:
        if not raw.guid:
            return False
        known = self._known.get(raw.guid)
        if known is None:
            self._known[raw.guid] = (self._page, digest_of_record(raw))
            self.count += counts
        return known is None or known[0] == self._page

    def _counted(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield records; count those without identity by their contents."""
        for raw in records:
            if not raw.guid and (digest := digest_of_record(raw)) not in self._nameless:
                self._nameless.add(digest)
                self.count += 1
            yield raw


def _key(raw: RawRecord) -> str | bytes:
    return raw.guid or digest_of_record(raw)


def failed_record(place: str, message: str, *, code: str, url: str, guid: str = "") -> RawRecord:
    """Return a record that cannot be read, with the error.

    Args:
        place: its place in the source, as a text for people.
        message: the error's, with its code.
        url: where it was read.
        guid: its identity, if that is known.
    """
    error = RecordError(message, code=code, url=url)
    return RawRecord(guid, url=url, position=place, error=error)


def missing_identifier(
    place: str, field: str, expected: str = "an identifier that never changes", url: str = ""
) -> ParseError:
    """Return the error of a record without identity.

    Args:
        place: its place in the source.
        field: the field that holds the identity.
        expected: what belongs there.
        url: where it was read.
    """
    message = Message(
        "{place}: {field} is missing; expected {expected}",
        place=place,
        field=field,
        expected=expected,
    )
    return ParseError(message, code="missing-identifier", url=url)


def digest_of_record(raw: RawRecord) -> bytes:
    """Return a digest of a record's content; where it has none, of its stamp and its place."""
    text = raw.content
    if text is None:
        text = f"{raw.modified}\n{raw.position if raw.error else ''}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def digest_of(body: IO[bytes]) -> bytes:
    """Return the SHA-256 of a file's bytes; leave the file at its beginning."""
    body.seek(0)
    digest = hashlib.sha256()
    while chunk := body.read(1 << 20):
        digest.update(chunk)
    body.seek(0)
    return digest.digest()
