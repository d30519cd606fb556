"""SPARQL 1.1 endpoints that hold DCAT, or one saved result of such an endpoint."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import ParseError, RecordError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.sparql import own_query
from ckanext.ukharvest.readers.sparql.datasets import Datasets
from ckanext.ukharvest.readers.sparql.request import VARIABLE, check_graphs
from ckanext.ukharvest.readers.sparql.response import ROWS, rows

_MOST_SAVED = 100_000

OPTIONS = (
    Option(
        "graphs",
        "list",
        (),
        "Named graphs that are read, by their URIs. Empty reads the endpoint's default graph.",
        check=check_graphs,
        label=_("Named graphs"),
    ),
    Option(
        "query",
        "text",
        "",
        "A SELECT query of your own that gives the URIs of the datasets as ?dataset, without LIMIT "
        "and FROM. Empty takes all nodes of the type dcat:Dataset or dcat:DatasetSeries.",
        is_long=True,
        check=own_query.check,
        label=_("Your own query"),
    ),
    Option(
        "page_size",
        "integer",
        1_000,
        "Number of datasets listed per request.",
        minimum=1,
        label=_("Records at a time"),
    ),
    Option(
        "batch_size",
        "integer",
        50,
        "Number of datasets described per request. Fewer are requested where the server cannot "
        "describe so many.",
        minimum=1,
        label=_("Datasets described at a time"),
    ),
    Option(
        "method",
        "text",
        "auto",
        "How queries are sent; auto: short ones by GET and long ones by POST, and by the other if "
        "the server refuses one.",
        choices={
            "auto": _("As the server accepts them"),
            "post": _("By POST"),
            "get": _("By GET"),
        },
        label=_("Request method"),
        form_help=_(
            "Most servers accept POST and GET. Some accept only one of them, or only SOAP."
        ),
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
            position = f"dataset {number}"
            guid = term.value if term.kind == "uri" else ""
            raw = RawRecord(guid, url=source.url, position=position)
            yield RawRecord(guid, url=source.url, position=position, error=_only_named(raw))
        reason = f"{source.url} only names datasets; enter the URL of the SPARQL endpoint"
        return Ending(complete=False, reason=reason)


def _only_named(raw: RawRecord) -> RecordError:
    if not raw.guid:
        message = f"{raw.position}: it has no URI; expected one that stays the same"
        return ParseError(message, code="missing-identifier", url=raw.url)
    message = f"{raw.display_name} is named, not described; expected the URL of a SPARQL endpoint"
    return RecordError(message, code="not-shown", url=raw.url)
