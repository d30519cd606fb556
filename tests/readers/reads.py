"""Reads of a publisher as a run makes them, with its options and sync state."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests.publisher import Publisher


class Server(Protocol):
    """A server of ``tests.publishing``."""

    def serve(self, publisher: Publisher) -> str:
        """Answer the requests to a publisher; return the source's URL."""


class Reads:
    """Reads publishers of a source type; ``usual`` are options of every read.

    Attributes:
        totals: the numbers of records that were announced.
    """

    def __init__(
        self, kind: SourceType, publisher: Publisher, http: HttpClient, **usual: Any
    ) -> None:
        self._kind = kind
        self._usual = usual
        self.publisher = publisher
        self.http = http
        self.totals: list[int] = []

    def source(self, server: Server, given: dict[str, Any], **memory: Any) -> Source:
        """Serve, and return the source.

        Args:
            memory: as in Source; ``url`` or ``path`` if the source names another one.
        """
        url = server.serve(self.publisher)
        url = self.publisher.url(memory.pop("path")) if "path" in memory else url
        return self.http_source(memory.pop("url", url), given, **memory)

    def http_source(self, url: str, given: dict[str, Any], **memory: Any) -> Source:
        chosen = options.validate(given, (*self._kind.options, *COMMON_OPTIONS))
        memory.setdefault("tell_total", self.totals.append)
        return Source(url, chosen, memory.pop("client", self.http), **memory)

    def __call__(
        self, server: Server, given: dict[str, Any] | None = None, **memory: Any
    ) -> tuple[list[RawRecord], Ending]:
        source = self.source(server, {**self._usual, **(given or {})}, **memory)
        reading = Reading(unique(self._kind.reader.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    def refused(self, server: Server, interface: str = "", **given: Any) -> SourceError:
        with pytest.raises(SourceError) as caught:
            self(server, given, interface=interface)
        return caught.value


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def errors(found: list[RawRecord]) -> list[str]:
    return [raw.error.message for raw in found if raw.error]
