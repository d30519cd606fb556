"""Fixtures of the readers' tests."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from tests.publisher import Publisher
from tests.readers.reads import Reads
from tests.readers.waf.waf_site import Folder


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(GEMINI_CSW, publisher, http, page_size=4)


@pytest.fixture
def folder(publisher: Publisher, http: HttpClient) -> Folder:
    return Folder(publisher, http)
