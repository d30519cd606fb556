"""CSW 2.0.2 catalogues (OGC 07-006r1), page by page, or one saved response of a catalogue.

What servers do (GeoNetwork, pycsw, Esri Geoportal): nextRecord is 0, absent, after the total or
the page itself; fewer records are returned than requested; a page fails because of one record in
it; the total changes during the read. So the next page starts after the records received, and the
end is proven only by the number of different records: as many as the server reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    FetchError,
    ProtocolError,
    RecordError,
    SourceError,
    Unreachable,
)
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option, date_range
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.csw import filters
from ckanext.ukharvest.readers.csw.filters import SCHEMAS
from ckanext.ukharvest.readers.csw.request import (
    METHODS,
    Binding,
    allows,
    endpoint,
    find_binding,
    get_record_by_id,
    schema_of,
    sender,
)
from ckanext.ukharvest.readers.csw.response import Answer, RecordMaker, ask, read
from ckanext.ukharvest.readers.csw.server import Probe, Server
from ckanext.ukharvest.readers.seen_records import SeenRecords, digest_of_record, failed_record
from ckanext.ukharvest.readers.walk import (
    MAX_PAGES,
    MOST_PROBLEMS,
    Pages,
    Place,
    Point,
    Walk,
    day_before,
    describe_unknown_total,
    saved_ending,
)
from ckanext.ukharvest.readers.xml_document import ACCEPT, XmlShape

_PASSES = 3  # over all pages, before a read that lacks records counts as incomplete
_IN_A_ROW = 3  # records that cannot be had, before the server itself counts as broken
_SHRINK = 4  # how much smaller a page is asked for after one that failed


class CountedRecords(SeenRecords):
    """Counts different records since the server last changed its total, in all passes.

    Attributes:
        is_first: this is the first pass over the pages.
        is_steady: the total never changed.
        mark: first day of the next run's changes; "" if no record has a date.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_first = True
        self.is_steady = True
        self.mark = ""
        self._known: dict[str, bytes] = {}
        self._current: set[str] = set()

    def begin(self, before: int) -> None:
        """Begin a pass: what the passes before it saw counts on."""

    def begin_again(self) -> None:
        """Count from 0: the server changed its total."""
        self.is_steady = False
        self._current.clear()
        self.count = 0

    def sift(self, records: Iterable[RawRecord]) -> Iterator[RawRecord]:
        """Yield a page's records that earlier pages did not have.

        Two records with one identity on a page are different records, and so are two with different
        content, as long as each page is read for the first time; otherwise a record has moved from
        page to page.
        """
        on_page: Counter[str] = Counter()
        for raw in records:
            digest = digest_of_record(raw)
            key = raw.guid or digest.hex()
            on_page[key] += 1
            if on_page[key] > 1:
                key = f"{key}\n{on_page[key]}"
            elif self.is_first and self._known.get(key, digest) != digest:
                key = f"{key}\n{digest.hex()}"
            self._current.add(key)
            self.count = len(self._current)
            if key not in self._known:
                self._known[key] = digest
                self.mark = max(self.mark, day_before(raw.modified))
                yield raw


