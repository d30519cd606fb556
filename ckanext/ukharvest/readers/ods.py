"""Opendatasoft portals page by page or as an export, and the proof that no dataset is missing.

Explore API 2.1 (help.opendatasoft.com/apis/ods-explore-v2), else Search API 1.0. Both give the same
identity, the dataset's id, so that a portal may change from one to the other, and both show pages
up to their 10,000th dataset only. 2.1 also exports the whole catalogue as one document, in which
the datasets are the same objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_filter import FilterField
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.document import ACCEPT
from ckanext.ukharvest.readers.json_api import (
    Refused,
    read_json,
    wrong_shape,
)
from ckanext.ukharvest.readers.json_document.outline import JsonList, Shape
from ckanext.ukharvest.readers.json_document.records import json_record, not_an_object
from ckanext.ukharvest.readers.seen_records import SeenIdentities
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk, saved_ending

# What follows the portal's own path in URLs that people copy from a browser.
_INSIDE = re.compile(r"/(?:explore|api|page|pages|catalog|map|login)(?:/.*)?$")
_FACET = re.compile(r"[\w.-]+", re.ASCII)

Parameters = list[tuple[str, str]]


def _wrong_filter(values: tuple[str, ...]) -> str:
    for value in values:
        facet, colon, wanted = value.partition(":")
        if not colon or not wanted.strip() or not _FACET.fullmatch(facet.strip()):
            return Message(
                "'{value}' is not a filter; expected facet:value, such as theme:Environment",
                value=value,
            )
    return ""


def _wrong_language(value: str) -> str:
    if not value or re.fullmatch(r"[a-z]{2}(?:[-_][A-Za-z]{2})?", value, re.ASCII):
        return ""
    return Message("'{value}' is not a language; expected a code such as en or fr", value=value)


OPTIONS = (
    Option(
        "refine",
        "list",
        (),
        "Only datasets with these values, as facet:value, such as publisher:Leeds City Council or "
        "theme:Environment. A dataset needs all of them; semicolons separate several.",
        separator=";",
        check=_wrong_filter,
    ),
    Option(
        "exclude",
        "list",
        (),
        "No datasets with one of these values, as facet:value, such as keyword:test.",
        separator=";",
        check=_wrong_filter,
    ),
    Option(
        "language",
        "text",
        "",
        "Language of titles and descriptions, if the portal has several: a code such as en or fr. "
        "Empty takes the portal's own.",
        check=_wrong_language,
        label=_("Language"),
        form_help=_(
            "The preferred language for texts in several languages: a code such as en or cy."
        ),
    ),
)

# Facets that every portal has; the options take others too.
FILTER_FIELDS = tuple(
    FilterField(facet, "refine", "exclude", prefix=f"{facet}:", needs_all=True)
    for facet in ("publisher", "theme", "keyword")
)


@dataclass(frozen=True, slots=True)
class Filter:
    """One value of a facet that datasets need ("refine") or must not have ("exclude")."""

    kind: str
    facet: str
    value: str


@dataclass(frozen=True, slots=True)
class Portal:
    """The parts of a source's URL and options.

    Attributes:
        base: URL of the home page without a slash at the end.
        filters: those of the options, and of a URL copied from the page of a search.
        language: code of the language to ask for, "" for the portal's own.
    """

    base: str
    filters: tuple[Filter, ...] = ()
    language: str = ""

    @classmethod
    def parse(cls, url: str, options: Mapping[str, Any]) -> Portal | None:
        """Parse a source's URL; None if it is a single document.

        Raises:
            ProtocolError: it cannot be parsed as a URL.
        """
        if "://" not in url:
            return None
        try:
            parts = urlsplit(url)
        except ValueError as exc:
            message = Message(
                "{url} is not a web address ({reason}); expected that of a portal",
                url=url,
                reason=exc,
            )
            raise ProtocolError(message, code="bad-url", url=url) from exc
        if parts.path.endswith(".json"):
            return None
        path = _INSIDE.sub("", parts.path).rstrip("/")
        return cls(
            urlunsplit((parts.scheme, parts.netloc, path, "", "")),
            tuple(dict.fromkeys((*_of_options(options), *_of_query(parts.query)))),
            str(options.get("language") or ""),
        )

    def explore_parameters(self) -> Parameters:
        """Return the filters and the language as Explore API 2.1 expects them."""
        return self._with_language([(f.kind, f"{f.facet}:{f.value}") for f in self.filters])

    def search_parameters(self) -> Parameters:
        """Return the filters and the language as Search API 1.0 expects them."""
        return self._with_language([(f"{f.kind}.{f.facet}", f.value) for f in self.filters])

    def _with_language(self, filters: Parameters) -> Parameters:
        return [*filters, ("lang", self.language)] if self.language else filters

    def page(self, dataset_id: str) -> str:
        """Return the URL of a dataset's page."""
        return f"{self.base}/explore/dataset/{quote(dataset_id, safe='@')}/"


