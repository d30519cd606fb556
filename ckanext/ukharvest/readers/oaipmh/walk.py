"""A repository's records list by list and page by page, and the proof that there are no others.

A list ends with an empty or no resumptionToken (section 3.5). What servers do besides: they want
metadataPrefix beside the token, as pycsw does; give a token twice; answer a token with an empty
page; let tokens expire; announce another number of records than they show. The attribute cursor
proves nothing: pycsw's is not a position.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.readers.oaipmh import request as requests
from ckanext.ukharvest.readers.oaipmh import response as responses
from ckanext.ukharvest.readers.oaipmh.records import Cutter
from ckanext.ukharvest.readers.oaipmh.request import Wanted
from ckanext.ukharvest.readers.oaipmh.response import Facts, Identity, Refused
from ckanext.ukharvest.readers.oaipmh.tally import Tally
from ckanext.ukharvest.readers.walk import (
    MAX_PAGES,
    MOST_PROBLEMS,
    describe_empty_list,
    endless_paging,
)

_RESTARTS = 2  # of one list, when its token has expired
# Of the spans of two runs: servers date a change and show it later.
_OVERLAP = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Point:
    """The place in a read: number of the list, token of the page, records before it."""

    list: int = 0
    token: str = ""
    before: int = 0

    @classmethod
    def load(cls, text: str) -> Point:
        """Return a stored resume point; the beginning for another's."""
        try:
            number, token, before = json.loads(text)
            return cls(int(number), str(token), int(before))
        except (TypeError, ValueError):
            return cls()

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps([self.list, self.token, self.before])


