"""Records of a real pycsw, read by OAI-PMH in each of its formats."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lxml import etree

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.source_types.lists import OAIPMH
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS
from tests import gemini_catalogue
from tests.ckan.servers import pycsw
from tests.conftest import LOOPBACK

pytestmark = pytest.mark.in_process

COUNT = 250  # three pages of pycsw
MADE = gemini_catalogue.records(COUNT)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a pycsw that its own load command has filled."""
    folder = tmp_path_factory.mktemp("records")
    gemini_catalogue.write(MADE, folder)
    with pycsw.serve(folder, tmp_path_factory.mktemp("pycsw") / "records.db") as server:
        assert server.held == COUNT
        yield f"{server.url}?mode=oaipmh"


def title_of(element: str) -> str:
    """Return a record's title, read without the extension."""
    found = etree.fromstring(element).find("{*}identificationInfo/*/{*}citation/*/{*}title")
    assert found is not None
    return " ".join("".join(found.itertext()).split())


@pytest.mark.parametrize("prefix", ["iso19139", "oai_dc", "csw-record"])
def test_every_format_brings_all_records(prefix: str, url: str) -> None:
    titles = {each.guid: title_of(each.element) for each in MADE}
    with HttpClient(Guard(LOOPBACK)) as http:
        given = {"metadata_prefix": prefix}
        chosen = options.validate(given, (*OAIPMH.options, *COMMON_OPTIONS))
        read = SourceRead(OAIPMH, Source(url, chosen, http), RecordClassifier())
        found = {each.raw.guid: OAIPMH.parse(each.raw, chosen).title for each in read}
    assert {guid: " ".join(title.split()) for guid, title in found.items()} == titles
    assert read.ending is not None
    assert read.ending.complete
