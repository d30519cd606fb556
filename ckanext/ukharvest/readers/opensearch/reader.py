"""OpenSearch services with Geo, Time and EO parameters, or one list of results.

The source's URL is a description document, a page that links to one, or a list of results.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import ConfigError, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.endings import saved_ending
from ckanext.ukharvest.readers.opensearch import search as searches
from ckanext.ukharvest.readers.opensearch.response import Description, Page, Website, ask
from ckanext.ukharvest.readers.opensearch.results import Results

OPTIONS = (
    Option(
        "search_for",
        "text",
        "",
        "What is searched for, if the service has both: its collections, or the products in them "
        "(results). Empty takes the collections, else the results.",
        choices={
            "collection": _("Collections"),
            "results": _("Products"),
        },
        label=_("Search for"),
        form_help=_("What to search for, if the service has both."),
        empty=_("Collections, else products"),
    ),
    Option(
        "search_terms",
        "text",
        "",
        "Words that records have to contain ({searchTerms}). Empty takes all records.",
        label=_("Search words"),
    ),
    Option(
        "box",
        "text",
        "",
        "Only records that touch this box, as west,south,east,north in degrees ({geo:box}), such "
        "as -6.4,49.9,1.8,55.8.",
        check=searches.check_box,
        label=_("Only in this area"),
    ),
    Option(
        "time_start",
        "text",
        "",
        "Only records about this time or later ({time:start}), such as 2026-05-01.",
        check=searches.check_time,
        label=_("About this time or later"),
    ),
    Option(
        "time_end",
        "text",
        "",
        "Only records about this time or earlier ({time:end}), such as 2026-05-31.",
        check=searches.check_time,
        label=_("About this time or earlier"),
    ),
    Option(
        "parameters",
        "list",
        (),
        "Further parameters of the service's description document, as name=value, such as "
        "eo:platform=Sentinel-2.",
        separator=";",
        check=searches.check_parameters,
        label=_("Further search parameters"),
        form_help=_(
            "Parameters of the service's description document. Write name=value on each line, such "
            "as eo:platform=Sentinel-2."
        ),
    ),
    Option(
        "answer",
        "text",
        "",
        "Form of the results to request. Empty takes Atom if the service has it, else GeoJSON.",
        choices={
            "atom": "Atom",
            "geojson": "GeoJSON",
        },
        label=_("Form of the results"),
        form_help=_("The form of the results to request."),
        empty=_("Atom, else GeoJSON"),
    ),
    Option(
        "page_size",
        "integer",
        50,
        "Number of records per request.",
        minimum=1,
        label=_("Records at a time"),
    ),
)


@dataclass(frozen=True)
class OpenSearch(Reader):
    """Reads the results of a search, page by page; ``atom:id`` identifies a record."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            ConfigError: the service needs a parameter, or does not accept a value.
            SourceError: no answer, not OpenSearch, or pages that end too early.
        """
        answer = description_of(ask(source.http, source.url), source)
        if isinstance(answer, Page):
            _refuse_options(source)
            if "://" not in source.url:
                return (yield from _saved(answer))
            return (yield from Results(source, first=answer).records())
        search = searches.choose(answer, source.options)
        return (yield from Results(source, search).records())


def description_of(answer: Page | Description | Website, source: Source) -> Page | Description:
    """Follow a website's link to its description document.

    Raises:
        SourceError: no answer, or it is none.
    """
    if not isinstance(answer, Website):
        return answer
    answers = (ask(source.http, link) for link in answer.links[:3])
    first = next((page for page in answers if isinstance(page, Description)), None)
    if first is None:
        where = safe_url(answer.links[0])
        message = f"{where} is no OpenSearch description document; {source.url} says it is"
        raise ProtocolError(message, code="wrong-shape", url=where)
    return first


def _refuse_options(source: Source) -> None:
    """Raise ConfigError for options that a list of results cannot obey."""
    names = ("search_for", "search_terms", "box", "time_start", "time_end", "parameters", "answer")
    for name in names:
        if source.options.get(name):
            url = safe_url(source.url)
            message = (
                f"{name}: {url} is a list of results; expected the URL of a description document,"
                " which says where values go"
            )
            raise ConfigError(message, field=name, code="bad-option", url=url)


def _saved(page: Page) -> Generator[RawRecord, None, Ending]:
    """Yield the records of one saved page of results."""
    yield from page.records
    return saved_ending(
        page.url,
        "record",
        len({raw.guid or raw.position for raw in page.records}),
        page.total,
        more=_further(page),
        must_count=True,
        problems=page.problems,
    )


def _further(page: Page) -> str:
    """Return what a page says about others, "" if it seems to have all records."""
    if page.next:
        return f"the next page is at {page.next}"
    return "the number is an estimate" if page.is_estimate else ""
