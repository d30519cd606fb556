"""Pages by ``?page=n``, and the rule for two records of one identity.

The end of a paged source decides which datasets count as missing, so a page that is not there is
either "this is the end" (complete) or "this may be the end" (not complete, with the reason).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Generic, Protocol, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import BadStatus, DuplicateGuid, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import REDIRECTS, Reply
from ckanext.ukharvest.core.http.urls import join
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import (
    REPAIRED,
    Ending,
    Iteration,
    RawRecord,
    Source,
    Validators,
)
from ckanext.ukharvest.readers.seen_records import SeenPages
from ckanext.ukharvest.readers.walk import (
    Pages,
    Place,
    Point,
    Walk,
    request,
    unchanged,
)


class Document(Protocol):
    """One page, opened and checked to its end."""

    def records(self) -> Iterator[RawRecord]: ...

    def close(self) -> None: ...


D = TypeVar("D", bound=Document)


class NumberedPages(Pages, Generic[D]):
    """The pages of a document by ``?page=n``, until one has nothing new, which is the end.

    Attributes:
        accept: media types to request.
        syntax: code of the error of a page that is broken, which stops the run.
    """

    accept: str
    syntax: str
    noun = "dataset"

    def __init__(self, source: Source) -> None:
        self.where = source.url
        self.seen: SeenPages = SeenPages()
        self._source = source
        self._before = 0

    def open(self, reply: Reply, before: int) -> D:
        """Open a page; ``before`` is the number of records on earlier ones.

        Raises:
            ProtocolError: it is another document, or broken.
        """
        raise NotImplementedError

    def following(self, document: D, walk: Walk) -> Place | None:
        """Return the place of the next page, None if no other is requested, once one was read."""
        raise NotImplementedError

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield the records of all pages, none if the first is "not modified"."""
        self._reply = request(self._source, self.accept)
        if self._reply.not_modified:
            self._reply.close()
            return unchanged(self._source)
        walk = Walk(self, self._source.tell_total)
        yield from walk.read(Point((self._reply.requested_url,)))
        reason = walk.reason()
        # The first page alone does not show whether others changed.
        is_single = not reason and self.is_single(walk)
        validators = {self._source.url: self._reply.validators} if is_single else {}
        problems = tuple(walk.problems)
        return Ending(complete=not reason, reason=reason, problems=problems, validators=validators)

    def is_single(self, walk: Walk) -> bool:
        """Tell whether the source turned out to have one page: the second one had nothing new."""
        return walk.asked <= 2

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        reply = self._reply if walk.asked == 1 else self.request(point, walk)
        if reply is None:
            return None
        with closing(reply):
            if self.seen.is_repeat(reply.body):
                self.note_repeat(walk)
                return None
            try:
                document = self.open(reply, self._before)
            except ProtocolError as exc:
                if walk.asked == 1 or (exc.code == self.syntax and exc.line != 1):
                    raise
                self.note_other(exc, walk)
                return None
            with closing(document):
                for raw in document.records():
                    self._before += 1
                    yield raw
                return self.following(document, walk)

    def request(self, point: Point, walk: Walk) -> Reply | None:
        """Request a page; None if it is not there, which the walk is told."""
        first = self._reply.validators
        reply = numbered_page(
            self._source.http, self._source.url, walk.asked, first=first, accept=self.accept
        )
        if isinstance(reply, Reply):
            return reply
        walk.stop(reply.reason)
        return None

    def note_repeat(self, walk: Walk) -> None:
        """Note that a page is one that was read before: the server ignores its number."""

    def note_other(self, exc: ProtocolError, walk: Walk) -> None:
        """Note that a page is another document, or empty, which is the end."""
        if exc.code != "empty-document":
            walk.stop(
                Message(
                    "page {asked}: {reason}; set the option paging to none if the source has one"
                    " page",
                    asked=walk.asked,
                    reason=exc.message,
                )
            )


def unique(
    records: Generator[RawRecord, None, Ending],
) -> Generator[RawRecord, None, Ending]:
    """Turn each repeated identity into a failed record that names both places.

    Every reader's records pass through here, in runs and previews: the only place where
    duplicates are found, and where a read of a repaired document loses its completeness.
    """
    places: dict[str, tuple[str, str]] = {}
    reading = Iteration(records)
    with closing(records):
        for raw in reading:
            if raw.error is None and raw.guid in places:
                raw = replace(raw, error=_duplicate(raw, places[raw.guid]))
            elif raw.error is None:
                places[raw.guid] = (raw.position, raw.url)
            yield raw
    return _unless_repaired(reading.result)


def _unless_repaired(ending: Ending) -> Ending:
    """Return how a read ended: one of a repaired document is never complete.

    What a repair left out must not count as missing, nor be asked for less than in full next time.
    """
    repaired = next((problem for problem in ending.problems if problem.code == REPAIRED), None)
    if repaired is None or not ending.complete:
        return ending
    where = f" in line {repaired.line}" if repaired.line else ""
    reason = (
        f"a document was repaired{where}, so that nothing counts as missing or is deleted until it"
        f" is corrected: {repaired.message}"
    )
    return replace(ending, complete=False, reason=reason, validators={}, mark="")


def _duplicate(raw: RawRecord, first: tuple[str, str]) -> DuplicateGuid:
    is_elsewhere = raw.url != first[1]
    here, there = (
        f"{position} ({url})"
        if position and is_elsewhere and url not in position
        else position or url
        for position, url in ((raw.position, raw.url), first)
    )
    return DuplicateGuid(raw.guid, here, there, url=raw.url)


def page_url(url: str, number: int) -> str:
    """Return the URL of page ``number``: with ``page=n`` in its query."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if any(name == "page" for name, _ in pairs):
        query = urlencode([(n, str(number) if n == "page" else v) for n, v in pairs])
    else:
        query = f"{parts.query}&page={number}" if parts.query else f"page={number}"
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
    # Only a strong ETag means "the same bytes". With page 1's Last-Modified, a paged server sorted
    # by date would answer 304 for page 2, and all after page 1 would count as missing; weak tags
    # are often one version stamp for all pages.
    is_strong = bool(first.etag) and not first.etag.startswith("W/")
    validators = Validators(etag=first.etag) if is_strong else None
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
