"""Sources that are one document, or a document in pages, cut into its records.

data.json: Project Open Data 1.0 (a bare list), 1.1 (``dataset``), DCAT-US 3 (also nested
catalogues, and datasets within series and services).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.endings import unchanged
from ckanext.ukharvest.readers.json_document import outline
from ckanext.ukharvest.readers.json_document.outline import Outline, Shape
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.paging import NumberedPages
from ckanext.ukharvest.readers.walk import Place, Walk

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
class JsonDocument(Reader):
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
        reply = source.http.get(source.url, accept=ACCEPT, validators=old)
        if reply.not_modified:
            reply.close()
            return unchanged(source)
        return (yield from _JsonPages(self, source, reply).records())


class _JsonPages(NumberedPages["_Document"]):
    """The pages of one source."""

    accept = ACCEPT
    syntax = "json-syntax"

    def __init__(self, reader: JsonDocument, source: Source, reply: Reply) -> None:
        super().__init__(source, reply)
        self.noun = reader.shape.singular
        self._reader = reader
        self._yielded: set[str] = set()  # identities of services and series

    def open(self, reply: Reply, before: int) -> _Document:
        url = self.where if reply is self._reply else reply.requested_url
        return _Document(self._reader, url, reply, before)

    def following(self, document: _Document, walk: Walk) -> Place | None:
        new = [raw for raw in document.services_and_series() if raw.guid not in self._yielded]
        self._yielded.update(raw.guid for raw in new)
        walk.note_uncounted(new)
        walk.note_problems(document.problems)
        is_one = walk.asked == 1 and document.is_single
        is_auto = self._source.options.get("paging", "auto") == "auto"
        return (walk.asked + 1,) if is_auto and not is_one else None


class _Document:
    """One page: checked to its end when made, then cut into records."""

    def __init__(self, reader: JsonDocument, url: str, reply: Reply, before: int) -> None:
        self._reader = reader
        self._url = url
        self._before = before
        self._file = JsonFile(
            reply.body, url=url, charset=reply.charset, media_type=reply.media_type
        )
        if self._file.is_blank:
            raise ProtocolError(
                f"the document at {url} is empty; expected {reader.kind}",
                code="empty-document",
                url=url,
            )
        self._outline = Outline.read(self._file, reader.shape, url=url, kind=reader.kind)
        self._listed: set[str] = set()  # identities of the records
        self._of_files: set[str] = set()  # names of their files' services
        self._left_out: Counter[str] = Counter()  # services and series, by key

    @property
    def is_single(self) -> bool:
        return self._outline.is_single

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the document; complete after all records, services and series."""
        encoding = () if self._file.problem is None else (self._file.problem,)
        rules = (
            Problem(
                "left-out",
                key,
                f"{key}: {number} left out; {outline.RULES[key]}; "
                f"{self._reader.shape.noun} within them are read",
            )
            for key, number in self._left_out.items()
        )
        return (*encoding, *self._outline.problems, *rules)

    def close(self) -> None:
        """Do nothing: the file is the reply's."""

    def records(self) -> Iterator[RawRecord]:
        """Yield the records; positions are counted on from those of earlier pages."""
        number = self._before
        for prefix in self._outline.prefixes:
            for item in self._file.items(prefix):
                number += 1
                yield self._listed_record(item, number)
        for prefix in self._outline.embedded:
            for item in self._file.items(prefix):
                # Series repeat listed datasets as "first", "last" and members.
                if isinstance(item, dict) and self._reader.guid(item) not in self._listed - {""}:
                    number += 1
                    yield self._listed_record(item, number)

    def _listed_record(self, item: Any, number: int) -> RawRecord:
        raw = self._record(item, f"{self._reader.shape.singular} {number}")
        self._listed.add(raw.guid)
        if self._outline.by_rule:
            self._of_files.update(outline.of_files(item, self._reader.guid))
        return raw

    def services_and_series(self) -> Iterator[RawRecord]:
        """Yield those that are records of their own; read them after the records."""
        numbers: Counter[str] = Counter()
        identity = self._reader.guid
        for key, prefix in self._outline.by_rule:
            for item in self._file.items(prefix):
                guid = identity(item) if outline.is_record(item) else ""
                if not guid:
                    self._left_out[key] += 1
                elif guid not in self._listed and self._of_files.isdisjoint(
                    outline.names(item, identity)
                ):
                    self._listed.add(guid)
                    numbers[key] += 1
                    entry = outline.content(key, item, identity)
                    yield self._record(entry, f"{key} {numbers[key]}")

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
