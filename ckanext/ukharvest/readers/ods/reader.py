"""Opendatasoft portals page by page or as an export, and the proof that no dataset is missing.

Explore API 2.1 (help.opendatasoft.com/apis/ods-explore-v2), else Search API 1.0. Both give the same
identity, the dataset's id, so that a portal may change from one to the other, and both show pages
up to their 10,000th dataset only. 2.1 also exports the whole catalogue as one document, in which
the datasets are the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError, SourceError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.readers.document import ACCEPT
from ckanext.ukharvest.readers.json_api import Refused, read_json, wrong_shape
from ckanext.ukharvest.readers.json_document.outline import Outline, Shape
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.ods.portal import (
    FILTER_FIELDS,
    OPTIONS,
    Parameters,
    Portal,
    with_parameters,
)
from ckanext.ukharvest.readers.seen_records import SeenIdentities
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk, saved_ending

__all__ = ["FILTER_FIELDS", "OPTIONS", "Ods"]

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
                listing.request_first()
            except SourceError as exc:
                if not _is_absent(exc):
                    raise _explained(exc) from exc
                wrong.append(exc.message.rstrip("."))
                continue
            ending = yield from listing.records()
            return replace(ending, interface=interface.name)
        raise ProtocolError(
            f"{portal.base} has no interface of Opendatasoft that can be read: {'; '.join(wrong)}",
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
        error.message = (
            f"{message}; the option credential names the secret with the portal's API key"
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
        self._first: tuple[int, list[Any]] | None = None

    def request_first(self) -> None:
        """Request the first page.

        Raises:
            Refused: the interface is not there, or does not accept the filters.
            SourceError: no answer, or that of another program.
        """
        self._first = self._answer(0)

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once.

        Raises:
            SourceError: the list ends too early.
        """
        yield from self._walk.read(Point((0,)))
        return self._walk.ending()

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        offset = int(point.place[0])
        total, datasets = self._first or self._answer(offset)
        self._first = None
        walk.note_total(total)
        yield from map(self._record, datasets)
        if total > WINDOW and self._interface.export:
            yield from self._export()
            return None
        if total > WINDOW:
            self.hint = f"; this interface ends at {WINDOW:,}, and Explore API 2.1 is not there"
        offset += len(datasets)
        return (offset,) if offset < min(total, WINDOW) else None

    def _answer(self, offset: int) -> tuple[int, list[Any]]:
        """Return the number of all datasets, and those of a page."""
        names = self._interface
        place = [(names.limit, str(min(ROWS, WINDOW - offset))), (names.offset, str(offset))]
        url = with_parameters(self.where, [*place, *names.fixed, *self._filters])
        answer = read_json(self._source.http, url, problems=self._walk.problems)
        datasets = answer.get(names.items) if isinstance(answer, Mapping) else None
        total = answer.get(names.total) if isinstance(answer, Mapping) else None
        if not isinstance(datasets, list) or not isinstance(total, int) or isinstance(total, bool):
            raise wrong_shape(url, answer, f"an object with {names.total} and {names.items}")
        return total, list(map(_unwrap, datasets))

    def _export(self) -> Iterator[RawRecord]:
        """Yield the datasets of the whole catalogue as one document, which the portal streams."""
        url = self._portal.base + self._interface.export
        url = with_parameters(url, [("limit", "-1"), *self._filters])
        with closing(self._source.http.get(url, accept=ACCEPT)) as reply:
            document = _Document(reply, url)
            self._walk.note_problems(document.problems)
            yield from map(self._record, document.datasets())

    def _record(self, dataset: Any) -> RawRecord:
        """Return a record; positions count the different ones."""
        return _record(dataset, f"dataset {self.seen.count + 1}", self.where, self._portal)


class _Document:
    """One JSON document of datasets: checked to its end when made, then cut into records.

    Raises:
        ProtocolError: not JSON, truncated, or no list of datasets.
    """

    def __init__(self, reply: Reply, url: str) -> None:
        self._file = JsonFile(
            reply.body, url=url, charset=reply.charset, media_type=reply.media_type
        )
        if self._file.is_blank:
            message = f"the document at {url} is empty; expected {KIND}"
            raise ProtocolError(message, code="empty-document", url=url)
        self._outline = Outline.read(self._file, SHAPE, url=url, kind=KIND)

    @property
    def problems(self) -> tuple[Problem, ...]:
        encoding = () if self._file.problem is None else (self._file.problem,)
        return encoding + self._outline.problems

    def datasets(self) -> Iterator[Any]:
        """Yield the datasets, one in memory at a time."""
        for prefix in self._outline.prefixes:
            yield from map(_unwrap, self._file.items(prefix))

    def total(self) -> int:
        """Return the number of all datasets as the answer announces it, -1 if it does not."""
        totals = (total for one in _INTERFACES for total in self._file.items(one.total))
        return next((n for n in totals if isinstance(n, int) and not isinstance(n, bool)), -1)


def _saved(source: Source) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of one saved answer."""
    with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
        document = _Document(reply, source.url)
        number = 0
        for number, dataset in enumerate(document.datasets(), 1):  # noqa: B007  # used after the loop
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
    content = ordered_json(dataset)
    if not isinstance(dataset, Mapping):
        words = f"{position} is {shorten(repr(dataset), 40)}; expected an object in {{ }}"
        return RawRecord("", content, url=url, position=position, error=ParseError(words))
    guid = clean_text(dataset.get("dataset_id") or dataset.get("datasetid") or "")
    metas = dataset.get("metas")
    metas = metas if isinstance(metas, Mapping) else {}
    default = metas.get("default")  # of 2.1; 1.0 has the same in metas
    default = default if isinstance(default, Mapping) else metas
    error = None
    if not guid:
        title = shorten(clean_text(default.get("title")), 60)
        words = f"{position} '{title}'" if title else position
        words = f"{words}: dataset_id is missing; expected a text that stays the same"
        error = ParseError(words, code="missing-identifier")
    return RawRecord(
        guid=guid,
        content=content,
        url=portal.page(guid) if portal and guid else url,
        modified=clean_text(default.get("modified")),
        position=position,
        error=error,
    )
