"""Fixtures of the tests of OAI-PMH."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types.lists import OAIPMH
from tests.publisher import Publisher
from tests.readers.reads import Reads


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(OAIPMH, publisher, http)
