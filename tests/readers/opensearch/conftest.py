"""Fixtures of the tests of OpenSearch."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from tests.publisher import Publisher
from tests.readers.opensearch.service import Reads


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(publisher, http)
