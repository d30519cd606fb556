"""Read CKAN sites: by search, by the interfaces of older sites, or from one saved answer.

``package_search`` is read in pages (docs.ckan.org, "API guide"). They are sorted by id, so that
changes do not move datasets, and overlap by one dataset: if the overlap is missing, datasets were
removed in the meantime, and the read goes back so as not to miss others. Sites without a working
search are read by a list of names or ids, then dataset by dataset.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import quote

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.ckan_api import package as packages
from ckanext.ukharvest.readers.ckan_api import site as sites
from ckanext.ukharvest.readers.ckan_api.site import Site
from ckanext.ukharvest.readers.json_api import Refused, action, read_json, result_of, wrong_shape
from ckanext.ukharvest.readers.seen_records import SeenIdentities, failed_record
from ckanext.ukharvest.readers.walk import (
    MAX_PAGES,
    Pages,
    Place,
    Point,
    Walk,
    describe_empty_list,
    describe_unknown_total,
)

# Clocks of a site's machines differ, and a search index lags behind the database.
_OVERLAP = timedelta(hours=1)

# Passes over all pages, after which a read that still lacks datasets is incomplete.
_PASSES = 3
_STEPS_BACK = 50
_BARREN = 10  # pages in a row without a new dataset, once there was a step back


@dataclass(slots=True)
class _Page:
    start: int
    count: int
    records: list[RawRecord]


class SeenPackages(SeenIdentities):
    """Datasets by id, of all passes; an interrupted read had those up to ``border``.

    Args:
        before: number of datasets that it had.
        border: id of the last of them: pages are sorted by id.
    """

    def __init__(self, before: int, border: str) -> None:
        super().__init__()
        self.count = self.before = before
        self._border = border

    def is_known(self, raw: RawRecord) -> bool:
        return super().is_known(raw) or bool(raw.guid) and raw.guid <= self._border


class Search(Pages):
    """One read of a site by ``package_search``.

    The place of a page is its offset, and how often the read went back before it. Every dataset
    has a resume point, whose place is its id and the newest stamp so far.
    """

    noun = "dataset"
    overlaps = True
    barren = 2  # in the first pass: the site shows the same page whatever is asked for

    def __init__(self, source: Source, base: str, site: sites.Site) -> None:
        self._source = source
        self._base = base
        self.where = base + sites.SEARCH
        self._q = site.q
        self._fq = [*site.fq, *sites.clauses(source.options)]
        self._rows = source.options.get("rows", 100)
        self._since = "" if source.options.get("force_all") else source.since
        resumed = Point.load(source.resume, str, str) or Point(("", ""))
        border, self._newest = map(str, resumed.place)
        self.seen: SeenPackages = SeenPackages(resumed.before, border)
        self._first: _Page | None = None
        self._is_checked = False  # that it is not the portal that reads
        self._is_sure = True  # no page border of this pass lost its overlap for good
        self._problems: list[Problem] = []

    def request_first(self) -> None:
        """Request the first page, or the one where an interrupted read stopped.

        Raises:
            SourceError: this is not the complete URL of a CKAN site with a search, or the site is
                the portal that reads.
        """
        start = max(self.seen.before - 1, 0)
        try:
            self._first = self._request(start)
        except Refused:
            if not self._since:
                raise
            # A site that cannot filter by change date can still list everything.
            self._since = ""
            self._first = self._request(start)

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every dataset once, in as many passes as needed to see all."""
        start = max(self.seen.before - 1, 0)
        for _number in range(_PASSES):
            self._is_sure = True
            walk = Walk(self, self._source.tell_total)
            yield from walk.read(Point((start, 0), self.seen.count))
            self._is_sure = self._is_sure and walk.barren < self.barren
            if self.seen.count >= walk.total or not self._is_sure:
                break
            start, self.barren = 0, MAX_PAGES
        reason = self._reason(walk)
        return Ending(
            complete=not reason,
            reason=reason,
            problems=tuple(self._problems),
            interface="package_search",
            changes_only=bool(self._since),
            mark=self._since if reason else _mark(self._newest) or self._since,
        )

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        start, steps_back = map(int, point.place)
        page = self._first or self._request(start)
        self._first = None
        walk.note_total(page.count)
        while self._has_moved(page):
            if steps_back == _STEPS_BACK or walk.barren >= _BARREN:
                self._is_sure = False
                break
            steps_back += 1
            # After a step back some pages are known already.
            self.barren = max(self.barren, _BARREN + 1)
            back = max(len(page.records), self._rows) // 2
            page = self._request(max(page.start - back, 0))
            walk.note_total(page.count)
        yield from self._new(page)
        number = len(page.records)
        behind = page.start + number
        is_last = not number or 0 <= page.count <= behind
        return None if is_last else (behind - (number > 1), steps_back)

    def is_whole(self, total: int) -> bool:
        # Of what an interrupted read had, some may have been removed since.
        return self.seen.count - self.seen.before <= total <= self.seen.count

    def _has_moved(self, page: _Page) -> bool:
        """Tell whether datasets before this page were removed since the page before it was read."""
        is_new = page.start and not any(map(self.seen.is_known, page.records))
        return bool(is_new) and (bool(page.records) or 0 <= page.count <= page.start)

    def _new(self, page: _Page) -> Iterator[RawRecord]:
        for number, raw in enumerate(page.records, page.start + 1):
            if not self.seen.is_known(raw):
                self._newest = max(self._newest, raw.modified.replace(" ", "T"))
                point = Point((raw.guid, self._newest), number)
                yield replace(raw, resume=point.dump() if raw.guid else "")

    def _request(self, start: int) -> _Page:
        params: dict[str, str | int] = {"rows": self._rows, "start": start, "sort": "id asc"}
        since = [f"+metadata_modified:[{self._since} TO *]"] if self._since else []
        query = {"q": self._q, "fq": " ".join([*self._fq, *since])}
        params |= {name: value for name, value in query.items() if value}
        answer = read_json(self._source.http, self.where, params, self._problems)
        if not self._is_checked:
            packages.refuse_own_site(self._source, answer, self._base)
            self._is_checked = True
        result = result_of(answer, self.where)
        if not isinstance(result, Mapping) or not isinstance(result.get("results"), list):
            raise wrong_shape(self.where, result, "an object with count and results")
        records = [
            packages.raw_record(
                item, f"dataset {number}", self.where, self._source.options, page=self._base
            )
            for number, item in enumerate(result["results"], start + 1)
        ]
        return _Page(start, packages.count_of(result), records)

    def _reason(self, walk: Walk) -> str:
        """Return why the read is not complete, "" if it is."""
        if walk.total < 0 and (self.seen.count or self._since):
            return describe_unknown_total(self.where, self.noun, "count")
        moved = "" if self._is_sure else f"the pages of {self.where} moved while they were read"
        return walk.reason(may_be_empty=bool(self._since)) or moved


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


