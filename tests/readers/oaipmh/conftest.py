"""Fixtures of the tests of OAI-PMH."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from tests.publisher import Publisher
from tests.readers.oaipmh.repository import Reads


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(publisher, http)
