"""A publisher of RDF."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from tests.publisher import Publisher
from tests.readers.rdf.rdf_site import Site


@pytest.fixture
def site(publisher: Publisher, http: HttpClient) -> Site:
    return Site(publisher, http)
