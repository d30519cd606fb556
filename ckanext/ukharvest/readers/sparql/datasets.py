"""An endpoint's datasets page by page, and the proof that there are no others.

The number of different datasets that are listed has to be the number that the endpoint counts.
What servers do besides: they give fewer rows than requested, without a word (Virtuoso 10,000);
refuse to sort many rows for an OFFSET; ignore LIMIT or OFFSET; change meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.seen_records import SeenRecords
from ckanext.ukharvest.readers.sparql import request as requests
from ckanext.ukharvest.readers.sparql.connection import Connection
from ckanext.ukharvest.readers.sparql.descriptions import Descriptions
from ckanext.ukharvest.readers.sparql.request import Selection
from ckanext.ukharvest.readers.sparql.response import ROWS, Cut, Term, place, rows
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk


def load_point(text: str) -> Point:
    """Return a stored resume point; the beginning for another reader's.

    A place is the number of rows before it, the last dataset's URI ("" if there was none), and
    whether pages are requested by that URI, not by the number of rows.
    """
    try:
        offset, after, listed, is_by_uri = json.loads(text)
        return Point((int(offset), str(after), int(bool(is_by_uri))), int(listed))
    except (TypeError, ValueError):
        return Point((0, "", 0))


class Datasets(Pages):
    """The datasets of an endpoint.

    An interrupted read continues after its last batch, in the midst of a page.
    """

    noun = "dataset"

    def __init__(self, source: Source) -> None:
        options = source.options
        self.where = requests.endpoint(source.url)
        self.seen = SeenRecords()
        self._source = source
        self._selection = Selection.from_options(options)
        self._connection = Connection(source.http, self.where, options.get("method", "auto"))
        contexts = Contexts(source.http)
        size = options.get("batch_size", 50)
        self._descriptions = Descriptions(self._connection, self._selection, contexts, size)
        self._size = options.get("page_size", 1_000)
        self._offset, self._after, self._is_by_uri = 0, "", False
        self._names: set[str] = set()
        self._has_repeats = False

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once.

        Raises:
            SourceError: not an endpoint, or one that does not answer to the end.
        """
        walk = Walk(self, self._source.tell_total)
        yield from walk.read(load_point(self._source.resume))
        if self.seen.count != walk.total:
            walk.note_total(self._count())
        walk.problems = list(self._descriptions.problems.values())
        reason = walk.reason()
        return Ending(complete=not reason, reason=reason, problems=tuple(walk.problems))

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        self._offset, self._after = int(point.place[0]), str(point.place[1])
        self._is_by_uri = bool(point.place[2])
        if walk.asked == 1:
            walk.note_total(self._count())
        listed = self.seen.count
        if listed == walk.total == 0:
            walk.stop(self._describe_nothing())
        terms = [] if listed == walk.total else self._page()
        if not terms:
            return None
        if len(terms) < self._size and listed + len(terms) < walk.total:
            self._size = len(terms)  # the most rows that the server gives
            self._descriptions.most_rows = len(terms)
        self._has_repeats = False
        yield from self._records(terms)
        if self.seen.count == listed:
            walk.doubt("gives a page without a new dataset")
        elif self._has_repeats:
            walk.doubt("lists a dataset twice")
        return (self._offset, self._after, int(self._is_by_uri))

    def _describe_nothing(self) -> str:
        where = "its default graph; name other graphs in the option graphs"
        if self._selection.select or self._selection.graphs:
            where = "the graphs and query of this source"
        return f"{self.where} lists no dataset in {where}; nothing was deleted"

    def _count(self) -> int:
        with closing(self._connection.ask(self._selection.count(), ROWS)) as reply:
            terms = rows(reply, requests.COUNT, 1)
            url = place(reply)
        text = terms[0].value if terms else ""
        if not text.isdecimal() or len(text) > 11:
            message = f"{url} counts '{shorten(text, 30)}' datasets; expected a number"
            raise ProtocolError(message, code="wrong-shape", url=url)
        return int(text)

    def _page(self) -> list[Term]:
        """Return the next rows.

        If the server refuses to skip so many rows, it is asked for those behind the last URI.
        """
        if not self._is_by_uri:
            try:
                return self._rows(self._selection.page(self._size, offset=self._offset))
            except (BadStatus, Cut) as exc:
                if not self._after:
                    raise
                first = exc
        try:
            terms = self._rows(self._selection.page(self._size, after=self._after))
        except (BadStatus, Cut) as exc:
            raise exc if self._is_by_uri else first from None
        self._is_by_uri = True
        return terms

    def _rows(self, query: str) -> list[Term]:
        with closing(self._connection.ask(query, ROWS)) as reply:
            return rows(reply, requests.VARIABLE, self._size)

    def _records(self, terms: list[Term]) -> Iterator[RawRecord]:
        """Yield the records of a page, as many at a time as are described by one query."""
        start = 0
        while start < len(terms):
            batch = terms[start : start + self._descriptions.size]
            start += len(batch)
            records = self._described(self._new(batch))
            listed = self.seen.count + len(records)
            resume = json.dumps([self._offset, self._after, listed, self._is_by_uri])
            yield from records[:-1]
            for raw in records[-1:]:
                yield replace(raw, resume=resume)

    def _new(self, batch: list[Term]) -> list[RawRecord]:
        """Return the datasets that were not listed before; move the place behind them."""
        records: list[RawRecord] = []
        for term in batch:
            self._offset += 1
            if not term.kind:
                continue
            # Labels of blank nodes are those of one result.
            name = term.value if term.kind == "uri" else f"_:{self._offset}"
            if name in self._names:
                self._has_repeats = True
                continue
            self._names.add(name)
            records.append(self._record(term, f"dataset {self.seen.count + len(records) + 1}"))
            self._after = term.value if term.kind == "uri" else self._after
        return records

    def _record(self, term: Term, position: str) -> RawRecord:
        if term.kind != "uri":
            kind = "a blank node" if term.kind == "bnode" else f"the text '{shorten(term.value)}'"
            message = f"{position}: it is {kind}; expected a URI that stays the same"
            error = ParseError(message, code="missing-identifier", url=self.where)
            return RawRecord("", url=self.where, position=position, error=error)
        if not requests.is_iri(term.value):
            message = f"{position}: '{shorten(term.value)}' cannot be requested; expected a URI"
            error = ParseError(message, code="bad-iri", url=self.where)
            return RawRecord(term.value, url=self.where, position=position, error=error)
        url = requests.record_url(self.where, term.value)
        return RawRecord(term.value, url=url, position=position)

    def _described(self, records: list[RawRecord]) -> list[RawRecord]:
        sound = [raw for raw in records if raw.error is None]
        described = {raw.guid: raw for raw in self._descriptions.read(sound)} if sound else {}
        return [raw if raw.error else described[raw.guid] for raw in records]