_NO_KEY = (
    "keys are not stored in a source's configuration; put the key into the portal's ini "
    "and its name into the option credential"
)
_NO_OVERRIDE = (
    "default_extras never replace what the remote site says; drop the remote field by the"
    " option fields where they should"
)
# Options of ckanext-harvest's own CKAN harvester: its sources are adopted without changes.
IGNORED = ("read_only", "api_version", "default_group_dicts", "clean_tags", "user", "user_agent")


def _filters(name: str, noun: str) -> tuple[Option, Option]:
    including = f"Names of the remote {noun} whose datasets are harvested; empty takes all."
    excluding = f"Names of the remote {noun} whose datasets are not harvested."
    return (
        Option(f"{name}_filter_include", "list", (), including),
        Option(f"{name}_filter_exclude", "list", (), excluding),
    )


OPTIONS = (
    *_filters("organizations", "organisations"),
    *_filters("groups", "groups"),
    *_filters("tags", "tags"),
    *_filters("licenses", "licences"),
    *_filters("types", "types of dataset"),
    Option(
        "fq",
        "text",
        "",
        "A further filter in the syntax of the remote site's search, such as res_format:CSV OR "
        "res_format:JSON.",
    ),
    Option(
        "rows",
        "integer",
        100,
        "Number of datasets per request.",
        minimum=2,
    ),
    Option(
        "full_check_days",
        "integer",
        7,
        "Days after which a run reads all datasets and finds deleted ones; runs in between "
        "read only changes. 0 reads all each time.",
        label=_("Days between full runs"),
        form_help=_(
            "Days after which a run reads all records and finds deleted ones. Runs in between "
            "read only those with a new date. 0 reads all each time."
        ),
    ),
    Option(
        "force_all",
        "boolean",
        False,
        "Whether each run reads all datasets instead of only changes.",
    ),
    Option(
        "override_extras",
        "boolean",
        False,
        "Refused. Use the option fields to set values.",
        check=lambda value: _NO_OVERRIDE if value else "",
    ),
    Option(
        "api_key",
        "text",
        "",
        "Refused. Store the key as a secret and name it in the option credential.",
        check=lambda value: _NO_KEY if value else "",
    ),
)


