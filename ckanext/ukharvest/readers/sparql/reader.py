"""SPARQL 1.1 endpoints that hold DCAT, or one saved result of such an endpoint.

The datasets come page by page, and are described by CONSTRUCT, many in one query, fewer where the
server cannot. The number of different datasets that are listed has to be the number that the
endpoint counts. What servers do besides: they give fewer rows than requested, without a word
(Virtuoso 10,000); refuse to sort many rows for an OFFSET; ignore LIMIT or OFFSET; change meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    ParseError,
    ProtocolError,
    RecordError,
    SourceError,
    TooLarge,
    Unreachable,
)
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import RdfFile
from ckanext.ukharvest.readers.rdf.graph import RdfGraph
from ckanext.ukharvest.readers.seen_records import SeenRecords, failed_record
from ckanext.ukharvest.readers.sparql import request as requests
from ckanext.ukharvest.readers.sparql.connection import (
    ROWS,
    TRIPLES,
    Connection,
    Cut,
    Term,
    place,
    rows,
)
from ckanext.ukharvest.readers.sparql.request import VARIABLE, Selection, check_graphs
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk

_MODIFIED = f"<{'http://purl.org/dc/terms/'}modified>"
_IN_A_ROW = 3  # datasets that cannot be had alone, before the server itself counts as broken
# Servers end results silently after a round number of rows. A result of such a number is doubted.
_ROUND = 1_000


class Descriptions:
    """Asks for descriptions; knows how many the server can give at a time."""

    def __init__(
        self, connection: Connection, selection: Selection, contexts: Contexts, size: int
    ) -> None:
        self._connection = connection
        self._selection = selection
        self._contexts = contexts
        self.size = size
        self.most_rows = 0  # of any result, where the server has shown its limit
        self.problems: dict[str, Problem] = {}  # of the results, the first of each kind
        self._in_a_row = 0

    def read(self, datasets: Sequence[RawRecord]) -> list[RawRecord]:
        """Return the records with their contents, or with the error that each has.

        If the server cannot describe so many at once, it is asked for half of them. Only a dataset
        that it cannot describe alone fails.

        Raises:
            SourceError: the server is broken, or refuses the query itself.
        """
        try:
            described = self._read(datasets)
        except SourceError as exc:
            if isinstance(exc, Blocked) or not _may_be_size(exc):
                raise
            if len(datasets) == 1:
                return [self._failed(datasets[0], exc)]
        else:
            self._in_a_row = 0
            return described
        middle = (len(datasets) + 1) // 2
        described = self.read(datasets[:middle]) + self.read(datasets[middle:])
        if not any(isinstance(raw.error, _Failed) for raw in described):
            self.size = min(self.size, middle)  # none is at fault: there were too many
        return described

    def _read(self, datasets: Sequence[RawRecord]) -> list[RawRecord]:
        query = self._selection.descriptions([raw.guid for raw in datasets])
        is_alone = len(datasets) == 1
        with closing(self._connection.ask(query, TRIPLES, patient=is_alone)) as reply:
            if not reply.content.strip():
                return [_described(raw, []) for raw in datasets]
            url = place(reply)
            file = RdfFile(reply, url, self._contexts, reply.media_type)
            with closing(RdfGraph(file)) as graph:
                self.problems |= {problem.code: problem for problem in file.problems}
                count = graph.count
                is_doubtful = count % _ROUND == 0 and not is_alone
                if count and (count == self.most_rows or is_doubtful):
                    raise Cut(
                        Message(
                            "{url} gives at most {count:,} statements at a time",
                            url=url,
                            count=count,
                        ),
                        url=url,
                    )
                described = [_described(raw, graph.record(f"<{raw.guid}>")) for raw in datasets]
                self.problems |= {problem.message: problem for problem in graph.problems}
                return described

    def _failed(self, dataset: RawRecord, exc: SourceError) -> RawRecord:
        """Return the record with the error.

        Raises:
            SourceError: the server did not answer for several datasets in a row.
        """
        self._in_a_row += not isinstance(exc, (Cut, TooLarge))
        if self._in_a_row >= _IN_A_ROW:
            raise exc
        message = Message("{record}: {reason}", record=dataset.display_name, reason=exc.message)
        return replace(dataset, error=_Failed(message, code=exc.code, url=dataset.url))


def _described(dataset: RawRecord, triples: list[rdf.Triple]) -> RawRecord:
    """Return a dataset with its description, or with the error that there is none."""
    if not triples:
        message = Message(
            "{record} is listed, but the server does not describe it; expected statements about it",
            record=dataset.display_name,
        )
        return replace(dataset, error=RecordError(message, code="not-shown", url=dataset.url))
    dates = [obj for node, name, obj in triples if node[1:-1] == dataset.guid and name == _MODIFIED]
    modified = rdf.value(min(dates)) if dates else ""
    return replace(dataset, content=rdf.canonical(triples), modified=modified)


class _Failed(ParseError):
    """The server cannot describe this dataset, not even alone."""


def _may_be_size(exc: SourceError) -> bool:
    """Tell whether a query may have failed because of its length, its result's, or a record."""
    if isinstance(exc, BadStatus):
        return exc.status in (400, 408, 413, 414, 429, 431) or exc.status >= 500
    if isinstance(exc, ProtocolError):
        # A connection that ends early leaves RDF without its end.
        return isinstance(exc, Cut) or exc.code in ("rdf-syntax", "too-long", "xml-syntax")
    return isinstance(exc, (TooLarge, Unreachable))