class Records(Pages):
    """The records of a catalogue.

    The place of a page is its first record's position, and 1 where the server itself does not say
    that there is one.
    """

    resumes = True
    barren = 2  # in the first pass: the server shows the same page whatever is asked for

    def __init__(self, source: Source, shape: XmlShape) -> None:
        self._source = source
        self._server = Server(source)
        self.where = self._server.base
        self._maker = RecordMaker(shape, self._server.base)
        self.seen: CountedRecords = CountedRecords()
        self._first: Answer | None = None
        self._following: Place | None = None
        self._may_help = True
        self._says_total = True  # the last page with records does
        self._lost = 0

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once, in as many passes as needed to see all.

        Raises:
            SourceError: not a CSW, or one that ends too early.
        """
        point = Point.load(self._source.resume, int, int)
        start = int(point.place[0]) if point else 1
        self._first = Probe(self._server, start).first_page()
        way = self._server.way
        base = way.url if way.method == "GET" and way.url else self.where
        self._maker = replace(self._maker, base=base, schema=SCHEMAS[way.schema])
        is_part = start > 1
        walk = Walk(self, self._source.tell_total)
        for number in range(1, _PASSES + 1):
            before = self.seen.count
            walk = Walk(self, self._source.tell_total, walk.total)
            yield from walk.read(Point((start, 0)))
            is_idle = number > 1 and self.seen.count == before and not walk.has_changed
            # A page that was not requested, because the ones before it had nothing new.
            is_cut = self._following is not None
            may_help = self._may_help and self._says_total and not is_cut and not self._lost
            is_proven = walk.is_whole and not is_part
            if is_proven or is_idle or not may_help or number == _PASSES:
                break
            start, is_part, self.seen.is_first = 1, False, False
            self.resumes, self.barren = False, MAX_PAGES
        if walk.total < 0 and not self._lost and not is_part:
            walk.note_total(self._server.count())
        reason, since = self._reason(walk), self._server.wanted.since
        return Ending(
            complete=not reason,
            reason=reason,
            interface=str(way),
            changes_only=bool(since),
            mark=since if reason else self.seen.mark or since,
            problems=tuple(self._server.problems[:MOST_PROBLEMS]),
        )

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        start, is_doubtful = int(point.place[0]), bool(point.place[1])
        self._following = None
        page, self._first = self._first, None
        if page is None and (walk.asked == 1 or is_doubtful):
            try:
                page = self._server.page(start)
            except SourceError:
                if not is_doubtful:
                    raise
                self._may_help = False
        elif page is None:
            page = yield from self._next(start, walk)
        if page is None:
            return None
        records = self._maker.records(page, self._source)
        if records or walk.total < 0:
            if walk.total not in (-1, page.matched):
                self.seen.begin_again()
                walk.has_changed = True
            walk.note_total(page.matched)
            self._says_total = page.matched >= 0
        yield from records
        is_done = walk.is_whole and self.seen.is_steady and not self.seen.is_first
        if page.behind and not is_done:
            self._following = (page.behind, int(page.is_doubtful))
        return self._following

    def _next(self, start: int, walk: Walk) -> Generator[RawRecord, None, Answer | None]:
        """Return the next page, smaller if the server cannot make it.

        A record that fails even by itself is yielded as failed.

        Raises:
            SourceError: more than one record is at fault; this is the page's first error.
        """
        first: SourceError | None = None
        lost: list[RawRecord] = []
        for position in range(start, start + _IN_A_ROW):
            if first and 0 <= walk.total < position:
                try:  # the records are at fault if one that was read before still comes
                    self._server.page(start - 1, 1, patient=False)
                except SourceError:
                    raise first from None
                yield from lost
                return None
            try:
                page = self._shrinking(position, patient=first is None)
            except (FetchError, ProtocolError) as exc:
                first = first or exc
                if isinstance(exc, (Blocked, Unreachable)):
                    break
                lost.append(self._culprit(position, exc))
                continue
            self._server.size = min(self._server.size * 2, self._server.most)
            yield from lost
            return page
        assert first is not None
        raise first

    def _shrinking(self, start: int, *, patient: bool) -> Answer:
        first: SourceError | None = None
        while True:
            try:
                return self._server.page(start, patient=patient and first is None)
            except (FetchError, ProtocolError) as exc:
                # An unreachable server also fails for small pages, but it may have been too slow.
                is_away = isinstance(exc, Unreachable) and first is not None
                first = first or exc
                if is_away or self._server.size == 1 or isinstance(exc, Blocked):
                    raise first from None
            self._server.size = max(self._server.size // _SHRINK, 1)

    def _culprit(self, position: int, exc: SourceError) -> RawRecord:
        self._lost += 1
        name = f"{self._maker.shape.singular} {position}"
        message = Message(
            "{name} of {base} could not be read, even by itself: {reason}",
            name=name,
            base=self._server.base,
            reason=exc.message,
        )
        return failed_record(name, message, code="unserved-record", url=self._server.base)

    def _reason(self, walk: Walk) -> str:
        """Return why the read is not complete, "" if it is."""
        if self._lost:
            return f"{self._lost:,} of the records of {self.where} could not be read"
        if span := self._server.wanted.span:
            return (
                f"only records {span} were requested from {self.where}; others do not count as"
                " missing"
            )
        may_be_empty = bool(self._server.wanted.since) and walk.total == 0
        is_silent = walk.total < 0 or (walk.has_changed and not self._says_total)
        if is_silent and self.seen.count:
            return describe_unknown_total(self.where, self.noun, "numberOfRecordsMatched")
        return walk.reason(may_be_empty=may_be_empty)


OPTIONS = (
    Option(
        "types",
        "list",
        (),
        "Types of record that are harvested, such as dataset, series, service, "
        "nonGeographicDataset; empty takes all.",
    ),
    Option(
        "cql",
        "text",
        "",
        "A further condition in CQL, with the names that the server uses, such as "
        "apiso:Subject = 'Hydrography'.",
        check=lambda cql: "" if cql == clean_text(cql) else "expected text without control codes",
        label=_("Condition in CQL"),
    ),
    Option(
        "filter",
        "text",
        "",
        "A further condition as an OGC filter: <ogc:Filter> with all namespaces that it uses. "
        "It is joined to the other options by And, and cannot be set together with cql.",
        check=filters.check_filter,
        excludes=("cql",),
    ),
    *date_range(filters.check_day),
    Option(
        "page_size",
        "integer",
        50,
        "Number of records per request.",
        minimum=1,
    ),
    Option(
        "method",
        "text",
        "auto",
        "How requests are sent; auto: by POST, by GET if the server accepts no POST, and by SOAP "
        "if it accepts neither.",
        choices=("auto", "post", "get", "soap-1.1", "soap-1.2"),
    ),
    Option(
        "schema",
        "text",
        "auto",
        "Schema of the records; auto: ISO 19139 (gmd), and another one only if a new source's "
        "server has no gmd.",
        choices=("auto", *SCHEMAS),
        # Of ckanext-spatial's, which take a name of the namespace or its URL.
        alias="output_schema",
        alias_values={"mdb": "iso19115-3", **{url: name for name, url in SCHEMAS.items()}},
    ),
    Option(
        "full_check_days",
        "integer",
        # The date is the publisher's, not the catalogue's: a record changed in, or added to, the
        # catalogue under an old date does not count as changed.
        0,
        "Days after which a run reads all records; runs in between read only those with a "
        "new metadata date, and do not find deleted ones or those with an old date. 0 reads "
        "all each time.",
        label=_("Days between full runs"),
        form_help=_(
            "Days after which a run reads all records and finds deleted ones. Runs in between "
            "read only those with a new date. 0 reads all each time."
        ),
    ),
    Option(
        "modified_format",
        "text",
        "YYYY-MM-DD",
        "Format of the date in requests for changes.",
        choices=("YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ", "MM-DD-YYYY"),
    ),
    Option(
        "modified_name",
        "text",
        "",
        "The server's name for the metadata date, such as apiso:Modified, dct:modified or "
        "Modified. Empty takes apiso:Modified, or dct:modified for records in Dublin Core.",
        check=filters.check_name,
    ),
)

# Statuses of servers that do not take GetRecordById by GET.
_NOT_BY_GET = (400, 405, 415, 501)


@dataclass(frozen=True)
class Csw(Reader):
    """Reads a catalogue; whole records if it returns them, else each by its identifier.

    A whole record's identity is its own (gmd:fileIdentifier); only if the catalogue lists nothing
    but identifiers, it is the catalogue's.
    """

    shape: XmlShape

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not a CSW, or one that ends too early.
        """
        is_saved = "://" not in source.url
        records = self._saved(source) if is_saved else Records(source, self.shape).records()
        return (yield from records)

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return a listed record with its content, read by GetRecordById.

        Raises:
            FetchError: no usable answer.
            RecordError: the server refuses it, or answers without it.
        """
        if raw.content is not None:
            return raw

        try:
            answer = _ask_for(source, raw)
        except ProtocolError as exc:
            raise RecordError(exc.message, code="not-shown", url=raw.url) from exc
        content = RecordMaker(self.shape).content(answer, source)
        if content is None:
            message = Message(
                "{record}: {url} answered without it; expected {root}",
                record=raw.display_name,
                url=raw.url,
                root=self.shape.root,
            )
            raise RecordError(message, code="not-shown", url=raw.url)
        return replace(raw, content=content)

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records of one saved response."""
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            answer = read(reply, "GetRecords")
        records = RecordMaker(self.shape, url=source.url).records(answer, source)
        yield from records
        url = source.url
        if not answer.is_list:
            reason = Message(
                "{url} is an answer of GetRecordById, which does not list other records", url=url
            )
            return Ending(complete=False, reason=reason, problems=answer.problems)
        has_more = answer.following > 0 and len(records) != answer.matched
        return saved_ending(
            url,
            "record",
            len(records),
            answer.matched,
            more=f"the next page begins at {answer.following:,}" if has_more else "",
            must_count=True,
            problems=answer.problems,
        )


def _ask_for(source: Source, raw: RawRecord) -> Answer:
    """Request one record by its URL, or as the list was read if that is not by GET."""
    method = source.options.get("method", "auto")
    known = find_binding(source.interface)
    if known is None or not allows(method, known):
        known = Binding(METHODS[method][-1])  # GET, if the option allows it
    schema = source.options.get("schema", "auto")
    schema = filters.SCHEMAS[schema_of(source.interface) if schema == "auto" else schema]
    operation = get_record_by_id(raw.guid, schema)
    listed = sender(source.http, endpoint(source.url), known, operation)
    if (known.is_soap or method == "post") and raw.url != source.url:
        return ask(listed, operation.name)
    try:
        return ask(lambda **how: source.http.get(raw.url, accept=ACCEPT, **how), operation.name)
    except BadStatus as exc:
        if known.method == "GET" or exc.status not in _NOT_BY_GET:
            raise
    return ask(listed, operation.name)