@dataclass(frozen=True)
class CkanSite:
    """Reads a CKAN site, or one saved answer of it."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the datasets that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, no CKAN, or an answer that ends too early.
        """
        site = Site.parse(source.url)
        if site.is_document:
            return (yield from packages.records(source))
        refused: ProtocolError | None = None
        for base in site.bases:
            search = Search(source, base, site)
            try:
                search.request_first()
            except ProtocolError as exc:
                refused = refused or exc
                continue
            return (yield from search.records())
        assert refused is not None
        if isinstance(refused, Refused):
            return (yield from _read_names(source, site, refused))
        raise refused

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: a saved list of names has no content to fetch."""
        if raw.content is None:
            message = Message(
                "{url} only names {guid}; expected {expected}",
                url=raw.url,
                guid=raw.guid,
                expected=packages.EXPECTED,
            )
            raise FetchError(message, url=raw.url)
        return raw


# How to read a site without its search: a list of names or ids, then each dataset. CKAN 2.9 removed
# the REST interfaces; sites before 1.8 have no other.
_OLDER = {
    "package_list": ("/api/3/action/package_list", "/api/3/action/package_show?id="),
    "rest": ("/api/2/rest/package", "/api/2/rest/package/"),
}


def _read(source: Source, url: str) -> Any:
    return action(source.http, url) if "/action/" in url else read_json(source.http, url)


def _read_names(source: Source, site: Site, refused: Refused) -> Generator[RawRecord, None, Ending]:
    """Read a site that has no search.

    Raises:
        SourceError: it has no other interface either; this is the search's own error.
    """
    for base in site.bases:
        for interface, (listing, shown) in _OLDER.items():
            url = base + listing
            try:
                names = _read(source, url)
                if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                    raise wrong_shape(url, names, "a list of names")
            except ProtocolError:
                continue
            if site.q or site.fq or source.options.get("fq"):
                message = Message(
                    "{reason}; the filter of this source needs that search", reason=refused.message
                )
                raise ProtocolError(message, code="no-search", url=refused.url)
            names = sorted(set(names))
            yield from _shown(source, base, interface, base + shown, names)
            reason = "" if names else describe_empty_list(url, "dataset")
            return Ending(complete=not reason, reason=reason, interface=interface)
    raise refused


def _shown(
    source: Source, base: str, interface: str, shown: str, names: list[str]
) -> Iterator[RawRecord]:
    """Yield the datasets of a list of names, with a request each.

    One that was deleted since the list was made, or does not match, is left out.
    """
    source.tell_total(len(names))
    kind, _, last = source.resume.partition(" ")
    behind = last if kind == interface else ""
    for number, name in enumerate(names, 1):
        if name <= behind:
            continue
        position, resume = Message("dataset {number}", number=number), f"{interface} {name}"
        try:
            package = _read(source, shown + quote(name, safe=""))
        except Refused as exc:
            if exc.status not in (404, 410):
                message = Message(
                    "{position} '{name}': {reason}",
                    position=position,
                    name=name,
                    reason=exc.message,
                )
                raw = failed_record(position, message, code="not-shown", url=exc.url)
                yield replace(raw, resume=resume)
            continue
        if not isinstance(package, Mapping) or sites.is_wanted(package, source.options):
            where = shown + name
            raw = packages.raw_record(package, position, where, source.options, page=base)
            yield replace(raw, resume=resume)
