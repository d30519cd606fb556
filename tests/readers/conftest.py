"""Fixtures of the readers' tests."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from tests.publisher import Publisher
from tests.readers.csw.reads import Reads
from tests.readers.waf.waf_site import Folder


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(publisher, http)


@pytest.fixture
def folder(publisher: Publisher, http: HttpClient) -> Folder:
    return Folder(publisher, http)
