"""A source whose records have versions."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.harvest.records.record_versions import PATH
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    return source_id
