"""Reads of catalogues as a run makes them, with its options and sync state."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.source_types import COMMON_OPTIONS, GEMINI_CSW
from tests.publisher import Publisher
from tests.readers.csw.catalogue import Catalogue, gmd

BEST = "POST gmd:MD_Metadata sorted by apiso:Identifier full"


def many(count: int) -> list[str]:
    return [gmd(f"r{number:03}") for number in range(1, count + 1)]


class Reads:
    """Reads catalogues with the given options and sync state."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self._publisher = publisher
        self.http = http

    def source(self, catalogue: Catalogue, given: dict[str, Any], **memory: Any) -> Source:
        url = catalogue.serve(self._publisher)
        return self.http_source(memory.pop("url", url), given, **memory)

    def http_source(self, url: str, given: dict[str, Any], **memory: Any) -> Source:
        chosen = options.validate(given, (*GEMINI_CSW.options, *COMMON_OPTIONS))
        return Source(url, chosen, self.http, **memory)

    def __call__(
        self, catalogue: Catalogue, given: dict[str, Any] | None = None, **memory: Any
    ) -> tuple[list[RawRecord], Ending]:
        source = self.source(catalogue, {"page_size": 4, **(given or {})}, **memory)
        reading = Reading(unique(GEMINI_CSW.reader.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    def refused(self, catalogue: Catalogue, interface: str = "", **given: Any) -> SourceError:
        with pytest.raises(SourceError) as caught:
            self(catalogue, given, interface=interface)
        return caught.value


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def errors(found: list[RawRecord]) -> list[str]:
    return [raw.error.message for raw in found if raw.error]
