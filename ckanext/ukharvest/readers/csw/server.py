"""A CSW as one read asks it: by which way, for which records, how many at a time."""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.errors import ProtocolError, SourceError
from ckanext.ukharvest.core.records import Problem, Source
from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.filters import Wanted
from ckanext.ukharvest.readers.csw.response import Answer, ask
from ckanext.ukharvest.readers.csw.send import sender
from ckanext.ukharvest.readers.csw.ways import Way, ways
from ckanext.ukharvest.readers.walk import MAX_PAGES, endless_paging


@dataclass(frozen=True, slots=True)
class Page:
    """One response of GetRecords, and its start position in the catalogue."""

    start: int
    answer: Answer

    @property
    def behind(self) -> int:
        """Return the start of the next page, 0 if there is none."""
        answer, count = self.answer, len(self.answer.records)
        behind = self.start + count if count else max(answer.following, 0)
        if behind <= self.start or (answer.matched < 0 and answer.following == 0):
            return 0
        return behind if answer.matched < 0 or behind <= answer.matched else 0

    @property
    def is_doubtful(self) -> bool:
        """Whether only our own count, not the server, implies a next page."""
        unknown = self.answer.matched < 0 and self.answer.following < 0
        return self.behind > 0 and (unknown or self.answer.following == 0)


class Server:
    """Sends GetRecords.

    Attributes:
        base: the source's own URL, without parameters of requests.
        method, schema: the options.
        way: how requests are sent.
        wanted: which records are requested.
        most, size: the largest and the present number of records per page.
        problems: of answers that were repaired.
    """

    def __init__(self, source: Source) -> None:
        options = source.options
        self.base = requests.endpoint(source.url)
        self.method: str = options.get("method", "auto")
        self.known = source.interface
        self.schema: str = options.get("schema", "auto")
        self.ways = ways(self.method, self.known, self.schema)
        self.way: Way = self.ways[0]
        self.wanted = Wanted.from_options(options, source.since)
        self.most: int = options.get("page_size", 50)
        self.size = self.most
        self.http = source.http
        self.problems: list[Problem] = []
        self._asked = 0

    def page(self, start: int, size: int = 0, *, patient: bool = True) -> Page:
        """Return the page that begins at a position.

        Args:
            size: number of records, 0 for the present one.
            patient: whether a failed request is retried after a while.

        Raises:
            SourceError: refused, no usable answer, or too many pages.
        """
        self._asked += 1
        if self._asked > MAX_PAGES:
            raise endless_paging(self.base, MAX_PAGES)
        answer = self._ask(start, size or self.size, "results", patient=patient)
        if not answer.is_list:
            message = f"{self.base} answered GetRecords as if it were GetRecordById"
            raise ProtocolError(message, code="wrong-root", url=self.base)
        return Page(start, answer)

    def count(self) -> int:
        """Return the number of records that the server states if asked for it alone; -1 if none."""
        try:
            return self._ask(1, 1, "hits", patient=False).matched
        except SourceError:
            return -1

    def _ask(self, start: int, size: int, result: str, *, patient: bool) -> Answer:
        operation = requests.get_records(
            self.way, self.wanted, start=start, size=size, result=result
        )
        send = sender(self.http, self.base, self.way.binding, operation)
        answer = ask(send, operation.name, patient=patient)
        self.problems += answer.problems
        return answer