class Datasets(Pages):
    """The datasets of an endpoint.

    A place is the number of rows before it, the last dataset's URI ("" if there was none), and 1
    where pages are requested by that URI, not by the number of rows. An interrupted read continues
    after its last batch, in the midst of a page.
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
        yield from walk.read(Point.load(self._source.resume, int, str, int) or Point((0, "", 0)))
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
        named = len(self._names)
        yield from self._records(terms)
        is_known = self._has_repeats and len(self._names) == named
        if self.seen.count == listed or is_known:
            walk.doubt("gives a page without a new dataset")
            if self.seen.count > listed:
                return None  # by its blank nodes the same page is a new one, each time
        elif self._has_repeats:
            walk.doubt("lists a dataset twice")
        return self._place

    @property
    def _place(self) -> Place:
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
            message = Message(
                "{url} counts '{text}' datasets; expected a number", url=url, text=shorten(text, 30)
            )
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
            resume = Point(self._place, listed).dump()
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
            if term.kind == "uri":  # labels of blank nodes are those of one result
                if term.value in self._names:
                    self._has_repeats = True
                    continue
                self._names.add(term.value)
                self._after = term.value
            records.append(self._record(term, f"dataset {self.seen.count + len(records) + 1}"))
        return records

    def _record(self, term: Term, position: str) -> RawRecord:
        if term.kind != "uri":
            kind = (
                Message("a blank node")
                if term.kind == "bnode"
                else Message("the text '{value}'", value=shorten(term.value))
            )
            message = Message(
                "{position}: it is {kind}; expected a URI that stays the same",
                position=position,
                kind=kind,
            )
            return failed_record(position, message, code="missing-identifier", url=self.where)
        if not requests.is_iri(term.value):
            message = Message(
                "{position}: '{value}' cannot be requested; expected a URI",
                position=position,
                value=shorten(term.value),
            )
            guid = term.value
            return failed_record(position, message, code="bad-iri", url=self.where, guid=guid)
        url = requests.record_url(self.where, term.value)
        return RawRecord(term.value, url=url, position=position)

    def _described(self, records: list[RawRecord]) -> list[RawRecord]:
        sound = [raw for raw in records if raw.error is None]
        described = {raw.guid: raw for raw in self._descriptions.read(sound)} if sound else {}
        return [raw if raw.error else described[raw.guid] for raw in records]


_MOST_SAVED = 100_000

OPTIONS = (
    Option(
        "graphs",
        "list",
        (),
        "Named graphs that are read, by their URIs. Leave empty to read the endpoint's "
        "default graph.",
        check=check_graphs,
        label=_("Named graphs"),
    ),
    Option(
        "query",
        "text",
        "",
        "A SELECT query of your own that gives the URIs of the datasets as ?dataset, "
        "without LIMIT and FROM. Leave empty to read all nodes of the type dcat:Dataset or "
        "dcat:DatasetSeries.",
        widget="area",
        check=requests.check_query,
        label=_("Your own query"),
    ),
    Option(
        "page_size",
        "integer",
        1_000,
        "Number of datasets listed per request.",
        minimum=1,
    ),
    Option(
        "batch_size",
        "integer",
        50,
        "Number of datasets described per request. Fewer are requested where the server cannot "
        "describe so many.",
        minimum=1,
    ),
    Option(
        "method",
        "text",
        "auto",
        "How queries are sent; auto: short ones by GET and long ones by POST, and by the other if "
        "the server refuses one.",
        choices=("auto", "post", "get"),
    ),
)


@dataclass(frozen=True)
class Sparql(Reader):
    """Lists datasets by SELECT, and describes them by CONSTRUCT; their URIs are the identities."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the datasets that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not SPARQL, or an endpoint that breaks off.
        """
        if "://" not in source.url:
            return (yield from self._saved(source))
        return (yield from Datasets(source).records())

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the names in a saved result: only an endpoint describes them."""
        with closing(source.http.get(source.url, accept=ROWS)) as reply:
            terms = rows(reply, VARIABLE, _MOST_SAVED)
        for number, term in enumerate(terms, 1):
            position = Message("dataset {number}", number=number)
            guid = term.value if term.kind == "uri" else ""
            message = Message(
                "{position}: it has no URI; expected one that stays the same", position=position
            )
            if guid:
                message = Message(
                    "dataset '{guid}' is named, not described; expected the URL of a"
                    " SPARQL endpoint",
                    guid=guid,
                )
            code = "not-shown" if guid else "missing-identifier"
            yield failed_record(position, message, code=code, url=source.url, guid=guid)
        reason = Message(
            "{url} only names datasets; enter the URL of the SPARQL endpoint", url=source.url
        )
        return Ending(complete=False, reason=reason)
