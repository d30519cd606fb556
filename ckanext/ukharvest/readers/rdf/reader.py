"""DCAT in any RDF syntax: one document, or pages by Hydra, ``Link: rel=next`` or ``?page=n``."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from http import HTTPStatus

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.paging import PageCount, Pages, numbered_page
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import FORMATS
from ckanext.ukharvest.readers.rdf.page import Facts, Page

ACCEPT = (
    "text/turtle, application/n-triples, application/rdf+xml;q=0.9, application/ld+json;q=0.8,"
    " text/n3;q=0.7, application/trig;q=0.7, application/n-quads;q=0.7, */*;q=0.1"
)
# Between pages of datasets there are pages of data services or empty ones, but not so many in a
# row.
MAX_IDLE = 20

# The others of FORMATS are names and media types for these.
_SYNTAXES = {
    "xml": "RDF/XML",
    "turtle": "Turtle",
    "json-ld": "JSON-LD",
    "nt": "N-Triples",
    "n3": "N3",
    "nquads": "N-Quads",
    "trig": "TriG",
}
OPTIONS = (
    Option(
        "paging",
        "text",
        "auto",
        "auto: follows the source's own links to further pages (Hydra, Link headers); "
        "without any, reads ?page=2, ?page=3 … until one has nothing new. none: reads only "
        "this document.",
        choices={
            "auto": _("Ask until nothing new comes"),
            "none": _("The first page is all there is"),
        },
        label=_("Further pages"),
        form_help=_("Whether further pages are read after the first."),
    ),
    Option(
        "rdf_format",
        "text",
        "",
        "The syntax, if the server states a wrong one and the content could be several.",
        choices=_SYNTAXES | {name: "" for name in FORMATS if name not in _SYNTAXES},
        label=_("Syntax"),
        empty=_("As the server says"),
    ),
)


class RdfReader:
    """Reads RDF documents and cuts them into one graph per dataset; see ``core.rdf``."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of every page; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not RDF, nothing of DCAT in it, or a broken page.
        """
        old = source.validators.get(source.url)
        contexts = Contexts(source.http)
        pages = Pages(source.url)
        with closing(source.http.get(source.url, accept=ACCEPT, validators=old)) as reply:
            if reply.not_modified:
                kept = {source.url: old} if old else {}
                return Ending(complete=True, unchanged=True, validators=kept)
            pages.is_repeat(reply.body)
            with closing(Page(source, reply, contexts)) as page:
                page.refuse_other()
                count = yield from pages.page(page.records())
                yield from pages.uncounted(page.services())
                first = page.facts(count)
            validators = reply.validators
        if first.next or first.is_paged:
            if source.options.get("paging", "auto") == "none":
                return replace(_end(first), problems=first.problems)
            return (yield from _Chain(source, contexts, pages).follow(first))
        if not count.records:
            reason = f"{source.url} has no datasets; the list is empty, so nothing was deleted"
            return Ending(complete=False, reason=reason, problems=first.problems)
        if source.options.get("paging", "auto") == "auto":
            more = yield from _numbered(source, contexts, pages, reply, count)
            if more is not None:
                return replace(more, problems=first.problems + more.problems)
        return Ending(True, validators={source.url: validators}, problems=first.problems)

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: the document had all of it."""
        return raw


class _Chain:
    """Pages that link to each other."""

    def __init__(self, source: Source, contexts: Contexts, pages: Pages) -> None:
        self._source = source
        self._contexts = contexts
        self._pages = pages
        self._visited: set[str] = set()

    def follow(self, facts: Facts) -> Generator[RawRecord, None, Ending]:
        """Yield the records of all further pages.

        Raises:
            SourceError: a linked page cannot be read.
        """
        self._visited.add(facts.url)
        problems = facts.problems
        idle = 0
        number, seen, total = 1, facts.new, facts.total or 0
        while facts.next:
            number += 1
            if facts.next in self._visited or idle > MAX_IDLE:
                return replace(self._circle(facts, number), problems=problems)
            self._visited.add(facts.next)
            reply = self._linked(facts.next)
            if reply is None:
                reason = f"page {number} is linked, but not there: {facts.next}"
                return Ending(complete=False, reason=reason, problems=problems)
            with closing(reply):
                if self._pages.is_repeat(reply.body):
                    return replace(self._circle(facts, number), problems=problems)
                with closing(Page(self._source, reply, self._contexts, facts.number)) as page:
                    count = yield from self._pages.page(page.records())
                    yield from self._pages.uncounted(page.services())
                    facts = replace(page.facts(count), url=facts.next)
            problems += facts.problems
            idle = 0 if count.new else idle + 1
            seen += count.new
            total = max(total, facts.total or 0)
        # What was removed while the pages were read has moved others to pages read before.
        return replace(_end(replace(facts, total=total or None), seen), problems=problems)

    def _linked(self, url: str) -> Reply | None:
        """Read a page; None if the server says that it does not exist, which proves nothing."""
        try:
            return self._source.http.get(url, accept=ACCEPT)
        except BadStatus as exc:
            if exc.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
                return None
            raise

    def _circle(self, facts: Facts, number: int) -> Ending:
        reason = (
            f"page {number} is one that was read before, or brings nothing new: {facts.next};"
            " expected the links to further pages to end"
        )
        return Ending(complete=False, reason=reason)


def _end(last: Facts, seen: int | None = None) -> Ending:
    """Return what the last page proves: with a total, whether all records were seen."""
    found = last.new if seen is None else seen
    if last.next:
        return Ending(
            False, f"there are further pages, which the option paging leaves: {last.next}"
        )
    if last.total is not None and found < last.total:
        reason = f"hydra:totalItems is {last.total}, but there were only {found:,}: {last.url}"
        return Ending(complete=False, reason=reason)
    if not found:
        reason = f"{last.url} has no datasets; the list is empty, so nothing was deleted"
        return Ending(complete=False, reason=reason)
    return Ending(complete=True)


def _numbered(
    source: Source, contexts: Contexts, pages: Pages, first: Reply, count: PageCount
) -> Generator[RawRecord, None, Ending | None]:
    """Yield the records of ?page=2 and on; None if there is only one page."""
    number, total = 2, count.records
    problems: tuple[Problem, ...] = ()
    while True:
        answer = numbered_page(
            source.http, source.url, number, first=first.validators, accept=ACCEPT
        )
        if isinstance(answer, Reply):
            with closing(answer):
                if pages.is_repeat(answer.body):
                    answer = Ending(complete=True)
                else:
                    page = _further(source, answer, contexts, total, number)
                    if isinstance(page, Ending):
                        answer = page
                    else:
                        with closing(page):
                            count = yield from pages.page(page.records())
                            yield from pages.uncounted(page.services())
                            problems += page.facts(count).problems
        if isinstance(answer, Ending):
            break
        if not count.new:
            answer = Ending(complete=True)
            break
        number, total = number + 1, total + count.records
    if number == 2 and answer.complete:
        return None
    return replace(answer, problems=problems)


def _further(
    source: Source, reply: Reply, contexts: Contexts, total: int, number: int
) -> Page | Ending:
    """Open a page that may not exist, or return why there are no more pages.

    Raises:
        ProtocolError: it is RDF that is truncated or broken.
    """
    try:
        return Page(source, reply, contexts, total)
    except ProtocolError as exc:
        if exc.code == "empty-document":
            return Ending(complete=True)
        if exc.code == "rdf-syntax" and exc.line != 1:
            raise
        return Ending(
            complete=False,
            reason=f"page {number}: {exc.message}; set the option paging to none"
            " if the source has one page",
        )