def _of_options(options: Mapping[str, Any]) -> Iterator[Filter]:
    for kind in ("refine", "exclude"):
        for text in options.get(kind, ()):
            facet, _, value = text.partition(":")
            yield Filter(kind, facet.strip(), value.strip())


def _of_query(query: str) -> Iterator[Filter]:
    """Yield the filters of a URL: ``refine.theme=…`` of pages, ``refine=theme:…`` of the API."""
    for name, value in parse_qsl(query):
        kind, _, facet = name.partition(".")
        if kind not in ("refine", "exclude"):
            continue
        if not facet:
            facet, _, value = value.partition(":")
        if facet and value:
            yield Filter(kind, facet, value.strip('"'))


WINDOW = 10_000  # the largest offset + limit that portals answer
ROWS = 100  # the largest limit

# An answer of 2.1 or 1.0, an export (a list), or one dataset.
SHAPE = Shape(
    keys=("results", "datasets"),
    signs=frozenset(("dataset_id", "datasetid", "metas", "has_records")),
)
KIND = "an answer of Opendatasoft"
_ABSENT = (404, 405, 410, 501)
_CLOSED = (401, 403)


@dataclass(frozen=True)
class Interface:
    """The names of one of the two interfaces.

    Attributes:
        name: stored with the source.
        path, export: of the list, and of the same as one document ("" if there is none).
        total, items: keys of the answer.
        offset, limit: parameters of a page.
        fixed: further parameters.
        parameters: returns those of the filters and the language.
    """

    name: str
    path: str
    total: str
    items: str
    offset: str
    limit: str
    fixed: tuple[tuple[str, str], ...]
    parameters: Callable[[Portal], Parameters]
    export: str = ""


EXPLORE = Interface(
    name="explore-2.1",
    path="/api/explore/v2.1/catalog/datasets",
    total="total_count",
    items="results",
    offset="offset",
    limit="limit",
    # So that changed datasets stay where they are.
    fixed=(("order_by", "dataset_id"),),
    parameters=Portal.explore_parameters,
    export="/api/explore/v2.1/catalog/exports/json",
)
SEARCH = Interface(
    name="search-1.0",
    path="/api/datasets/1.0/search",
    total="nhits",
    items="datasets",
    offset="start",
    limit="rows",
    fixed=(("interopmetas", "true"),),
    parameters=Portal.search_parameters,
)
_INTERFACES = (EXPLORE, SEARCH)  # the more complete first


@dataclass(frozen=True)
class Ods(Reader):
    """Reads a portal, given by its home page, or one saved answer of an interface."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset; the ending names the interface that answered.

        Raises:
            SourceError: no interface answers, or the one that does ends too early. A fault of an
                interface that is there (5xx, a refused key or filter) does not lead to the next
                one, which may know fewer datasets.
        """
        portal = Portal.parse(source.url, source.options)
        if portal is None:
            return (yield from _saved(source))
        wrong: list[str] = []
        for interface in sorted(_INTERFACES, key=lambda one: one.name != source.interface):
            listing = Listing(source, portal, interface)
            try:
                listing.first = listing.request(0)
            except SourceError as exc:
                if not _is_absent(exc):
                    raise _explained(exc) from exc
                wrong.append(exc.message.rstrip("."))
                continue
            ending = yield from listing.records()
            return replace(ending, interface=interface.name)
        raise ProtocolError(
            Message(
                "{base} has no Opendatasoft interface that can be read: {wrong}",
                base=portal.base,
                wrong="; ".join(wrong),
            ),
            code="no-interface",
            url=portal.base,
        )


def _is_absent(error: SourceError) -> bool:
    """Tell whether an answer means that there is no such interface."""
    if isinstance(error, (BadStatus, Refused)):
        return error.status in _ABSENT
    # A page for people at any address, or another program's JSON.
    return isinstance(error, ProtocolError)


def _explained(error: SourceError) -> SourceError:
    """Return a refusal with what to do about it."""
    if isinstance(error, (BadStatus, Refused)) and error.status in _CLOSED:
        message = error.message.rstrip(".")
        error.message = Message(
            "{message}; the option credential names the secret with the portal's API key",
            message=message,
        )
    return error