class Walk:
    """One read of a repository."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._base = requests.endpoint(source.url)
        self._tally = Tally()
        self._doubts: list[str] = []
        self._problems: list[Problem] = []
        self._date = ""
        self._asked = 0
        self._totals = 0
        self._with_all = False

    def records(self) -> Generator[RawRecord, None, Ending]:
        """Yield every record once.

        Raises:
            SourceError: no OAI-PMH repository, or one that ends too early.
        """
        options = self._source.options
        self._identity = self._identify()
        prefix = options.get("metadata_prefix") or self._offered()
        self._wanted = Wanted(prefix, *self._span())
        self._cutter = Cutter(self._source.http, self._base, prefix)
        point = Point.load(self._source.resume)
        for number, name in enumerate(requests.sets_of(options)):
            if number >= point.list:
                start = point if number == point.list else Point()
                yield from self._list(replace(start, list=number), name)
        return self._ending()

    def _identify(self) -> Identity:
        """Ask for the granularity and the policy of deletion, if anything depends on them."""
        options = self._source.options
        names = ("from", "until", "full_check_days")
        if not self._source.since and not any(options.get(each) for each in names):
            return Identity()
        try:
            with closing(self._ask({"verb": "Identify"})) as reply:
                return responses.identity(reply)
        except ProtocolError:
            return Identity()

    def _offered(self) -> str:
        """Return the best format that the repository offers."""
        try:
            with closing(self._ask({"verb": "ListMetadataFormats"})) as reply:
                return requests.best_format(responses.formats(reply))
        except ProtocolError:  # ListRecords is the one that matters
            return requests.OAI_DC
        except BadStatus as exc:
            if exc.status >= 500:
                raise
            return requests.OAI_DC

    def _span(self) -> tuple[str, str]:
        """Return from and until at the server's granularity."""
        options, granularity = self._source.options, self._identity.granularity
        begin = max(options.get("from", ""), self._since)
        return (
            requests.as_granularity(begin, granularity),
            requests.as_granularity(options.get("until", ""), granularity, is_end=True),
        )

    @property
    def _since(self) -> str:
        """Date of an earlier run: only a persistent policy reports every deletion since then."""
        return self._source.since if self._identity.deleted == "persistent" else ""

    def _list(self, start: Point, name: str) -> Iterator[RawRecord]:
        """Yield the records of one set, or of all; from the beginning when its token expired."""
        wanted = replace(self._wanted, set=name)
        told = self._totals
        for restart in range(_RESTARTS + 1):
            self._tally.begin(start.before)
            self._totals = told
            try:
                yield from self._pass(start, wanted)
                break
            except Refused as exc:
                exc.message = self._explained(exc)
                if "badResumptionToken" not in exc.codes:
                    raise
                # A token after the last record; without a number it may have expired before that.
                if self._tally.total >= 0 and self._tally.is_proven:
                    break
                if restart == _RESTARTS:
                    raise
            start = Point(start.list)
        self._note_doubt(name)

    def _pass(self, point: Point, wanted: Wanted) -> Iterator[RawRecord]:
        used: set[str] = set()
        barren = 0
        while True:
            before = self._tally.current
            facts = yield from self._page(point, wanted)
            barren = 0 if self._tally.current > before else barren + 1
            if not facts.token:
                return
            if facts.token in used:
                self._tally.doubt = "gave the same resumptionToken again"
                return
            if barren > 1:
                self._tally.doubt = "gave two pages in a row with no new record"
                return
            used.add(facts.token)
            point = Point(point.list, facts.token, self._tally.current)

    def _page(self, point: Point, wanted: Wanted) -> Generator[RawRecord, None, Facts]:
        """Yield the new records of a page.

        With a token, a server that misses arguments is asked once more with all of them.
        """
        try:
            return (yield from self._read(point, wanted))
        except Refused as exc:
            if not point.token or self._with_all or "badArgument" not in exc.codes:
                raise
        self._with_all = True
        return (yield from self._read(point, wanted))

    def _read(self, point: Point, wanted: Wanted) -> Generator[RawRecord, None, Facts]:
        query = wanted.query(point.token, with_all=self._with_all)
        held: RawRecord | None = None
        facts = Facts()
        try:
            with closing(self._ask(query)) as reply:
                elements = responses.read(reply, self._problems)
                number = point.before
                while True:
                    try:
                        element = next(elements)
                    except StopIteration as stop:
                        facts = stop.value
                        break
                    number += 1
                    raw = self._cutter.record(element, f"record {number}")
                    if self._tally.is_new(raw):
                        if held is not None:
                            yield held
                        held = raw
        except Refused as exc:
            if "noRecordsMatch" not in exc.codes:
                raise
        self._note(facts, point, is_empty=self._tally.current == point.before)
        if held is not None:
            # The next page is known only now: a killed run continues there.
            after = Point(point.list, facts.token, self._tally.current)
            # A run that goes on there must know that a page was repaired: that page is read again.
            if facts.token and not self._problems:
                held = replace(held, resume=after.dump())
            yield held
        return facts

    def _note(self, facts: Facts, point: Point, *, is_empty: bool) -> None:
        self._date = self._date or facts.date
        if is_empty and point.token:
            self._tally.doubt = "answered a resumptionToken with a page without new records"
        if facts.total >= 0 and self._tally.note_total(facts.total):
            self._totals += facts.total
            self._source.tell_total(self._totals)

    def _ask(self, query: dict[str, str | int]) -> Reply:
        self._asked += 1
        if self._asked > MAX_PAGES:
            raise endless_paging(self._base, MAX_PAGES)
        return responses.ask(self._source.http, self._base, query)

    def _explained(self, exc: Refused) -> str:
        """Return the message of a refusal with what to do about it."""
        known = self._prefixes() if exc.codes & {"cannotDisseminateFormat", "badArgument"} else []
        # pycsw calls an unknown format a bad argument.
        if known and self._wanted.prefix not in known:
            names = shorten(", ".join(known), 200)
            return f"{exc.message}; the option metadata_prefix names one of: {names}"
        if "noSetHierarchy" in exc.codes:
            return f"{exc.message}; it has no sets, so the option sets has to be empty"
        return exc.message

    def _prefixes(self) -> list[str]:
        try:
            with closing(self._ask({"verb": "ListMetadataFormats"})) as reply:
                return [each.prefix for each in responses.formats(reply)]
        except SourceError:  # the first error counts
            return []

    def _note_doubt(self, name: str) -> None:
        """Add the reason why a list may lack records, if there is one."""
        tally = self._tally
        where = f"the set {name} of {self._base}" if name else self._base
        if not tally.current and not self._since:
            self._doubts.append(describe_empty_list(where, total=tally.total))
        elif tally.is_proven:
            return
        elif tally.has_changed:
            self._doubts.append(f"the number of records of {where} changed while they were read")
        elif tally.total >= 0:
            total = counted(tally.total, "record")
            self._doubts.append(f"{where} announces {total} and shows {tally.current:,}")
        elif tally.doubt:
            self._doubts.append(f"{where} {tally.doubt}, after {counted(tally.current, 'record')}")

    def _ending(self) -> Ending:
        options = self._source.options
        span = [f"{each} {options[each]}" for each in ("from", "until") if options.get(each)]
        if span:
            found = f"only records changed {' '.join(span)} were requested from {self._base}"
            self._doubts.append(f"{found}, so that others do not count as missing")
        ending = Ending(
            complete=not self._doubts,
            changes_only=bool(self._since),
            problems=tuple(self._problems[:MOST_PROBLEMS]),
        )
        if self._doubts:
            return replace(ending, reason="; ".join(self._doubts), mark=self._since)
        return replace(ending, mark=self._mark())

    def _mark(self) -> str:
        """Return the first day of the next run's changes; "" if all has to be read."""
        if self._identity.deleted != "persistent":
            return ""
        try:
            return (date.fromisoformat(self._date[:10]) - _OVERLAP).isoformat()
        except (ValueError, OverflowError):
            return ""
