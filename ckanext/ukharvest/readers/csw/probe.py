"""Find a way to request records that a CSW accepts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ckanext.ukharvest.core.errors import (
    BadStatus,
    FetchError,
    ProtocolError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.readers.csw import capabilities
from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.names import SCHEMAS
from ckanext.ukharvest.readers.csw.response import Fault, Refused, may_be_one_record, rank
from ckanext.ukharvest.readers.csw.send import sender
from ckanext.ukharvest.readers.csw.server import Page, Server
from ckanext.ukharvest.readers.csw.ways import (
    METHODS,
    SOAP_11,
    SOAP_12,
    Binding,
    Way,
    allows,
    ways_by,
)

# Of what a server refuses: the schema, or the type of record that is asked for.
_OF_SCHEMA = re.compile(r"schema|type_?name", re.IGNORECASE)
_NOT_THIS_WAY = (BadStatus, ProtocolError, TooLarge)


class Probe:
    """The search for a way that works with a server."""

    def __init__(self, server: Server, start: int) -> None:
        self._server = server
        self._start = start
        self._faults: list[SourceError] = []
        self._broken: Counter[Binding] = Counter()
        self._empty: tuple[Way, Page] | None = None

    def first_page(self) -> Page:
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
            further = [each for each in self._further() if allows(server.method, each)]
            if page := self._try(ways_by(further, server.known, server.schema)):
                return page
        if self._empty is None:
            raise min(self._faults, key=rank)
        server.way, page = self._empty
        return page

    def _try(self, ways: Iterable[Way]) -> Page | None:
        server = self._server
        for way in ways:
            # If sorting may be what fails, it is not tried with other names.
            if self._broken[way.binding] > (0 if way.is_sorted else 1):
                continue
            server.way = way
            try:
                page = self._page()
            except _NOT_THIS_WAY as exc:
                self._note(way, exc)
                continue
            except FetchError as exc:
                if not way.url:
                    raise
                self._note(way, exc)
                continue
            if page.answer.records or server.wanted.since or self._start > 1:
                return page
            # A server may know a type of record by name and have none of it.
            self._empty = self._empty or (way, page)
        return None

    def _note(self, way: Way, exc: SourceError) -> None:
        self._faults.append(exc)
        if _needs_envelope(way, exc) or not isinstance(exc, Refused):
            is_one = may_be_one_record(exc) and not isinstance(exc, Fault)
            self._broken[way.binding] += 1 if is_one else 2

    def _page(self) -> Page:
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
            isinstance(each, Refused) and _OF_SCHEMA.search(each.message) for each in self._faults
        )
        if server.schema != "auto" or server.known or self._empty or not is_refused:
            return []
        operation = requests.get_capabilities()
        for binding in (Binding(each) for each in METHODS[server.method]):
            send = sender(server.http, server.base, binding, operation)
            try:
                offered = capabilities.output_schemas(send, server.base)
            except SourceError:
                continue
            if SCHEMAS["gmd"] in offered:
                return []
            bindings = [Binding(each) for each in METHODS[server.method]]
            wanted = [schema for schema, uri in SCHEMAS.items() if uri in offered]
            return [way for schema in wanted for way in ways_by(bindings, "", schema)]
        return []

    def _further(self) -> list[Binding]:
        """Return bindings that were not tried."""
        refusals = [each for each in self._faults if isinstance(each, Refused)]
        faults = [each for each in refusals if isinstance(each, Fault)]
        if any("InvalidParameterValue" in each.codes for each in refusals):
            return []  # the server reads our requests, and refuses what they ask for
        if all(isinstance(each, BadStatus) and each.status >= 500 for each in self._faults):
            return []  # the server does not work
        tried = {way.binding for way in self._server.ways}
        found = self._declared()
        if faults or not (found or refusals):
            found += [Binding(each) for each in (SOAP_12, SOAP_11)]
        spoken = [each.method for each in faults]
        found.sort(key=lambda each: each.method not in spoken)
        return [each for each in dict.fromkeys(found) if each not in tried]

    def _declared(self) -> list[Binding]:
        server, operation = self._server, requests.get_capabilities()
        for binding in (Binding("GET"), Binding("POST")):
            send = sender(server.http, server.base, binding, operation)
            try:
                return capabilities.request_bindings(send, server.base)
            except SourceError:
                continue
        return []


def _needs_envelope(way: Way, exc: SourceError) -> bool:
    """Tell whether a server answers a plain request with a SOAP fault: no other will do."""
    return isinstance(exc, Fault) and not way.binding.is_soap
