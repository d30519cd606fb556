"""Fixtures of the tests of SPARQL endpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.source_types.lists import SPARQL
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS
from tests.publisher import Publisher
from tests.publishing.sparql import Endpoint

Read = Callable[..., tuple[list[RawRecord], Ending]]


@pytest.fixture
def read(publisher: Publisher, http: HttpClient) -> Read:
    """Reads an endpoint with options; ``resume`` as in Source."""

    def run(
        endpoint: Endpoint,
        given: dict[str, Any] | None = None,
        *,
        resume: str = "",
        path: str = "/sparql",
        client: HttpClient = http,
    ) -> tuple[list[RawRecord], Ending]:
        endpoint.serve(publisher)
        chosen = options.validate(given or {}, (*SPARQL.options, *COMMON_OPTIONS))
        source = Source(publisher.url(path), chosen, client, resume=resume)
        reading = Reading(SPARQL.reader.records(source))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    return run
