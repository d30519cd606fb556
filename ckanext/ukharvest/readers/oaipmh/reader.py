"""OAI-PMH 2.0 repositories, list by list and page by page, or one saved response of a repository.

A list ends with an empty or no resumptionToken (section 3.5). What servers do besides: they want
metadataPrefix beside the token, as pycsw does; give a token twice; answer a token with an empty
page; let tokens expire; announce another number of records than they show. The attribute cursor
proves nothing: pycsw's is not a position.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option, date_range
from ckanext.ukharvest.core.records import Ending, Iteration, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.oaipmh import protocol
from ckanext.ukharvest.readers.oaipmh.protocol import Facts, RecordMaker, Refused, Wanted
from ckanext.ukharvest.readers.seen_records import SeenContents
from ckanext.ukharvest.readers.walk import (
    MOST_PROBLEMS,
    Pages,
    Place,
    Point,
    Walk,
    day_before,
    saved_ending,
)
from ckanext.ukharvest.readers.xml_document import ACCEPT

_RESTARTS = 2  # of one list, when its token has expired
OPTIONS = (
    Option(
        "metadata_prefix",
        "text",
        "",
        "Metadata format to request, by the server's name for it, such as dcat_ap, "
        "iso19139 or oai_dc. Leave empty to use the most detailed one: DCAT, else ISO "
        "19139, else Dublin Core.",
        label=_("Metadata format"),
    ),
    Option(
        "sets",
        "list",
        (),
        "Sets that are harvested, by their setSpec. Empty takes all records.",
        alias="set",
    ),
    *date_range(protocol.check_date),
    Option(
        "full_check_days",
        "integer",
        0,
        "Days after which a run reads all records; runs in between read only changes, if the "
        "server keeps a record of every deletion. 0 reads all each time.",
        label=_("Days between full runs"),
        form_help=_(
            "Days after which a run reads all records and finds deleted ones. Runs in between "
            "read only those with a new date. 0 reads all each time."
        ),
    ),
)


@dataclass(frozen=True)
class OaiPmh(Reader):
    """Reads a repository with ListRecords; a record's identity is that of its header."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not OAI-PMH, or a list that ends too early.
        """
        is_saved = "://" not in source.url
        return (yield from self._saved(source) if is_saved else Repository(source).records())

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records of one saved response."""
        maker = RecordMaker(source, url=source.url)
        count, facts = 0, Facts()
        problems: list[Problem] = []
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            elements = Iteration(protocol.read(reply, problems))
            try:
                for element in elements:
                    count += 1
                    yield maker.record(element, f"record {count}")
                facts = elements.result
            except Refused as exc:
                if "noRecordsMatch" not in exc.codes:
                    raise
        url = source.url
        if not facts.is_list:
            reason = Message(
                "{url} is an answer of GetRecord, which does not list other records", url=url
            )
            return Ending(complete=False, reason=reason, problems=tuple(problems))
        more = f"the next page has the resumptionToken {facts.token}" if facts.token else ""
        return saved_ending(url, "record", count, facts.total, more=more, problems=problems)


