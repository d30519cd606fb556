"""Sources that are one document, or a document in pages, cut into its records.

data.json: Project Open Data 1.0 (a bare list), 1.1 (``dataset``), DCAT-US 3 (also nested
catalogues, and datasets within series and services); the UK Cross-Government Metadata Exchange
Model, also in YAML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.readers.json_document import outline
from ckanext.ukharvest.readers.json_document.exchange_model import as_data_json
from ckanext.ukharvest.readers.json_document.outline import JsonList, Shape
from ckanext.ukharvest.readers.json_document.records import json_record, not_an_object
from ckanext.ukharvest.readers.numbered_pages import NumberedPages
from ckanext.ukharvest.readers.walk import Place, Walk, note_links

ACCEPT = "application/json, application/ld+json;q=0.9, */*;q=0.1"

OPTIONS = (
    Option(
        "paging",
        "text",
        "auto",
        "auto: reads further pages with ?page=2, ?page=3 … until one has nothing new. none: "
        "reads only this document.",
        choices={
            "auto": _("Read further pages until one has nothing new"),
            "none": _("Read the first page only"),
        },
        label=_("Further pages"),
        form_help="",
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
        return (yield from _JsonPages(self, source).records())


class _JsonPages(NumberedPages["_Document"]):
    """The pages of one source."""

    accept = ACCEPT
    syntax = "json-syntax"

    def __init__(self, reader: JsonDocument, source: Source) -> None:
        super().__init__(source)
        self.noun = reader.shape.singular
        self._reader = reader
        self._yielded: set[str] = set()  # identities of services and series

    def open(self, reply: Reply, before: int) -> _Document:
        url = self.where if reply is self._reply else reply.requested_url
        return _Document(self._reader, url, as_data_json(reply), before)

    def following(self, document: _Document, walk: Walk) -> Place | None:
        new = [raw for raw in document.services_and_series() if raw.guid not in self._yielded]
        self._yielded.update(raw.guid for raw in new)
        walk.note_uncounted(new)
        walk.note_problems(document.problems)
        note_links(walk, document.links)
        is_one = walk.asked == 1 and document.outline.is_single
        is_auto = self._source.options.get("paging", "auto") == "auto"
        return (walk.asked + 1,) if is_auto and not is_one else None


class _Document(JsonList):
    """One page: checked to its end when made, then cut into records."""

    def __init__(self, reader: JsonDocument, url: str, reply: Reply, before: int) -> None:
        super().__init__(reply, url, reader.shape, reader.kind)
        self._reader = reader
        self._url = url
        self._before = before
        self._listed: set[str] = set()  # identities of the records
        self._of_files: set[str] = set()  # names of their files' services
        self._left_out: Counter[str] = Counter()  # services and series, by key
        self.links = 0  # entries that are URLs

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the document; complete after all records, services and series."""
        rules = (
            Problem(
                "left-out",
                key,
                Message(
                    "{key}: {number} left out; {rules}; {noun} within them are read",
                    key=key,
                    number=number,
                    rules=outline.RULES[key],
                    noun=self._reader.shape.noun,
                ),
            )
            for key, number in self._left_out.items()
        )
        return (*super().problems, *rules)

    def close(self) -> None:
        """Do nothing: the file is the reply's."""

    def records(self) -> Iterator[RawRecord]:
        """Yield the records; positions are counted on from those of earlier pages."""
        number = self._before
        for item in self.items():
            if isinstance(item, str) and is_web_url(item):
                self.links += 1
                continue
            number += 1
            yield self._listed_record(item, number)
        for prefix in self.outline.embedded:
            for item in self.file.items(prefix):
                # Series repeat listed datasets as "first", "last" and members.
                if isinstance(item, dict) and self._reader.guid(item) not in self._listed - {""}:
                    number += 1
                    yield self._listed_record(item, number)

    def _listed_record(self, item: Any, number: int) -> RawRecord:
        raw = self._record(item, f"{self._reader.shape.singular} {number}")
        self._listed.add(raw.guid)
        if self.outline.by_rule:
            self._of_files.update(outline.of_files(item, self._reader.guid))
        return raw

    def services_and_series(self) -> Iterator[RawRecord]:
        """Yield those that are records of their own; read them after the records."""
        numbers: Counter[str] = Counter()
        identity = self._reader.guid
        for key, prefix in self.outline.by_rule:
            for item in self.file.items(prefix):
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
            return not_an_object(item, position, self._url)
        return json_record(
            item,
            position,
            self._url,
            self._reader.guid(item),
            title=item.get("title"),
            modified=item.get("modified"),
            field="identifier",
        )
