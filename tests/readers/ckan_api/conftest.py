"""A CKAN site to read."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.ckan_api import reader as ckan
from tests.publisher import Publisher
from tests.readers.ckan_api.sites import Read, Site


@pytest.fixture
def read(publisher: Publisher, http: HttpClient) -> Read:
    def read_site(
        path: str = "", *, since: str = "", resume: str = "", **given: Any
    ) -> tuple[list[RawRecord], Ending]:
        found = options.validate({"rows": 4, **given}, ckan.OPTIONS)
        source = Source(publisher.url(path), found, http, since=since, resume=resume)
        reading = Reading(ckan.CkanSite().records(source))
        records = list(reading)
        assert reading.ending is not None
        return records, reading.ending

    return read_site


@pytest.fixture
def site(publisher: Publisher) -> Site:
    publisher.routes = routes = Site(10)
    return routes
