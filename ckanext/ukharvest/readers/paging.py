"""Guards shared by all paged readers: no page twice, no record twice, no endless loop.

The end of a paged source decides which datasets count as missing, so each rule here returns either
"this is the end" (complete) or "this may be the end" (not complete, with the reason).
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import BadStatus, DuplicateGuid, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.core.http.request import REDIRECTS
from ckanext.ukharvest.core.http.urls import join
from ckanext.ukharvest.core.records import REPAIRED, Ending, RawRecord, Validators

# A source of 10,000 pages that still shows new records is a generator, not a catalogue: the
# largest known catalogues have some 3,000 pages of 100.
MAX_PAGES = 10_000
MOST_PROBLEMS = 10  # pages that had to be repaired and are reported


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


def endless_paging(url: str, pages: int, does: str = "shows new records") -> ProtocolError:
    """Return the error of a server that ``does`` something new after so many pages."""
    message = f"{url} still {does} after {pages:,} pages; expected the pages to end"
    return ProtocolError(message, code="endless-paging", url=url)


def digest_of(body: IO[bytes]) -> bytes:
    """Return the SHA-256 of a file's bytes; leave the file at its beginning."""
    body.seek(0)
    digest = hashlib.sha256()
    while chunk := body.read(1 << 20):
        digest.update(chunk)
    body.seek(0)
    return digest.digest()


def unique(
    records: Generator[RawRecord, None, Ending],
) -> Generator[RawRecord, None, Ending]:
    """Turn each repeated identity into a failed record that names both places.

    Every reader's records pass through here, in runs and previews: the only place where
    duplicates are found, and where a read of a repaired document loses its completeness.
    """
    places: dict[str, tuple[str, str]] = {}
    with closing(records):
        while True:
            try:
                raw = next(records)
            except StopIteration as stop:
                return _unless_repaired(stop.value)
            if raw.error is None and raw.guid in places:
                raw = replace(raw, error=_duplicate(raw, places[raw.guid]))
            elif raw.error is None:
                places[raw.guid] = (raw.position, raw.url)
            yield raw


def _unless_repaired(ending: Ending) -> Ending:
    """Return how a read ended: one of a repaired document is never complete.

    What a repair left out must not count as missing, nor be asked for less than in full next time.
    """
    repaired = next((each for each in ending.problems if each.code == REPAIRED), None)
    if repaired is None or not ending.complete:
        return ending
    where = f" in line {repaired.line}" if repaired.line else ""
    reason = (
        f"a document was repaired{where}, so that nothing counts as missing or is deleted until it"
        f" is corrected: {repaired.message}"
    )
    return replace(ending, complete=False, reason=reason, validators={}, mark="")


def _duplicate(raw: RawRecord, first: tuple[str, str]) -> DuplicateGuid:
    second = (raw.position, raw.url)
    is_elsewhere = raw.url != first[1]
    here, there = (_place(*each, with_url=is_elsewhere) for each in (second, first))
    return DuplicateGuid(raw.guid, here, there, url=raw.url)


def _place(position: str, url: str, *, with_url: bool) -> str:
    if position and with_url and url not in position:
        return f"{position} ({url})"
    return position or url


def page_url(url: str, number: int) -> str:
    """Return the URL of page ``number``: with ``page=n`` in its query."""
    parts = urlsplit(url)
    if not any(name == "page" for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        query = f"{parts.query}&page={number}" if parts.query else f"page={number}"
    else:
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode([(n, str(number) if n == "page" else v) for n, v in pairs])
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def numbered_page(
    http: HttpClient, url: str, number: int, *, first: Validators, accept: str
) -> Reply | Ending:
    """Request page ``number`` (2 or more) of a source paged by ``?page=n``.

    Returns:
        The reply, or how the pages end: on 404 and 410, on a redirect to anything but the same
        page (servers send unknown addresses to the first page or the home page) and on "not
        modified" since page 1 the source is complete; on another refusal (4xx) it may go on behind
        it, so it is not.

    Raises:
        SourceError: network faults and 5xx; the rest of the source is unknown.
    """
    page = page_url(url, number)
    validators = _same_document(first)
    try:
        reply = http.get(page, accept=accept, validators=validators, follow_redirects=False)
        if _is_page(reply, number):
            reply.close()
            reply = http.get(page, accept=accept, validators=validators)
    except BadStatus as exc:
        return _refused(exc, number)
    if reply.not_modified or 300 <= reply.status < 400:
        reply.close()
        return Ending(complete=True)
    return reply


def _is_page(reply: Reply, number: int) -> bool:
    """Tell whether a page is redirected to itself elsewhere, such as to https."""
    location = reply.headers.get("Location")
    if reply.status not in REDIRECTS or location is None:
        return False
    query = urlsplit(join(reply.url, location)).query
    return ("page", str(number)) in parse_qsl(query)


def _refused(exc: BadStatus, number: int) -> Ending:
    if exc.status in (404, 410) or 300 <= exc.status < 400:
        return Ending(complete=True)
    if exc.status == 429 or exc.status >= 500:
        raise exc
    return Ending(
        complete=False,
        reason=f"page {number} was refused, so that it is not known whether there are more"
        f" datasets: {exc.message.rstrip('.')}; set the option paging to none if there is one page",
    )


def _same_document(first: Validators) -> Validators | None:
    # Only a strong ETag means "the same bytes". With page 1's Last-Modified, a paged server sorted
    # by date would answer 304 for page 2, and all after page 1 would count as missing; weak tags
    # are often one version stamp for all pages.
    if not first.etag or first.etag.startswith("W/"):
        return None
    return Validators(etag=first.etag)
