"""A source whose values do not all fit."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve("/data.json", catalogue([dataset(0, theme=["Wheels"]), dataset(1)]))
    source = portal.source(publisher.url("/data.json"), name="parking")
    portal.run(source)
    return source
