"""A CSW as one read asks it: by which way, for which records, how many at a time.

The source's own URL comes first. Only if it accepts no request, the server's capabilities are
requested, for the bindings of GetRecords that they declare (OGC 05-008, section 7.4.5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from urllib.parse import urljoin

from lxml import etree

from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    FetchError,
    ProtocolError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.core.http.urls import normalise
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml.parser import local_name
from ckanext.ukharvest.readers.csw.filters import SCHEMAS, Wanted
from ckanext.ukharvest.readers.csw.request import (
    METHODS,
    SOAP_11,
    SOAP_12,
    Binding,
    Way,
    allows,
    endpoint,
    get_capabilities,
    get_records,
    sender,
    ways,
    ways_by,
)
from ckanext.ukharvest.readers.csw.response import (
    Answer,
    Fault,
    Refused,
    ask,
    may_be_one_record,
    rank,
    read_root,
)

# Of what a server refuses: the schema, or the type of record that is asked for.
_OF_SCHEMA = re.compile(r"schema|type_?name", re.IGNORECASE)
_NOT_THIS_WAY = (BadStatus, ProtocolError, TooLarge)
_HREF = "{http://www.w3.org/1999/xlink}href"


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
        self.base = endpoint(source.url)
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

    def page(self, start: int, size: int = 0, *, patient: bool = True) -> Answer:
        """Return the page that begins at a position.

        Args:
            size: number of records, 0 for the present one.
            patient: whether a failed request is retried after a while.

        Raises:
            SourceError: refused, or no usable answer.
        """
        answer = self._ask(start, size or self.size, "results", patient=patient)
        if not answer.is_list:
            message = Message(
                "{base} answered GetRecords as if it were GetRecordById", base=self.base
            )
            raise ProtocolError(message, code="wrong-root", url=self.base)
        return replace(answer, start=start)

    def count(self) -> int:
        """Return the number of records that the server states if asked for it alone; -1 if none."""
        try:
            return self._ask(1, 1, "hits", patient=False).matched
        except SourceError:
            return -1

    def _ask(self, start: int, size: int, result: str, *, patient: bool) -> Answer:
        operation = get_records(self.way, self.wanted, start=start, size=size, result=result)
        send = sender(self.http, self.base, self.way.binding, operation)
        answer = ask(send, operation.name, patient=patient)
        self.problems += answer.problems
        return answer


class Probe:
    """The search for a way that works with a server."""

    def __init__(self, server: Server, start: int) -> None:
        self._server = server
        self._start = start
        self._faults: list[SourceError] = []
        self._broken: Counter[Binding] = Counter()
        self._empty: tuple[Way, Answer] | None = None

    def first_page(self) -> Answer:
        """Return the first page; the server keeps the way that it came by.

        The source's own URL comes first. Only if it accepts no request, the server's capabilities
        are requested, for other URLs and for SOAP.

        Raises:
            SourceError: there is no way, or no connection.
        """
        server = self._server
        page = self._try(server.ways)
        if page is None or not server.way.is_full:
            way = server.way
            if other := self._try(self._without_gmd()):
                return other
            server.way = way
        if page:
            return page
        if self._empty is None:
            page = self._try(ways_by(self._further(), server.known, server.schema))
        if page:
            return page
        if self._empty is None:
            raise min(self._faults, key=rank)
        server.way, page = self._empty
        return page

    def _try(self, ways: Iterable[Way]) -> Answer | None:
        server = self._server
        for way in ways:
            # If sorting may be what fails, it is not tried with other names.
            if self._broken[way.binding] > (0 if way.is_sorted else 1):
                continue
            server.way = way
            try:
                page = self._page()
            except (*_NOT_THIS_WAY, FetchError) as exc:
                if not (way.url or isinstance(exc, _NOT_THIS_WAY)):
                    raise
                self._faults.append(exc)
                if _needs_envelope(way, exc) or not isinstance(exc, Refused):
                    is_one = may_be_one_record(exc) and not isinstance(exc, Fault)
                    self._broken[way.binding] += 1 if is_one else 2
                continue
            if page.records or server.wanted.since or self._start > 1:
                return page
            # A server may know a type of record by name and have none of it.
            self._empty = self._empty or (way, page)
        return None

    def _page(self) -> Answer:
        server = self._server
        if server.wanted.since:
            try:
                return server.page(self._start)
            except _NOT_THIS_WAY:
                # A server that cannot filter by change date can still list everything.
                server.wanted = replace(server.wanted, since="")
        try:
            return server.page(self._start)
        except _NOT_THIS_WAY as exc:
            is_one = may_be_one_record(exc) and not _needs_envelope(server.way, exc)
            if server.size == 1 or not is_one:
                raise
            try:
                page = server.page(self._start, 1, patient=False)
            except SourceError:
                raise exc from None
            server.size = 1
            return page

    def _without_gmd(self) -> list[Way]:
        """Return ways to other schemas, of a new source whose server says that it has no gmd."""
        server = self._server
        is_refused = any(
            isinstance(fault, Refused) and _OF_SCHEMA.search(fault.message)
            for fault in self._faults
        )
        if server.schema != "auto" or server.known or self._empty or not is_refused:
            return []
        bindings = [Binding(method) for method in METHODS[server.method]]
        offered = output_schemas(self._capabilities(METHODS[server.method]))
        if SCHEMAS["gmd"] in offered:
            return []
        schemas = [schema for schema, uri in SCHEMAS.items() if uri in offered]
        return [way for schema in schemas for way in ways_by(bindings, "", schema)]

    def _further(self) -> list[Binding]:
        """Return bindings that were not tried."""
        refusals = [fault for fault in self._faults if isinstance(fault, Refused)]
        of_soap = [fault.method for fault in refusals if isinstance(fault, Fault)]
        if any("InvalidParameterValue" in refusal.codes for refusal in refusals):
            return []  # the server reads our requests, and refuses what they ask for
        if all(isinstance(fault, BadStatus) and fault.status >= 500 for fault in self._faults):
            return []  # the server does not work
        root = self._capabilities(("GET", "POST"))
        bindings = list(request_bindings(root, self._server.base))
        if of_soap or not (bindings or refusals):
            bindings += [Binding(SOAP_12), Binding(SOAP_11)]
        bindings.sort(key=lambda binding: binding.method not in of_soap)
        tried = {way.binding for way in self._server.ways}
        return [
            binding
            for binding in dict.fromkeys(bindings)
            if binding not in tried and allows(self._server.method, binding)
        ]

    def _capabilities(self, methods: Iterable[str]) -> etree._Element:
        """Return the capabilities by the first method that gives them, else empty ones."""
        server = self._server
        for method in methods:
            send = sender(server.http, server.base, Binding(method), get_capabilities())
            with suppress(SourceError), closing(send(allow_status=())) as reply:
                root = read_root(reply, "GetCapabilities")
                if local_name(root) == "Capabilities":
                    return root
        return etree.Element("Capabilities")


def _needs_envelope(way: Way, exc: SourceError) -> bool:
    """Tell whether a server answers a plain request with a SOAP fault: no other will do."""
    return isinstance(exc, Fault) and not way.binding.is_soap


def output_schemas(capabilities: etree._Element) -> set[str]:
    """Return the schemas of records that a server declares for GetRecords."""
    path = "{*}OperationsMetadata/{*}Operation[@name='GetRecords']/{*}Parameter"
    return {
        clean_text(value.text)
        for parameter in capabilities.iterfind(path)
        if (parameter.get("name") or "").lower() == "outputschema"
        for value in parameter.iterfind(".//{*}Value")
    }


def request_bindings(capabilities: etree._Element, base: str) -> Iterator[Binding]:
    """Yield the bindings of GetRecords that a server declares, in its order.

    Args:
        base: the source's own URL.
    """
    for operation in capabilities.iterfind(
        "{*}OperationsMetadata/{*}Operation[@name='GetRecords']"
    ):
        for element in operation.iterfind("{*}DCP/{*}HTTP/*"):
            url = _url(element, base)
            if url is None:
                continue
            if local_name(element) == "Get":
                yield Binding("GET", url)
            elif local_name(element) == "Post":
                yield from (Binding(method, url) for method in _methods(element))


def _methods(post: etree._Element) -> Iterator[str]:
    """Yield how a URL for POST is used: its own PostEncoding, else the operation's or server's."""
    for element in (post, *post.iterancestors()):
        values = element.iterfind("{*}Constraint[@name='PostEncoding']//{*}Value")
        if encodings := {clean_text(value.text).upper() for value in values}:
            break
    else:
        encodings = {"XML"}
    if "XML" in encodings:
        yield "POST"
    if "SOAP" in encodings:
        yield from (SOAP_12, SOAP_11)


def _url(element: etree._Element, base: str) -> str | None:
    """Return a declared URL, "" for the source's own, None if it cannot be used."""
    try:
        url = endpoint(normalise(urljoin(base, clean_text(element.get(_HREF)))))
        if url == endpoint(normalise(base)):
            return ""
    except (Blocked, ValueError):
        return None
    is_downgrade = base.startswith("https:") and not url.startswith("https:")
    return None if is_downgrade else url