class Listing(Pages):
    """One read of a portal by one interface; the place of a page is its offset."""

    noun = "dataset"

    def __init__(self, source: Source, portal: Portal, interface: Interface) -> None:
        self.where = portal.base + interface.path
        self.seen = SeenIdentities()
        self._source = source
        self._portal = portal
        self._interface = interface
        self._filters = interface.parameters(portal)
        self._walk = Walk(self, source.tell_total)
        self.first: tuple[int, list[Any]] | None = None  # page, if it was requested

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once.

        Raises:
            SourceError: the list ends too early.
        """
        yield from self._walk.read(Point((0,)))
        return self._walk.ending()

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        offset = int(point.place[0])
        total, datasets = self.first or self.request(offset)
        self.first = None
        walk.note_total(total)
        yield from map(self._record, datasets)
        if total > WINDOW and self._interface.export:
            yield from self._export()
            return None
        if total > WINDOW:
            self.hint = Message(
                "; this interface ends at {window:,}, and Explore API 2.1 is not there",
                window=WINDOW,
            )
        offset += len(datasets)
        return (offset,) if offset < min(total, WINDOW) else None

    def request(self, offset: int) -> tuple[int, list[Any]]:
        """Return the number of all datasets, and those of a page.

        Raises:
            Refused: the interface is not there, or does not accept the filters.
            SourceError: no answer, or that of another program.
        """
        names = self._interface
        place = [(names.limit, str(min(ROWS, WINDOW - offset))), (names.offset, str(offset))]
        url = f"{self.where}?{urlencode([*place, *names.fixed, *self._filters])}"
        answer = read_json(self._source.http, url, problems=self._walk.problems)
        datasets = answer.get(names.items) if isinstance(answer, Mapping) else None
        total = answer.get(names.total) if isinstance(answer, Mapping) else None
        if not isinstance(datasets, list) or not isinstance(total, int) or isinstance(total, bool):
            raise wrong_shape(
                url,
                answer,
                Message("an object with {total} and {items}", total=names.total, items=names.items),
            )
        return total, list(map(_unwrap, datasets))

    def _export(self) -> Iterator[RawRecord]:
        """Yield the datasets of the whole catalogue as one document, which the portal streams."""
        query = urlencode([("limit", "-1"), *self._filters])
        url = f"{self._portal.base}{self._interface.export}?{query}"
        with closing(self._source.http.get(url, accept=ACCEPT)) as reply:
            document = _Document(reply, url)
            self._walk.note_problems(document.problems)
            yield from map(self._record, document.items())

    def _record(self, dataset: Any) -> RawRecord:
        """Return a record; positions count the different ones."""
        return _record(dataset, f"dataset {self.seen.count + 1}", self.where, self._portal)


class _Document(JsonList):
    """One JSON document of datasets, which are those of an answer, an export, or one alone."""

    def __init__(self, reply: Reply, url: str) -> None:
        super().__init__(reply, url, SHAPE, KIND)

    def items(self) -> Iterator[Any]:
        return map(_unwrap, super().items())

    def total(self) -> int:
        """Return the number of all datasets as the answer announces it, -1 if it does not."""
        totals = (total for one in _INTERFACES for total in self.file.items(one.total))
        return next((n for n in totals if isinstance(n, int) and not isinstance(n, bool)), -1)


def _saved(source: Source) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of one saved answer."""
    with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
        document = _Document(reply, source.url)
        number = 0
        for number, dataset in enumerate(document.items(), 1):  # noqa: B007  # used after the loop
            yield _record(dataset, f"dataset {number}", source.url, None)
        total = document.total()
    return saved_ending(source.url, "dataset", number, total, problems=document.problems)


def _unwrap(dataset: Any) -> Any:
    """Return a dataset of a list: version 2.0 wraps each together with links."""
    is_wrapped = isinstance(dataset, Mapping) and isinstance(dataset.get("dataset"), Mapping)
    return dataset["dataset"] if is_wrapped else dataset


def _record(dataset: Any, position: str, url: str, portal: Portal | None) -> RawRecord:
    """Return a dataset of a list as a record.

    Args:
        url: where it was read.
        portal: whose dataset it is, for the URL of its page; None if that is not known.
    """
    if not isinstance(dataset, Mapping):
        return not_an_object(dataset, position, url)
    guid = clean_text(dataset.get("dataset_id") or dataset.get("datasetid") or "")
    metas = dataset.get("metas")
    metas = metas if isinstance(metas, Mapping) else {}
    default = metas.get("default")  # of 2.1; 1.0 has the same in metas
    default = default if isinstance(default, Mapping) else metas
    return json_record(
        dataset,
        position,
        portal.page(guid) if portal and guid else url,
        guid,
        title=default.get("title"),
        modified=default.get("modified"),
        field="dataset_id",
    )
