"""Catalogues that speak CSW 2.0.2 (OGC 07-006r1), or one saved answer of them."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import ProtocolError, RecordError
from ckanext.ukharvest.core.http import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.text import clean_text
from ckanext.ukharvest.readers import csw_request as requests
from ckanext.ukharvest.readers.csw_answer import Answer, ask, read
from ckanext.ukharvest.readers.csw_records import Cutter
from ckanext.ukharvest.readers.csw_walk import Walk
from ckanext.ukharvest.readers.xml_records import ACCEPT, XmlShape

OPTIONS = (
    Option(
        "types",
        "list",
        (),
        "Kinds of record that are harvested, such as dataset, series, service,"
        " nonGeographicDataset; empty takes all.",
    ),
    Option(
        "cql",
        "text",
        "",
        "A further condition in CQL with the server's own names, such as"
        " apiso:Subject = 'Hydrography'.",
        check=lambda cql: "" if cql == clean_text(cql) else "expected text without control codes",
    ),
    Option("page_size", "integer", 50, "How many records are asked for at a time.", minimum=1),
    Option(
        "method",
        "text",
        "auto",
        "How the server is asked; auto: by POST, and by GET where it takes no POST.",
        choices=("auto", "post", "get"),
    ),
    Option(
        "full_check_days",
        "integer",
        # The date is the publisher's, not the catalogue's: a record that was changed, or put into
        # the catalogue, under an old date is no change to it.
        0,
        "Days after which a run reads all records; between, runs ask for those with a new metadata"
        " date alone, which finds neither what is gone nor what has an old date. 0 reads all each"
        " time.",
    ),
    Option(
        "modified_format",
        "text",
        "YYYY-MM-DD",
        "How the server wants the day since which it is asked for changes.",
        choices=tuple(requests.DATE_FORMATS),
    ),
)


@dataclass(frozen=True)
class Csw:
    """Reads a catalogue; whole records where it gives them, else each by its identifier.

    A whole record's identity is its own (gmd:fileIdentifier); only where the catalogue lists
    nothing but identifiers, it is the catalogue's.
    """

    shape: XmlShape

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options ask for; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, no CSW, or one that breaks off in the middle.
        """
        if "://" not in source.url:
            return (yield from self._saved(source))
        return (yield from Walk(source, self.shape).records())

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return a listed record with its content, asked for by GetRecordById.

        Raises:
            FetchError: no usable answer.
            RecordError: the server refuses it, or answers without it.
        """
        if raw.content is not None:
            return raw

        def send(*, allow_status: Collection[int]) -> Reply:
            if source.options.get("method") != "post" or raw.url == source.url:
                return source.http.get(raw.url, accept=ACCEPT, allow_status=allow_status)
            return source.http.post(
                requests.endpoint(source.url),
                body=requests.record_body(raw.guid),
                content_type="application/xml",
                accept=ACCEPT,
                allow_status=allow_status,
                idempotent=True,
            )

        try:
            answer = ask(send, "GetRecordById")
        except ProtocolError as exc:
            raise RecordError(exc.message, code="not-shown", url=raw.url) from exc
        content = Cutter(self.shape).content(answer)
        if content is None:
            message = f"{raw.called}: {raw.url} answered without it; expected {self.shape.root}"
            raise RecordError(message, code="not-shown", url=raw.url)
        return replace(raw, content=content)

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield what one answer holds."""
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            answer = read(reply, "GetRecords")
        records = Cutter(self.shape, url=source.url).records(answer)
        yield from records
        reason = _doubt(answer, records, source.url)
        return Ending(complete=not reason, reason=reason)


def _doubt(answer: Answer, records: list[RawRecord], url: str) -> str:
    """Why a saved answer does not prove that there are no other records, "" if it does."""
    if not answer.is_list:
        return f"{url} is an answer of GetRecordById, which does not tell of other records"
    if len(records) == answer.matched:
        return "" if records else f"{url} has no records; an empty list does not prove an end"
    told = "an unknown number of" if answer.matched < 0 else f"{answer.matched:,}"
    more = f"; the next page begins at {answer.following:,}" if answer.following > 0 else ""
    return f"{url} holds {len(records):,} of {told} records{more}"
