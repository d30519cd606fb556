"""The catalogue page by page, or as an export, and the proof that there are no other datasets.

Explore API 2.1 (help.opendatasoft.com/apis/ods-explore-v2) and Search API 1.0 show pages up to
their 10,000th dataset only. 2.1 also exports the whole catalogue as one document, in which the
datasets are the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.readers.document import ACCEPT
from ckanext.ukharvest.readers.json_api import read_json, wrong_shape
from ckanext.ukharvest.readers.ods.portal import Parameters, Portal, with_parameters
from ckanext.ukharvest.readers.ods.records import Document, record, unwrap
from ckanext.ukharvest.readers.ods.translations import Texts, with_translations
from ckanext.ukharvest.readers.seen_records import SeenIdentities
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk

WINDOW = 10_000  # the largest offset + limit that portals answer
ROWS = 100  # the largest limit


@dataclass(frozen=True)
class Interface:
    """The names of one of the two interfaces with pages.

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


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the number of all datasets, and those of the page."""

    total: int
    items: list[Any]


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
        # Language code → the same with that language.
        self._others = {
            code: interface.parameters(replace(portal, language=code))
            for code in portal.translations
        }
        self._walk = Walk(self, source.tell_total)
        self._first: Answer | None = None

    def request_first(self) -> None:
        """Request the first page.

        Raises:
            Refused: the interface is not there, or does not accept the filters.
            SourceError: no answer, or that of another program.
        """
        self._first = self._translated(0)

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once.

        Raises:
            SourceError: the list ends too early.
        """
        yield from self._walk.read(Point((0,)))
        return self._walk.ending()

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        offset = int(point.place[0])
        page = self._first or self._translated(offset)
        self._first = None
        walk.note_total(page.total)
        yield from self._records(page.items)
        if page.total > WINDOW and self._interface.export:
            yield from self._export()
            return None
        if page.total > WINDOW:
            self.hint = f"; this interface ends at {WINDOW:,}, and Explore API 2.1 is not there"
        offset += len(page.items)
        return (offset,) if offset < min(page.total, WINDOW) else None

    def _translated(self, offset: int) -> Answer:
        """Return a page with the texts in all languages of the source."""
        page = self._answer(offset, self._filters)
        others = {
            code: Texts(self._answer(offset, filters).items)
            for code, filters in self._others.items()
        }
        return Answer(page.total, list(with_translations(page.items, others)))

    def _answer(self, offset: int, filters: Parameters) -> Answer:
        names = self._interface
        place = [(names.limit, str(min(ROWS, WINDOW - offset))), (names.offset, str(offset))]
        url = with_parameters(self.where, [*place, *names.fixed, *filters])
        answer = read_json(self._source.http, url, problems=self._walk.problems)
        items = answer.get(names.items) if isinstance(answer, Mapping) else None
        total = answer.get(names.total) if isinstance(answer, Mapping) else None
        if not isinstance(items, list) or not isinstance(total, int) or isinstance(total, bool):
            raise wrong_shape(url, answer, f"an object with {names.total} and {names.items}")
        return Answer(total, [unwrap(item) for item in items])

    def _export(self) -> Iterator[RawRecord]:
        """Yield the datasets of the whole catalogue as one document, which the portal streams."""
        with ExitStack() as replies:
            document = self._document(replies, self._filters)
            self._walk.note_problems(document.problems)
            others = {
                code: Texts(self._document(replies, filters).items())
                for code, filters in self._others.items()
            }
            yield from self._records(with_translations(document.items(), others))

    def _document(self, replies: ExitStack, filters: Parameters) -> Document:
        """Return the whole catalogue as a document, whose reply is closed with ``replies``."""
        export = self._portal.base + self._interface.export
        url = with_parameters(export, [("limit", "-1"), *filters])
        reply = replies.enter_context(closing(self._source.http.get(url, accept=ACCEPT)))
        return Document(reply, url)

    def _records(self, items: Iterable[Any]) -> Iterator[RawRecord]:
        """Yield records; their positions count the different ones."""
        for item in items:
            yield record(item, f"dataset {self.seen.count + 1}", self.where, self._portal)