class Repository(Pages):
    """The lists of a repository: one for each set, or one of all records.

    A page's place is the number of its list and a token.
    """

    resumes = True
    barren = 2
    barren_doubt = "answered a resumptionToken with a page without new records"
    circle_doubt = "gave the same resumptionToken again"

    def __init__(self, source: Source) -> None:
        self._source = source
        self._base = protocol.endpoint(source.url)
        self.seen: SeenContents = SeenContents()
        self._with_all = False  # the server misses arguments beside a token
        self._date = ""
        self._problems: list[Problem] = []
        self._reasons: list[str] = []
        self._total = 0

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once.

        Raises:
            SourceError: no OAI-PMH repository, or one that ends too early.
        """
        options = self._source.options
        self._granularity, self._deleted = self._identify()
        prefix = options.get("metadata_prefix") or self._offered()
        self._maker = RecordMaker(self._source, self._base, prefix)
        wanted = Wanted(prefix, *self._span())
        start = Point.load(self._source.resume, int, str) or Point((0, ""))
        for number, name in enumerate(protocol.sets_of(options)):
            if number >= int(start.place[0]):
                beginning = Point((number, ""))
                point = start if number == start.place[0] else beginning
                self._wanted = replace(wanted, set=name)
                self.where = f"the set {name} of {self._base}" if name else self._base
                yield from self._list(point, beginning)
        return self._ending()

    def _identify(self) -> tuple[str, str]:
        """Ask for the granularity and the policy of deletion, if anything depends on them."""
        options = self._source.options
        names = ("from", "until", "full_check_days")
        if not self._source.since and not any(options.get(name) for name in names):
            return protocol.DAY, "no"
        try:
            with closing(self._request({"verb": "Identify"})) as reply:
                return protocol.identity(reply)
        except ProtocolError:
            return protocol.DAY, "no"

    def _offered(self) -> str:
        """Return the best format that the repository offers."""
        try:
            return protocol.best_format(self._formats())
        except (ProtocolError, BadStatus) as exc:  # ListRecords is the one that matters
            if isinstance(exc, BadStatus) and exc.status >= 500:
                raise
            return protocol.OAI_DC

    def _span(self) -> tuple[str, str]:
        """Return from and until at the server's granularity."""
        options, granularity = self._source.options, self._granularity
        begin = max(options.get("from", ""), self._since)
        return (
            protocol.as_granularity(begin, granularity),
            protocol.as_granularity(options.get("until", ""), granularity, is_end=True),
        )

    @property
    def _since(self) -> str:
        """Date of an earlier run: only a persistent policy reports every deletion since then."""
        return self._source.since if self._deleted == "persistent" else ""

    def _list(self, start: Point, beginning: Point) -> Iterator[RawRecord]:
        """Yield the records of one set, or of all; from the beginning when its token expired."""
        before = self._total

        def tell_total(total: int) -> None:
            self._total = before + total
            self._source.tell_total(self._total)

        for restart in range(_RESTARTS + 1):
            walk = Walk(self, tell_total)
            # Of all lists: no run resumes behind a repaired page.
            walk.problems = self._problems
            try:
                yield from walk.read(start)
                break
            except Refused as exc:
                exc.message = self._explained(exc)
                if "badResumptionToken" not in exc.codes:
                    raise
                # A token after the last record; without a number it may have expired before that.
                if walk.total >= 0 and not walk.reason(may_be_empty=True):
                    break
                if restart == _RESTARTS:
                    raise
            start = beginning
        if reason := walk.reason(may_be_empty=bool(self._since)):
            self._reasons.append(reason)

    def is_whole(self, total: int) -> bool:
        # Some servers announce the number without the deleted records.
        return total in (self.seen.count, self.seen.count - self.seen.deleted)

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        try:
            return (yield from self._page(point, walk))
        except Refused as exc:
            is_first = not point.place[1]
            if is_first or self._with_all or "badArgument" not in exc.codes:
                raise
        # With a token, a server that misses arguments is asked once more with all of them.
        self._with_all = True
        return (yield from self._page(point, walk))

    def _page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        number, token = point.place
        facts = Facts()
        try:
            query = self._wanted.query(str(token), with_all=self._with_all)
            with closing(self._request(query)) as reply:
                elements = Iteration(protocol.read(reply, walk.problems))
                for place, element in enumerate(elements, point.before + 1):
                    yield self._maker.record(element, f"record {place}")
                facts = elements.result
        except Refused as exc:
            if "noRecordsMatch" not in exc.codes:
                raise
        self._date = self._date or facts.date
        walk.note_total(facts.total)
        return (number, facts.token) if facts.token else None

    def _request(self, query: dict[str, str | int]) -> Reply:
        return protocol.ask(self._source.http, self._base, query)

    def _explained(self, exc: Refused) -> str:
        """Return the message of a refusal with what to do about it."""
        known: list[str] = []
        if exc.codes & {"cannotDisseminateFormat", "badArgument"}:
            with suppress(SourceError):  # the first error counts
                known = [name for name, _namespace in self._formats()]
        # pycsw calls an unknown format a bad argument.
        if known and self._wanted.prefix not in known:
            names = shorten(", ".join(known), 200)
            return Message(
                "{reason}; the option metadata_prefix names one of: {names}",
                reason=exc.message,
                names=names,
            )
        if "noSetHierarchy" in exc.codes:
            return Message(
                "{reason}; it has no sets, so the option sets has to be empty", reason=exc.message
            )
        return exc.message

    def _formats(self) -> list[tuple[str, str]]:
        with closing(self._request({"verb": "ListMetadataFormats"})) as reply:
            return protocol.formats(reply)

    def _ending(self) -> Ending:
        options = self._source.options
        span = [f"{name} {options[name]}" for name in ("from", "until") if options.get(name)]
        if span:
            asked = f"only records changed {' '.join(span)} were requested from {self._base}"
            self._reasons.append(f"{asked}, so that others do not count as missing")
        mark = day_before(self._date) if self._deleted == "persistent" else ""
        return Ending(
            complete=not self._reasons,
            reason="; ".join(self._reasons),
            changes_only=bool(self._since),
            mark=self._since if self._reasons else mark,
            problems=tuple(self._problems[:MOST_PROBLEMS]),
        )
