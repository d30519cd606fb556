"""CSW 2.0.2 catalogues (OGC 07-006r1), or one saved response of a catalogue."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, RecordError
from ckanext.ukharvest.core.options import Option, date_range
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.csw import filters
from ckanext.ukharvest.readers.csw.catalogue import Records
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
from ckanext.ukharvest.readers.walk import saved_ending
from ckanext.ukharvest.readers.xml_document import ACCEPT, XmlShape

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
        choices=("auto", "gmd", "iso19115-3", "geodcat-ap", "dcat"),
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
            message = (
                f"{raw.display_name}: {raw.url} answered without it; expected {self.shape.root}"
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
            reason = f"{url} is an answer of GetRecordById, which does not name other records"
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
