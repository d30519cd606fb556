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

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.readers.document import ACCEPT
from ckanext.ukharvest.readers.json_api import read_json, wrong_shape
from ckanext.ukharvest.readers.ods.portal import Parameters, Portal, with_parameters
from ckanext.ukharvest.readers.ods.records import Document, identity, record, unwrap
from ckanext.ukharvest.readers.ods.translations import Texts, with_translations
from ckanext.ukharvest.readers.walk import MAX_PAGES, describe_empty_list, endless_paging

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
class Page:
    """One page, and the number of all datasets."""

    total: int
    items: list[Any]


class Listing:
    """One read of a portal by one interface."""

    def __init__(self, source: Source, portal: Portal, interface: Interface) -> None:
        self._source = source
        self._portal = portal
        self._interface = interface
        self._url = portal.base + interface.path
        self._filters = interface.parameters(portal)
        # Language code → the same with that language.
        self._others = {
            code: interface.parameters(replace(portal, language=code))
            for code in portal.translations
        }
        self._seen: set[str] = set()
        self._totals: set[int] = set()
        self._requests = 0
        self._problems: list[Problem] = []

    def first(self) -> Page:
        """Return the first page.

        Raises:
            Refused: the interface is not there, or does not accept the filters.
            SourceError: no answer, or that of another program.
        """
        return self._page(0)

    def walk(self, page: Page) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once, from the first page on.

        Raises:
            SourceError: the list ends too early.
        """
        offset = 0
        while True:
            before = len(self._seen)
            yield from self._new(page.items)
            if page.total > WINDOW and self._interface.export:
                yield from self._export()
                break
            offset += len(page.items)
            if len(self._seen) == before or not offset < min(page.total, WINDOW):
                break
            page = self._page(offset)
        reason = self._doubt()
        return Ending(complete=not reason, reason=reason, problems=tuple(self._problems))

    def _page(self, offset: int) -> Page:
        self._requests += 1
        if self._requests > MAX_PAGES:
            raise endless_paging(self._url, MAX_PAGES, "dataset")
        page = self._answer(offset, self._filters)
        self._totals.add(page.total)
        self._source.tell_total(page.total)
        others = {
            code: Texts(self._answer(offset, filters).items)
            for code, filters in self._others.items()
        }
        return Page(page.total, list(with_translations(page.items, others)))

    def _answer(self, offset: int, filters: Parameters) -> Page:
        names = self._interface
        place = [(names.limit, str(min(ROWS, WINDOW - offset))), (names.offset, str(offset))]
        url = with_parameters(self._url, [*place, *names.fixed, *filters])
        answer = read_json(self._source.http, url, problems=self._problems)
        found = answer.get(names.items) if isinstance(answer, Mapping) else None
        total = answer.get(names.total) if isinstance(answer, Mapping) else None
        if not isinstance(found, list) or not isinstance(total, int) or isinstance(total, bool):
            raise wrong_shape(url, answer, f"an object with {names.total} and {names.items}")
        return Page(total, [unwrap(each) for each in found])

    def _export(self) -> Iterator[RawRecord]:
        """Yield the datasets of the whole catalogue as one document, which the portal streams."""
        with ExitStack() as replies:
            document = self._document(replies, self._filters)
            self._problems += document.problems
            others = {
                code: Texts(self._document(replies, filters).items())
                for code, filters in self._others.items()
            }
            yield from self._new(with_translations(document.items(), others))

    def _document(self, replies: ExitStack, filters: Parameters) -> Document:
        """Return the whole catalogue as a document, whose reply is closed with ``replies``."""
        export = self._portal.base + self._interface.export
        url = with_parameters(export, [("limit", "-1"), *filters])
        reply = replies.enter_context(closing(self._source.http.get(url, accept=ACCEPT)))
        return Document(reply, url)

    def _new(self, items: Iterable[Any]) -> Iterator[RawRecord]:
        for item in items:
            key = identity(item) if isinstance(item, Mapping) else ""
            key = key or "\n" + canonical_json(item)
            if key in self._seen:
                continue
            self._seen.add(key)
            yield record(item, f"dataset {len(self._seen)}", self._url, self._portal)

    def _doubt(self) -> str:
        """Return why datasets may be missing, "" if the number of them proves that none is."""
        total, count = max(self._totals), len(self._seen)
        if not count:
            return describe_empty_list(self._url, "dataset", total)
        if len(self._totals) > 1:
            return f"the number of datasets of {self._url} changed while they were read"
        if total == count:
            return ""
        told = f"{self._url} announces {counted(total, 'dataset')} and shows {count:,}"
        if total > WINDOW and not self._interface.export:
            return f"{told}; this interface ends at {WINDOW:,}, and Explore API 2.1 is not there"
        return told
