"""Descriptions of datasets by CONSTRUCT, many in one query, fewer where the server cannot."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

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
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import RdfFile
from ckanext.ukharvest.readers.rdf.graph import RdfGraph
from ckanext.ukharvest.readers.sparql.connection import Connection
from ckanext.ukharvest.readers.sparql.request import Selection
from ckanext.ukharvest.readers.sparql.response import TRIPLES, Cut, place

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
            found = self._read(datasets)
        except SourceError as exc:
            if isinstance(exc, Blocked) or not _may_be_size(exc):
                raise
            if len(datasets) == 1:
                return [self._failed(datasets[0], exc)]
        else:
            self._in_a_row = 0
            return found
        middle = (len(datasets) + 1) // 2
        found = self.read(datasets[:middle]) + self.read(datasets[middle:])
        if not any(isinstance(each.error, _Failed) for each in found):
            self.size = min(self.size, middle)  # none is at fault: there were too many
        return found

    def _read(self, datasets: Sequence[RawRecord]) -> list[RawRecord]:
        query = self._selection.descriptions([each.guid for each in datasets])
        is_alone = len(datasets) == 1
        with closing(self._connection.ask(query, TRIPLES, patient=is_alone)) as reply:
            graph = RdfGraph()
            try:
                count = self._load(graph, reply)
                self._refuse_cut(count, reply, is_alone=is_alone)
                found = [self._described(each, graph) for each in datasets]
                self.problems |= {each.message: each for each in graph.problems}
                return found
            finally:
                graph.close()

    def _load(self, graph: RdfGraph, reply: Reply) -> int:
        """Load a response; return the number of triples."""
        if not reply.content.strip():
            return 0
        file = RdfFile(
            reply.body,
            url=place(reply),
            contexts=self._contexts,
            hint=reply.media_type,
            charset=reply.charset,
            media_type=reply.media_type,
        )
        try:
            graph.load_file(file)
        finally:
            file.close()
        self.problems |= {each.code: each for each in file.problems}
        return graph.count

    def _refuse_cut(self, count: int, reply: Reply, *, is_alone: bool) -> None:
        is_doubtful = count % _ROUND == 0 and not is_alone
        if count and (count == self.most_rows or is_doubtful):
            url = place(reply)
            raise Cut(f"{url} gives at most {count:,} statements at a time", url=url)

    def _described(self, dataset: RawRecord, graph: RdfGraph) -> RawRecord:
        triples = graph.record(f"<{dataset.guid}>") if graph.count else []
        if not triples:
            message = (
                f"{dataset.display_name} is listed, but the server does not describe it; expected"
                " statements about it"
            )
            return replace(dataset, error=RecordError(message, code="not-shown", url=dataset.url))
        dates = [
            obj for node, name, obj in triples if node[1:-1] == dataset.guid and name == _MODIFIED
        ]
        modified = rdf.value(min(dates)) if dates else ""
        return replace(dataset, content=rdf.canonical(triples), modified=modified)

    def _failed(self, dataset: RawRecord, exc: SourceError) -> RawRecord:
        """Return the record with the error.

        Raises:
            SourceError: the server did not answer for several datasets in a row.
        """
        self._in_a_row += not isinstance(exc, (Cut, TooLarge))
        if self._in_a_row >= _IN_A_ROW:
            raise exc
        message = f"{dataset.display_name}: {exc.message}"
        return replace(dataset, error=_Failed(message, code=exc.code, url=dataset.url))


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
