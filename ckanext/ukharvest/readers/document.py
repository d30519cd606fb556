"""Sources that are one document, or a document in pages, cut into its records.

data.json: Project Open Data 1.0 (a bare list), 1.1 (``dataset``), DCAT-US 3 (also nested
catalogues, and datasets within series and services).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source, Validators
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.json_document.outline import Outline, Shape
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.paging import PageCount, Pages, numbered_page

ACCEPT = "application/json, application/ld+json;q=0.9, */*;q=0.1"

OPTIONS = (
    Option(
        "paging",
        "text",
        "auto",
        "auto: reads further pages with ?page=2, ?page=3 … until one has nothing new. none: "
        "reads only this document.",
        choices={
            "auto": _("Ask until nothing new comes"),
            "none": _("The first page is all there is"),
        },
        label=_("Further pages"),
        form_help=_("Whether further pages are read after the first."),
    ),
)


@dataclass(frozen=True)
class JsonDocument:
    """Reads a JSON document and cuts it into records.

    Args:
        shape: where in the document the records are.
        guid: returns a record's identity as text, "" if it has none.
        kind: the document's name in messages.
    """

    shape: Shape
    guid: Callable[[Mapping[str, Any]], str]
    kind: str = "data.json"

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of every page; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not JSON, no catalogue, or a truncated page.
        """
        old = source.validators.get(source.url)
        with closing(source.http.get(source.url, accept=ACCEPT, validators=old)) as reply:
            if reply.not_modified:
                kept = {source.url: old} if old else {}
                return Ending(complete=True, unchanged=True, validators=kept)
            document = _Document(self, source.url, reply)
            pages = Pages(source.url)
            pages.is_repeat(reply.body)
            count = yield from pages.page(document.records())
            validators = reply.validators
        ending = Ending(complete=True, problems=document.problems)
        if not count.records:
            reason = (
                f"{source.url} has no {self.shape.noun}; the list is empty, so nothing was deleted"
            )
            return replace(ending, complete=False, reason=reason)
        if source.options.get("paging", "auto") == "auto" and not document.is_single:
            more = yield from self._further(source, pages, validators, count)
            if more is not None:
                return replace(more, problems=ending.problems + more.problems)
        return replace(ending, validators={source.url: validators})

    def _further(
        self, source: Source, pages: Pages, first: Validators, count: PageCount
    ) -> Generator[RawRecord, None, Ending | None]:
        """Yield the records from page 2 on; None if there is only one page."""
        number, total = 2, count.records
        problems: tuple[Problem, ...] = ()
        while True:
            answer = numbered_page(source.http, source.url, number, first=first, accept=ACCEPT)
            if isinstance(answer, Ending):
                break
            with closing(answer):
                if pages.is_repeat(answer.body):
                    answer = Ending(complete=True)
                    break
                document = _page(self, answer, number)
                if isinstance(document, Ending):
                    answer = document
                    break
                count = yield from pages.page(document.records(total))
            if not count.new:
                answer = Ending(complete=True)
                break
            number, total, problems = number + 1, total + count.records, document.problems
        if number == 2 and answer.complete:
            return None
        return replace(answer, problems=problems)

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: the document had all of it."""
        return raw


def _page(reader: JsonDocument, reply: Reply, number: int) -> _Document | Ending:
    """Open page 2 or later, or return why there are no more pages.

    Raises:
        ProtocolError: it is JSON that is truncated or broken.
    """
    document: _Document | None = None
    try:
        if JsonFile(reply.body, url=reply.requested_url).is_blank:
            return Ending(complete=True)
        document = _Document(reader, reply.requested_url, reply)
    except ProtocolError as exc:
        if exc.code == "json-syntax" and exc.line != 1:
            raise
        return Ending(
            complete=False,
            reason=f"page {number}: {exc.message}; set the option paging to none"
            " if the source has one page",
        )
    return document


class _Document:
    """One page: checked to its end when made, then cut into records."""

    def __init__(self, reader: JsonDocument, url: str, reply: Reply) -> None:
        self._reader = reader
        self._url = url
        self._file = JsonFile(reply.body, url=url, charset=reply.charset)
        if self._file.is_blank:
            raise ProtocolError(
                f"the document at {url} is empty; expected {reader.kind}",
                code="empty-document",
                url=url,
            )
        self._outline = Outline.read(self._file, reader.shape, url=url, kind=reader.kind)

    @property
    def is_single(self) -> bool:
        return self._outline.is_single

    @property
    def problems(self) -> tuple[Problem, ...]:
        found = () if self._file.problem is None else (self._file.problem,)
        return found + self._outline.problems

    def records(self, before: int = 0) -> Iterator[RawRecord]:
        """Yield the records; positions are counted on from ``before``."""
        number = before
        listed: set[str] = set()
        for prefix in self._outline.prefixes:
            for item in self._file.items(prefix):
                number += 1
                raw = self._record(item, f"{self._reader.shape.singular} {number}")
                listed.add(raw.guid)
                yield raw
        for prefix in self._outline.embedded:
            for item in self._file.items(prefix):
                # Series repeat listed datasets as "first", "last" and members.
                if not isinstance(item, dict) or self._reader.guid(item) in listed - {""}:
                    continue
                number += 1
                raw = self._record(item, f"{self._reader.shape.singular} {number}")
                listed.add(raw.guid)
                yield raw

    def _record(self, item: Any, position: str) -> RawRecord:
        if not isinstance(item, dict):
            shown = shorten(repr(item), 40)
            message = f"{position} is {shown}; expected an object in {{ }}"
            return RawRecord("", url=self._url, position=position, error=ParseError(message))
        raw = RawRecord(
            guid=self._reader.guid(item),
            content=ordered_json(item),
            url=self._url,
            modified=clean_text(item.get("modified")),
            position=position,
        )
        return raw if raw.guid else replace(raw, error=_no_identity(item, position))


def _no_identity(item: Mapping[str, Any], position: str) -> ParseError:
    title = shorten(clean_text(item.get("title")), 60)
    named = f" '{title}'" if title else ""
    return ParseError(
        f"{position}{named}: identifier is missing; expected a text that stays the same",
        code="missing-identifier",
    )
