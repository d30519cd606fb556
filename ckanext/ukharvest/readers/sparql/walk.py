"""An endpoint's datasets page by page, and the proof that there are no others.

The number of different datasets that are listed has to be the number that the endpoint counts.
What servers do besides: they give fewer rows than requested, without a word (Virtuoso 10,000);
refuse to sort many rows for an OFFSET; ignore LIMIT or OFFSET; change meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.sparql import request as requests
from ckanext.ukharvest.readers.sparql.connection import Connection
from ckanext.ukharvest.readers.sparql.descriptions import Descriptions
from ckanext.ukharvest.readers.sparql.request import Selection
from ckanext.ukharvest.readers.sparql.response import ROWS, Cut, Term, place, rows
from ckanext.ukharvest.readers.walk import MAX_PAGES, endless_paging


@dataclass(frozen=True, slots=True)
class Point:
    """The place in a list.

    Attributes:
        offset: number of rows before it.
        after: the last dataset's URI, "" if there was none.
        listed: number of different datasets before it.
        is_by_uri: whether pages are requested by that URI, not by the number of rows.
    """

    offset: int = 0
    after: str = ""
    listed: int = 0
    is_by_uri: bool = False

    @classmethod
    def load(cls, text: str) -> Point:
        """Return a stored resume point; the beginning for another's."""
        try:
            offset, after, listed, is_by_uri = json.loads(text)
            return cls(int(offset), str(after), int(listed), bool(is_by_uri))
        except (TypeError, ValueError):
            return cls()

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps([self.offset, self.after, self.listed, self.is_by_uri])


class Walk:
    """One read of an endpoint."""

    def __init__(self, source: Source) -> None:
        options = source.options
        self._source = source
        self._base = requests.endpoint(source.url)
        self._selection = Selection.from_options(options)
        self._connection = Connection(source.http, self._base, options.get("method", "auto"))
        contexts = Contexts(source.http)
        size = options.get("batch_size", 50)
        self._descriptions = Descriptions(self._connection, self._selection, contexts, size)
        self._size = options.get("page_size", 1_000)
        self._point = Point.load(source.resume)
        self._seen: set[str] = set()
        self._doubt = ""

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once.

        Raises:
            SourceError: not an endpoint, or one that does not answer to the end.
        """
        self._total = self._count()
        self._source.tell_total(self._total)
        for _ in range(MAX_PAGES):
            if self._point.listed == self._total:
                break
            page = self._page()
            if not page:
                break
            before = self._point.listed
            if len(page) < self._size and before + len(page) < self._total:
                self._size = len(page)  # the most rows that the server gives
                self._descriptions.most_rows = len(page)
            yield from self._records(page)
            if self._point.listed == before:
                self._doubt = "gives a page without a new dataset"
                break
        else:
            raise endless_paging(self._base, MAX_PAGES, "dataset")
        return self._ending()

    def _count(self) -> int:
        with closing(self._connection.ask(self._selection.count(), ROWS)) as reply:
            found = rows(reply, requests.COUNT, 1)
            url = place(reply)
        text = found[0].value if found else ""
        if not text.isdecimal() or len(text) > 11:
            message = f"{url} counts '{shorten(text, 30)}' datasets; expected a number"
            raise ProtocolError(message, code="wrong-shape", url=url)
        return int(text)

    def _page(self) -> list[Term]:
        """Return the next rows.

        If the server refuses to skip so many rows, it is asked for those behind the last URI.
        """
        point = self._point
        if not point.is_by_uri:
            try:
                return self._rows(self._selection.page(self._size, offset=point.offset))
            except (BadStatus, Cut) as exc:
                if not point.after:
                    raise
                first = exc
        try:
            found = self._rows(self._selection.page(self._size, after=point.after))
        except (BadStatus, Cut) as exc:
            raise exc if point.is_by_uri else first from None
        self._point = replace(point, is_by_uri=True)
        return found

    def _rows(self, query: str) -> list[Term]:
        with closing(self._connection.ask(query, ROWS)) as reply:
            return rows(reply, requests.VARIABLE, self._size)

    def _records(self, page: list[Term]) -> Iterator[RawRecord]:
        """Yield the records of a page, as many at a time as are described by one query."""
        start = 0
        while start < len(page):
            part = page[start : start + self._descriptions.size]
            start += len(part)
            found = self._described(self._new(part))
            yield from found[:-1]
            for raw in found[-1:]:
                yield replace(raw, resume=self._point.dump())

    def _new(self, part: list[Term]) -> list[RawRecord]:
        """Return the datasets that were not listed before; move the point behind them."""
        found: list[RawRecord] = []
        offset, after = self._point.offset, self._point.after
        for term in part:
            offset += 1
            if not term.kind:
                continue
            # Labels of blank nodes are those of one result.
            name = term.value if term.kind == "uri" else f"_:{offset}"
            if name in self._seen:
                self._doubt = "lists a dataset twice"
                continue
            self._seen.add(name)
            found.append(self._record(term, f"dataset {self._point.listed + len(found) + 1}"))
            after = term.value if term.kind == "uri" else after
        listed = self._point.listed + len(found)
        self._point = replace(self._point, offset=offset, after=after, listed=listed)
        return found

    def _record(self, term: Term, position: str) -> RawRecord:
        if term.kind != "uri":
            kind = "a blank node" if term.kind == "bnode" else f"the text '{shorten(term.value)}'"
            message = f"{position}: it is {kind}; expected a URI that stays the same"
            error = ParseError(message, code="missing-identifier", url=self._base)
            return RawRecord("", url=self._base, position=position, error=error)
        if not requests.is_iri(term.value):
            message = f"{position}: '{shorten(term.value)}' cannot be requested; expected a URI"
            error = ParseError(message, code="bad-iri", url=self._base)
            return RawRecord(term.value, url=self._base, position=position, error=error)
        url = requests.record_url(self._base, term.value)
        return RawRecord(term.value, url=url, position=position)

    def _described(self, records: list[RawRecord]) -> list[RawRecord]:
        wanted = [each for each in records if each.error is None]
        found = {each.guid: each for each in self._descriptions.read(wanted)} if wanted else {}
        return [each if each.error else found[each.guid] for each in records]

    def _ending(self) -> Ending:
        problems = tuple(self._descriptions.problems.values())
        reason = self._reason()
        return Ending(complete=not reason, reason=reason, problems=problems)

    def _reason(self) -> str:
        """Return why datasets may be missing from the list, "" if none is."""
        listed, total = self._point.listed, self._total
        if not total and not listed:
            where = "its default graph; name other graphs in the option graphs"
            if self._selection.select or self._selection.graphs:
                where = "the graphs and query of this source"
            return f"{self._base} lists no dataset in {where}; nothing was deleted"
        if listed == total and not self._doubt:
            return ""
        if listed == total:
            return f"{self._base} {self._doubt}, so that others may be missing from its list"
        again = self._count()
        if again != total:
            return (
                f"the number of datasets of {self._base} changed from {total:,} to {again:,} while"
                " they were read"
            )
        doubt = f"; it {self._doubt}" if self._doubt else ""
        return f"{self._base} counts {counted(total, 'dataset')} and lists {listed:,}{doubt}"
