"""Fixtures of the tests of OpenSearch."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types.lists import OPENSEARCH
from tests.publisher import Publisher
from tests.readers.reads import Reads


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(OPENSEARCH, publisher, http)
