"""A publisher of RDF and a client that reads it."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from tests.publisher import Publisher


class Site:
    """A publisher and a client that reads it."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.http = http

    def serve(self, path: str, body: str | bytes, media_type: str = "", **headers: str) -> None:
        named = {"Content-Type": media_type} if media_type else {}
        text = body.replace("BASE", self.publisher.base) if isinstance(body, str) else body
        self.publisher.serve(path, text, headers={**named, **headers})

    def read(self, path: str = "/d", **options: Any) -> tuple[list[RawRecord], Ending]:
        reading = Reading(
            unique(RdfReader().records(Source(self.publisher.url(path), options, self.http)))
        )
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    def refusal(self, body: str | bytes, media_type: str = "") -> ProtocolError:
        self.serve("/d", body, media_type)
        with pytest.raises(ProtocolError) as caught:
            self.read()
        assert self.publisher.base in caught.value.message
        return caught.value
