"""CKAN's ``package_search`` in pages (docs.ckan.org, "API guide").

Pages are sorted by id, so that changes do not move datasets, and overlap by one dataset: if the
overlap is missing, datasets were removed in the meantime, and the read goes back so as not to miss
others.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.ckan_api import package as packages
from ckanext.ukharvest.readers.ckan_api import site as sites
from ckanext.ukharvest.readers.json_api import Refused, read_json, result_of, wrong_shape
from ckanext.ukharvest.readers.walk import (
    MAX_PAGES,
    describe_difference,
    describe_empty_list,
    describe_unknown_total,
    endless_paging,
)

# Clocks of a site's machines differ, and a search index lags behind the database.
_OVERLAP = timedelta(hours=1)

# Passes over all pages, after which a read that still lacks datasets is incomplete.
_PASSES = 3
_STEPS_BACK = 50
_BARREN = 10  # pages in a row without a new dataset


@dataclass(slots=True)
class _Page:
    start: int
    count: int
    items: list[Any]


def _id(item: Any) -> str:
    return clean_text(item.get("id")) if isinstance(item, Mapping) else ""


def _key(item: Any) -> str:
    """Return a dataset's key: its id, or all its content if it has none."""
    return _id(item) or "\n" + canonical_json(item)


class Search:
    """One read of a site by ``package_search``.

    A resume point is the position, the id and the newest stamp of a dataset, after ``search``.
    """

    def __init__(self, source: Source, base: str, site: sites.Site) -> None:
        self._source = source
        self._base = base
        self._url = base + sites.SEARCH
        self._q = site.q
        self._fq = [*site.fq, *sites.clauses(source.options)]
        self._since = "" if source.options.get("force_all") else source.since
        word, *parts = source.resume.split(" ")
        is_resumed = word == "search" and len(parts) == 3 and parts[0].isdecimal()
        # Datasets that an interrupted read of this run had yielded already, and the last of them by
        # id: pages are sorted by id.
        self._before = int(parts[0]) + 1 if is_resumed else 0
        self._border, self._newest = parts[1:] if is_resumed else ("", "")
        self._seen: set[str] = set()  # keys of the datasets that this read yielded
        self._is_sure = True  # no page border lost its overlap for good
        self._pages = 0
        self._problems: list[Problem] = []

    def first(self) -> _Page:
        """Return the first page, or the one where an interrupted read stopped.

        Raises:
            SourceError: this is not the complete URL of a CKAN site with a search, or the site is
                the portal that reads.
        """
        start = max(self._before - 1, 0)
        try:
            return self._page(start)
        except Refused:
            if not self._since:
                raise
        # A site that cannot filter by change date can still list everything.
        self._since = ""
        return self._page(start)

    def walk(self, page: _Page) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once, in as many passes as needed to see all."""
        for number in range(1, _PASSES + 1):
            self._is_sure = True
            count = yield from self._pass(page, is_first=number == 1)
            if self._count >= count or not self._is_sure:
                break
            if number < _PASSES:
                page = self._page(0)
        return self._ending(count)

    def _pass(self, page: _Page, *, is_first: bool) -> Generator[RawRecord, None, int]:
        """Yield the new datasets from a page on; return the expected number of datasets."""
        steps_back, barren, count = 0, 0, page.count
        while True:
            count = max(count, page.count)
            if self._has_moved(page):
                if steps_back < _STEPS_BACK and barren < _BARREN:
                    steps_back += 1
                    back = max(len(page.items), self._source.options.get("rows", 100)) // 2
                    page = self._page(max(page.start - max(back, 1), 0))
                    continue
                self._is_sure = False
            before = self._count
            yield from self._new(page)
            barren = barren + 1 if self._count == before else 0
            behind = page.start + len(page.items)
            # After a step back some pages are known already.
            if is_first and barren > (_BARREN if steps_back else 1):
                self._is_sure = False  # the site shows the same page whatever is asked for
                return count
            if not page.items or 0 <= page.count <= behind:
                return count
            page = self._page(behind - 1 if len(page.items) > 1 else behind)

    def _has_moved(self, page: _Page) -> bool:
        """Tell whether datasets before this page were removed since the page before it was read."""
        is_new = page.start and not any(map(self._is_known, page.items))
        return bool(is_new) and (bool(page.items) or 0 <= page.count <= page.start)

    def _new(self, page: _Page) -> Iterator[RawRecord]:
        for offset, item in enumerate(page.items):
            if self._is_known(item):
                continue
            stamp = clean_text(item.get("metadata_modified")) if isinstance(item, Mapping) else ""
            self._newest = max(self._newest, stamp.replace(" ", "T"))
            position, guid = page.start + offset, _id(item)
            self._seen.add(_key(item))
            resume = f"search {position} {guid} {self._newest}" if guid and " " not in guid else ""
            yield packages.raw_record(
                item, f"dataset {position + 1}", self._url, page=self._base, resume=resume
            )

    @property
    def _count(self) -> int:
        return self._before + len(self._seen)

    def _is_known(self, item: Any) -> bool:
        guid = _id(item)
        return _key(item) in self._seen or bool(guid and guid <= self._border)

    def _page(self, start: int) -> _Page:
        self._pages += 1
        if self._pages > MAX_PAGES:
            raise endless_paging(self._url, MAX_PAGES, "dataset")
        params: dict[str, str | int] = {
            "rows": self._source.options.get("rows", 100),
            "start": start,
            "sort": "id asc",
        }
        since = [f"+metadata_modified:[{self._since} TO *]"] if self._since else []
        query = {"q": self._q, "fq": " ".join([*self._fq, *since])}
        params |= {name: value for name, value in query.items() if value}
        answer = read_json(self._source.http, self._url, params, self._problems)
        if self._pages == 1:
            packages.refuse_own_site(self._source, answer, self._base)
        result = result_of(answer, self._url)
        if not isinstance(result, Mapping) or not isinstance(result.get("results"), list):
            raise wrong_shape(self._url, result, "an object with count and results")
        count = packages.count_of(result)
        self._source.tell_total(count)
        return _Page(start, count, result["results"])

    def _ending(self, count: int) -> Ending:
        reason = ""
        if not self._count and not self._since:
            reason = describe_empty_list(self._url, "dataset", count)
        elif count < 0:
            reason = describe_unknown_total(self._url, "dataset", "count")
        elif self._count < count or len(self._seen) > count:
            reason = describe_difference(self._url, "dataset", count, self._count)
        elif not self._is_sure:
            reason = f"the pages of {self._url} moved while they were read"
        return Ending(
            complete=not reason,
            reason=reason,
            problems=tuple(self._problems),
            interface="package_search",
            changes_only=bool(self._since),
            mark=self._since if reason else _mark(self._newest) or self._since,
        )


def _mark(newest: str) -> str:
    """Return the start of the next run's changes, in Solr's form; "" if the stamp is not a date."""
    try:
        stamp = datetime.fromisoformat(newest.replace("Z", "+00:00"))
    except ValueError:
        return ""
    if stamp.tzinfo is None:  # CKAN writes UTC
        stamp = stamp.replace(tzinfo=timezone.utc)
    # A stamp in the future would hide all changes until then.
    try:
        earlier = min(stamp, datetime.now(timezone.utc)).astimezone(timezone.utc) - _OVERLAP
    except OverflowError:
        return ""
    return earlier.strftime("%Y-%m-%dT%H:%M:%SZ")
